#![deny(warnings, missing_docs, clippy::pedantic)]
#![allow(clippy::unused_async, clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "of the functions themselves")]
//! Secrets that the state fills, in every form; and types of the program's own that are called so.

use onionskin::{Secret as Stored, SessionState, tool};

/// Somebody else's.
mod theirs {
    /// One of the model's.
    #[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema, Clone)]
    pub struct Secret<T>(pub T);
}

/// The state.
#[derive(Clone, onionskin::secret::VisitSecrets)]
struct Config {
    key: Stored<String>,
    spare: Option<Stored<Vec<u8>>>,
    theirs: theirs::Secret<u8>,
}

/// Asks.
#[tool(state = Config)]
async fn ask(
    question: &str,
    #[bind(key)] key: &onionskin::Secret<String>,
    #[bind(spare)] spare: Option<&onionskin::Secret<Vec<u8>>>,
    #[bind("other.key", default = onionskin::Secret::new(String::new()))] other: onionskin::Secret<String>,
    #[bind("pair")] pair: Option<onionskin::Secret<String>>,
    #[bind(theirs)] theirs: theirs::Secret<u8>,
) -> usize {
    let spare = spare.map_or(0, |spare| spare.expose().len());
    let pair = pair.map_or(0, |pair| pair.expose().len());
    question.len() + key.expose().len() + other.expose().len() + spare + pair + usize::from(theirs.0)
}

/// Asks on a thread.
#[tool(state = Config, blocking)]
fn slow(#[bind(key)] key: onionskin::Secret<String>) -> usize {
    key.expose().len()
}

/// The model fills it.
#[tool]
fn guess(#[arg] secret: theirs::Secret<String>) -> theirs::Secret<String> {
    secret
}

pub(crate) fn main() {
    let state = SessionState::default();
    state.set_secret("other.key", Stored::new(String::from("hunter2")));
}
