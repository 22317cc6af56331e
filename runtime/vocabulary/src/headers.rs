//! The headers of an agent's requests to servers that are reached by address.

use crate::placeholders::{SESSION_STATE, TextPiece, foreign, split};

/// The error of an agent with headers in a program without the feature for servers by address.
pub const MISSING_MCP_HTTP: &str =
    "`headers` are for servers that are reached by address: enable feature `mcp-http` of onionskin";

/// A name that no header can have.
pub const NO_HEADER_NAME: &str = "this is not the name of a header";

/// A value with characters that no header can have.
pub const NO_HEADER_VALUE: &str =
    "its value has characters that no header can have, such as the end of a line";

/// The headers that the client sets itself, beside those of the protocol.
const OWN: [&str; 8] = [
    "accept",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
    "transfer-encoding",
];

/// The mistake in the name of a header.
pub fn header_name_mistake(name: &str) -> Option<&'static str> {
    let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_legal) {
        return Some(NO_HEADER_NAME);
    }
    let name = name.to_ascii_lowercase();
    // Headers of the protocol are values of the session.
    let is_own = OWN.contains(&&*name) || name.starts_with("mcp-");
    is_own.then_some("this header is set by the client itself; remove it")
}

/// The mistake in the value of a header as an agent writes it: text with placeholders for secrets.
pub fn header_value_mistake(text: &str, has_state: bool) -> Option<String> {
    if let Some(foreign) = foreign(text).next() {
        return Some(format!(
            "`{}` is not a place, which is the name of a field alone: write `{{{}}}`",
            foreign.text,
            foreign.path.unwrap_or("user.token")
        ));
    }
    let mut is_same_for_all = true;
    let mut before = String::new();
    for piece in split(text) {
        match piece {
            // It would be sent as a part of the value.
            TextPiece::Placeholder(path) if before.ends_with('$') => {
                return Some(format!(
                    "a place has no `$`: write `{{{path}}}` for a secret of the state; a variable of the environment belongs in the \
                     configuration of the server"
                ));
            }
            TextPiece::Words(words) if words.bytes().any(|byte| !matches!(byte, b' '..=b'~' | b'\t')) => {
                return Some(NO_HEADER_VALUE.to_owned());
            }
            TextPiece::Words(words) => before = words,
            TextPiece::Placeholder(path) => {
                is_same_for_all = false;
                if !has_state && !path.starts_with(SESSION_STATE) {
                    return Some(format!(
                        "`{path}` is a field of the agent's state, and the agent has none: add `state: ..`, or write `{{{SESSION_STATE}{path}}}` for a \
                         secret of the session's state"
                    ));
                }
            }
        }
    }
    is_same_for_all.then(|| {
        "the value names no secret, so it would be the same for all users: write a field of the agent's state, \
         `\"Bearer {user.token}\"`; a header that all runs share belongs in the configuration of the server"
            .to_owned()
    })
}

/// A header that an agent sends twice.
pub fn header_twice(name: &str) -> String {
    format!("the header `{name}` is given twice; keep one")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a4_headers_of_the_client_and_odd_names_are_mistakes() {
        for name in ["Authorization", "X-Api-Key", "x_tenant", "cookie"] {
            assert_eq!(header_name_mistake(name), None, "{name}");
        }
        for name in ["Host", "Mcp-Session-Id", "Last-Event-ID", "CONTENT-LENGTH"] {
            assert!(header_name_mistake(name).unwrap().contains("set by the client"), "{name}");
        }
        for name in ["", "X Api", "X:Y", "Schlüssel", "a\n"] {
            assert!(header_name_mistake(name).unwrap().contains("not the name"), "{name}");
        }
    }

    #[test]
    fn a4_the_value_of_a_header_names_a_secret() {
        let mistake = |text, has_state| header_value_mistake(text, has_state).unwrap_or_default();
        assert_eq!(mistake("Bearer {user.token}", true), "");
        assert_eq!(mistake("{session_state.token}", false), "");
        assert!(mistake("Bearer {user.token}", false).contains("`{session_state.user.token}`"));
        assert!(mistake("Bearer {{user.token}}", true).contains("names no secret"));
        assert!(mistake("Bearer {token.trim()}", true).contains("is not a place"));
        assert!(mistake("Bearer\n{token}", true).contains("characters"));
        assert!(mistake("Bearer ${token}", true).contains("has no `$`: write `{token}`"));
        assert_eq!(mistake("$ {token}", true), "");
        assert!(mistake("", true).contains("names no secret"));
    }
}
