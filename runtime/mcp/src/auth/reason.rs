//! Errors of the protocol library as texts for people. Answers to requests with secrets in them are not quoted.

use std::error::Error;

use rmcp::transport::auth::AuthError;

use crate::visible::{cut, name};

/// The longest reason that is shown.
const LONGEST: usize = 500;
/// The errors of token requests (RFC 6749, section 5.2).
const CODES: [&str; 6] = [
    "invalid_request",
    "invalid_client",
    "invalid_grant",
    "unauthorized_client",
    "unsupported_grant_type",
    "invalid_scope",
];

/// The text of a store that was not saved here.
#[derive(Debug, thiserror::Error)]
#[error("its text is not one that was saved here; log in again")]
pub(super) struct Unreadable;

/// Why a step of a login failed.
pub(super) fn reason(error: &AuthError) -> String {
    match error {
        // Servers repeat what they got in such answers.
        AuthError::TokenExchangeFailed(text)
        | AuthError::TokenRefreshFailed(text)
        | AuthError::TokenRefreshRejected(text) => match CODES.into_iter().find(|code| text.contains(code)) {
            Some(code) => format!("the authorization server gave no tokens: {code}"),
            None => "the authorization server gave no tokens".to_owned(),
        },
        error => {
            let mut text = error.to_string();
            let mut cause = error.source();
            while let Some(error) = cause {
                let more = error.to_string();
                if !text.contains(&more) {
                    text = format!("{text}: {more}");
                }
                cause = error.source();
            }
            cut(name(&text), LONGEST)
        }
    }
}
