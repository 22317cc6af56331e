//! Why a login to a server failed.

use onionskin_core::servers::BoxError;

/// Why a login to a server that requires OAuth failed. No text contains a token, a code or the secret of a client.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OAuthError {
    /// A setting of the login cannot be used.
    #[error("`{setting}` of the login cannot be used: {reason}")]
    #[non_exhaustive]
    Setting {
        /// The setting: a method of [`OAuth`](crate::OAuth), or `server` for the address of the server.
        setting: &'static str,
        /// The mistake.
        reason: String,
    },
    /// The login could not begin: the server's description of its logins cannot be used, or the client was not registered.
    #[error("the login could not begin: {reason}")]
    #[non_exhaustive]
    Begin {
        /// The reason.
        reason: String,
    },
    /// Neither the server nor its host describes a login.
    #[error("the server describes no login")]
    NoLogin,
    /// The authorization server does not register the program as a client, and no registered one is set.
    #[error("the authorization server registers no programs: {reason}")]
    #[non_exhaustive]
    NotRegistered {
        /// The reason.
        reason: String,
    },
    /// The address that the browser came back to is not that of a login that began: it lasts 10 minutes, and can be finished once.
    #[error("this address does not match a login in progress; start the login again")]
    Unknown,
    /// The person, or the authorization server, refused.
    #[error("the login was refused: {reason}")]
    #[non_exhaustive]
    Refused {
        /// The `error` of the authorization server, with its description.
        reason: String,
    },
    /// The authorization server gave no tokens for the code.
    #[error("the login could not be finished: {reason}")]
    #[non_exhaustive]
    Exchange {
        /// The reason.
        reason: String,
    },
    /// The store of the tokens failed.
    #[error("the store of the tokens failed: {0}")]
    Store(#[source] BoxError),
}
