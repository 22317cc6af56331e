//! A header whose value depends on the run of a call.

use std::fmt;
use std::sync::Arc;

use onionskin_definitions::error::BoxError;
use onionskin_definitions::secret::Secret;
use onionskin_tools::context::RunContext;

type Value = dyn Fn(&RunContext) -> Result<Secret<String>, BoxError> + Send + Sync;

/// A header of the calls to a server that is reached by address. Its value is a secret that each run gives: `headers` of `agent!`
/// declares it, or [`AgentDeclaration::server_header`](crate::declaration::AgentDeclaration::server_header).
///
/// ```
/// use onionskin::secret::Secret;
/// use onionskin::servers::RunHeader;
///
/// let header = RunHeader::new("X-User-Key", |run| {
///     let user = run.user().ok_or("the run has no user")?;
///     Ok(Secret::new(format!("key-of-{user}")))
/// });
/// assert_eq!(header.name(), "x-user-key");
/// ```
#[derive(Clone)]
pub struct RunHeader {
    name: Arc<str>,
    value: Arc<Value>,
    /// The value as a card has it, if a card can.
    source: Option<Arc<str>>,
}

impl RunHeader {
    /// Makes a header. An error of `value` is the error of the call, which is not sent.
    pub fn new(
        name: impl AsRef<str>,
        value: impl Fn(&RunContext) -> Result<Secret<String>, BoxError> + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.as_ref().to_ascii_lowercase().into(), value: Arc::new(value), source: None }
    }

    /// Sets the text of the value, for the card of the agent.
    pub(crate) fn with_source(self, source: &str) -> Self {
        Self { source: Some(source.into()), ..self }
    }

    /// The name, in small letters.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The value in this run, which redacts it from now on.
    ///
    /// # Errors
    /// Returns an error if the run has no value for the header.
    pub fn value(&self, run: &RunContext) -> Result<Secret<String>, BoxError> {
        let value = (self.value)(run)?;
        run.conceal(&value);
        Ok(value)
    }

    pub(crate) fn source(&self) -> Option<&str> {
        self.source.as_deref()
    }
}

impl fmt::Debug for RunHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunHeader").field("name", &self.name).finish_non_exhaustive()
    }
}
