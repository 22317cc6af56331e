//! The failure of a message hook.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use onionskin_definitions::error::redact_error;
use onionskin_definitions::secret::{Redact, Redactor};

/// The failure of a message hook. It ends the run of the agent that has the hook.
#[derive(Debug, Clone)]
pub struct FailedHook {
    /// The agent that has the hook.
    pub agent: Arc<str>,
    /// The name of the hook.
    pub hook: &'static str,
    /// The place where it ran.
    pub place: &'static str,
    /// Its error.
    pub source: Arc<dyn Error + Send + Sync>,
}

impl fmt::Display for FailedHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { agent, hook, place, source } = self;
        write!(f, "the message hook `{hook}` of the agent `{agent}` failed in `{place}`: {source}")
    }
}

impl Redact for FailedHook {
    fn redact(&mut self, redactor: &Redactor) {
        redact_error(&mut self.source, redactor);
    }
}
