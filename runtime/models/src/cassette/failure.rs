//! The errors of a provider in a file.

use std::time::Duration;

use onionskin_core::model::ModelError;
use serde::{Deserialize, Serialize};

/// An error of a model that was asked.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum StoredError {
    Status {
        status: u16,
        message: String,
        /// The delay that the provider requests.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after: Option<Duration>,
        /// Whether a retry fails too.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        lasts: bool,
    },
    TooLong(String),
    Transport(String),
    Malformed(String),
    Incomplete(String),
    Timeout(Duration),
    Unended(Duration),
}

impl StoredError {
    /// The stored form; `None` for an error before the model was asked.
    pub(super) fn new(error: &ModelError) -> Option<Self> {
        Some(match error {
            ModelError::Status { status, message, retry_after, lasts, .. } => Self::Status {
                status: *status,
                message: message.clone(),
                retry_after: *retry_after,
                lasts: *lasts,
            },
            ModelError::TooLong(reason) => Self::TooLong(reason.clone()),
            ModelError::Transport(reason) => Self::Transport(reason.clone()),
            ModelError::Malformed(reason) => Self::Malformed(reason.clone()),
            ModelError::Incomplete(reason) => Self::Incomplete(reason.clone()),
            ModelError::Timeout(time) => Self::Timeout(*time),
            ModelError::Unended(time) => Self::Unended(*time),
            ModelError::Setup(_)
            | ModelError::NoKey { .. }
            | ModelError::Unavailable { .. }
            | ModelError::Tools(_)
            | ModelError::Unsupported { .. }
            | ModelError::UnreadContent { .. }
            | ModelError::ToolChoice(_)
            | ModelError::Script(_)
            | _ => return None,
        })
    }

    pub(super) fn into_error(self) -> ModelError {
        match self {
            Self::Status { status, message, retry_after, lasts } => {
                let mut error = ModelError::status(status, message, retry_after);
                if let ModelError::Status { lasts: of_error, .. } = &mut error {
                    *of_error = lasts;
                }
                error
            }
            Self::TooLong(reason) => ModelError::too_long(reason),
            Self::Transport(reason) => ModelError::transport(reason),
            Self::Malformed(reason) => ModelError::malformed(reason),
            Self::Incomplete(reason) => ModelError::incomplete(reason),
            Self::Timeout(time) => ModelError::timeout(time),
            Self::Unended(time) => ModelError::Unended(time),
        }
    }
}
