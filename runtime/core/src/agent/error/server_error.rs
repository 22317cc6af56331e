//! `ServerError` is the error of a server, of any type.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use onionskin_definitions::error::{BoxError, redact_error};
use onionskin_definitions::secret::{Redact, Redactor};

/// An error of a server, as the crate that implements it returned it.
#[derive(Debug, Clone)]
pub struct ServerError(Arc<dyn Error + Send + Sync>);

impl ServerError {
    pub(in crate::agent) fn new(error: BoxError) -> Self {
        Self(error.into())
    }

    /// The error as a value of type `E`, such as `mcp::McpError`; `None` if it has another type.
    pub fn downcast_ref<E: Error + 'static>(&self) -> Option<&E> {
        self.0.downcast_ref()
    }
}

impl Redact for ServerError {
    fn redact(&mut self, redactor: &Redactor) {
        redact_error(&mut self.0, redactor);
    }
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for ServerError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}
