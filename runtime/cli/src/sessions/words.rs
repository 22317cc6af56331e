//! The words for failures of stored sessions. Those of the library are for programs in Rust.

use onionskin_core::sessions::{SessionError, SessionStoreError};

use crate::questions;

/// A session is that of another user.
pub(super) fn other_user(session: &str) -> String {
    format!("the session `{session}` belongs to another user: continue it without `--user`")
}

/// Why a stored session could not be used.
pub(crate) fn session_error(error: &SessionError) -> String {
    match error {
        SessionError::Store(error) => store_error(error),
        SessionError::OtherUser { session, .. } => other_user(session),
        SessionError::Waits { session, paused, .. } => format!(
            "the input was not sent, because the session `{session}` waits for answers:\n{}\n`run --session` without an input asks \
             again; `sessions rewind` gives the run up",
            questions::open(paused)
        ),
        SessionError::Content(_)
        | SessionError::NotWaiting { .. }
        | SessionError::WrongPlace { .. }
        | SessionError::NotStored { .. }
        | _ => error.to_string(),
    }
}

/// Why the store of sessions failed.
pub(super) fn store_error(error: &SessionStoreError) -> String {
    const LOOK: &str = "look at it with `sessions show`, and send again what it lacks";
    match error {
        SessionStoreError::Lost { session, .. } => format!(
            "the run lost the session `{session}`, because the program stood still for too long: {LOOK}"
        ),
        SessionStoreError::Changed { session, .. } => {
            format!("another program changed the session `{session}` meanwhile: {LOOK}")
        }
        SessionStoreError::WrongCursor { .. } => {
            "`--after` takes what `sessions list` printed at the end of the page before, unchanged".to_owned()
        }
        SessionStoreError::Missing { session, .. } => {
            format!("the session `{session}` was deleted: it begins anew when it is opened again")
        }
        SessionStoreError::Remains { what, reason, .. } => format!(
            "what was deleted is still in {what}: {reason}. Repeat the command: when it says that there is no such session, nothing is left"
        ),
        SessionStoreError::Held { .. }
        | SessionStoreError::WrongId { .. }
        | SessionStoreError::Exists { .. }
        | SessionStoreError::Full { .. }
        | SessionStoreError::ReadOnly { .. }
        | SessionStoreError::Foreign { .. }
        | SessionStoreError::Version { .. }
        | SessionStoreError::Corrupt { .. }
        | SessionStoreError::SearchTooLong(_)
        | SessionStoreError::Storage { .. }
        | _ => error.to_string(),
    }
}
