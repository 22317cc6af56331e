//! Errors of the server.

use std::io;

/// The reason why a connection with a client ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AcpError {
    /// Reading from the client or writing to it failed.
    #[error("the connection with the client failed: {reason}")]
    #[non_exhaustive]
    Connection {
        /// What failed.
        reason: String,
    },
    /// The id of the user is blank, which would be no user: the client would get the sessions of all.
    #[error("the id of the user is blank: write one, or set no user")]
    BlankUser,
    /// The standard streams cannot be used for messages.
    #[error("the standard streams cannot be set apart for the messages of the protocol: {source}")]
    #[non_exhaustive]
    Streams {
        /// Why.
        source: io::Error,
    },
}

impl AcpError {
    pub(crate) fn connection(error: &agent_client_protocol::Error) -> Self {
        let detail = error.data.as_ref().map(|data| format!(": {data}")).unwrap_or_default();
        Self::Connection { reason: format!("{}{detail}", error.message) }
    }
}
