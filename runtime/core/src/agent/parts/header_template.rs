//! The value of a header as `agent!` and cards write it: text with placeholders for secrets of the run.

use std::borrow::Cow;

use onionskin_definitions::error::BoxError;
use onionskin_definitions::secret::Secret;
use onionskin_tools::context::{RunContext, State, bound};
use onionskin_vocabulary::placeholders::{SESSION_STATE, TextPiece, split};

use super::run_header::RunHeader;

/// A part of a value that the macro or the loader split.
pub enum HeaderPart<S> {
    /// Text.
    Text(Cow<'static, str>),
    /// A field of the agent's state: its path, and what reads it.
    Field(&'static str, fn(&S) -> Option<&Secret<String>>),
    /// A secret of the session's state.
    Key(Cow<'static, str>),
}

/// Makes a header from the parts of its value; `source` is the text. A card that is loaded can have it if no part is a field.
pub fn header<S: Clone + Send + Sync + 'static>(
    name: &str,
    source: &str,
    parts: Vec<HeaderPart<S>>,
) -> RunHeader {
    let is_compiled = parts.iter().any(|part| matches!(part, HeaderPart::Field(..)));
    let value = move |run: &RunContext| {
        let mut text = String::new();
        for part in &parts {
            match part {
                HeaderPart::Text(words) => text.push_str(words),
                HeaderPart::Field(path, field) => {
                    let state = State::<S>::from_run(run)?.latest();
                    let secret =
                        field(&state).ok_or_else(|| format!("`{path}` of the agent's state is `None`"))?;
                    run.conceal(secret);
                    text.push_str(secret.expose());
                }
                HeaderPart::Key(key) => text.push_str(session_secret(run, key)?.expose()),
            }
        }
        Ok(Secret::new(text))
    };
    let header = RunHeader::new(name, value);
    if is_compiled { header } else { header.with_source(source) }
}

/// Makes a header from the text of a card, whose placeholders name secrets of the session's state.
///
/// # Errors
/// Returns the path of the first placeholder for a field of the agent's state, which only compiled code can read.
pub fn header_of_session(name: &str, text: &str) -> Result<RunHeader, String> {
    let parts = split(text).into_iter().map(|piece| match piece {
        TextPiece::Words(words) => Ok(HeaderPart::<()>::Text(words.into())),
        TextPiece::Placeholder(path) => match path.strip_prefix(SESSION_STATE) {
            Some(key) => Ok(HeaderPart::Key(key.to_owned().into())),
            None => Err(path),
        },
    });
    Ok(header(name, text, parts.collect::<Result<_, _>>()?))
}

fn session_secret(run: &RunContext, key: &str) -> Result<Secret<String>, BoxError> {
    let secret = bound::<Option<Secret<String>>, _>(run, key, None)?;
    secret.ok_or_else(|| {
        format!("`{key}` of the session's state is not there; set it with `set_secret`").into()
    })
}
