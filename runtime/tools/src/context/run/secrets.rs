//! The secrets of a run's session.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::RunContext;
use onionskin_definitions::error::ToolResult;
use onionskin_definitions::secret::{Concealed, Redact as _, Redactor, Secret, Sensitive, texts};

impl RunContext {
    /// Registers a secret, which the session redacts from all output from now on. Secrets from `#[bind(..)]`,
    /// from the session's state and from the agent's state (`VisitSecrets`) are registered already.
    pub fn conceal<T: Sensitive>(&self, secret: &Secret<T>) {
        self.register_secrets(&texts(|visit| secret.expose().each(visit)));
    }

    /// Removes a registered secret from this session, for example an expired token; the session would redact
    /// it until it ends. A secret in the agent's state or the session's state is registered again when it is
    /// used.
    pub fn forget<T: Sensitive>(&self, secret: &Secret<T>) {
        self.concealed().forget(&texts(|visit| secret.expose().each(visit)));
    }

    pub(crate) fn register_secrets(&self, texts: &[Vec<u8>]) {
        if !texts.is_empty() {
            if self.concealed().add(texts) {
                self.session_state().note_secret();
            }
            self.watch();
        }
    }

    /// A redactor for the secrets that the session knows now; `None` if it knows none. A source of tools
    /// applies it to its own output, such as a log. Results, events and requests are redacted already.
    pub fn redactor(&self) -> Option<Arc<Redactor>> {
        self.concealed().redactor()
    }

    #[inline]
    pub(crate) fn is_watched(&self) -> bool {
        self.0.watched.load(Ordering::Relaxed)
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl RunContext {
    /// The secrets to redact.
    #[inline]
    pub fn concealed(&self) -> &Concealed {
        self.0.seed.session_state.concealed()
    }

    /// Takes the watched path for tool calls from now on if a secret is registered.
    pub fn watch(&self) {
        if self.concealed().any() {
            self.0.watched.store(true, Ordering::Relaxed);
        }
    }

    /// Redacts a result.
    pub fn hide(&self, mut result: ToolResult) -> ToolResult {
        if let Some(redactor) = self.concealed().redactor() {
            result.redact(&redactor);
        }
        result
    }

    /// Redacts a text.
    pub fn hide_text<'t>(&self, text: impl Into<Cow<'t, str>>) -> Cow<'t, str> {
        match self.concealed().redactor() {
            Some(redactor) => redactor.redact(text),
            None => text.into(),
        }
    }
}
