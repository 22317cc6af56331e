//! What a server asks for before it makes a call: by a result (`input_required`, protocol of 2026), or by an error (addresses to be opened, protocol of
//! 2025-11-25). The call is made again then.

use std::collections::BTreeMap;

use onionskin_core::{ErrorKind, Exit, ToolError};
use rmcp::model::ErrorData;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::grants::ELICITATION;
use super::http_error::HttpError;
use super::visible::visible;
use super::wire;

/// The code of an error that asks to open addresses.
const ADDRESSES: i32 = -32042;
/// What a server asks for at once, with its state, has at most this number of bytes: it is a part of the record of the run.
const MAX_BYTES: usize = 1 << 20;

/// What comes of a request of a call.
pub(super) enum Called {
    Answer(String),
    Required(InputRequired),
}

/// What a server asks for before it goes on, and the state that it gets back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct InputRequired {
    #[serde(default, alias = "input_requests")]
    pub(super) input_requests: BTreeMap<String, InputRequest>,
    #[serde(default, alias = "request_state")]
    pub(super) request_state: Option<String>,
    /// The message of an error, which is the end of the call unless the person agrees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) refusal: Option<String>,
}

/// One of its requests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct InputRequest {
    pub(super) method: String,
    #[serde(default)]
    pub(super) params: Value,
}

/// What goes with a call that is made again.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(super) struct Input {
    pub(super) responses: BTreeMap<String, Value>,
    pub(super) state: Option<String>,
}

/// What an answer to a call asks for; `None` if it is another result.
///
/// # Errors
/// Returns an error for the model if it cannot be read.
pub(super) fn read(server: &str, answer: &str) -> Result<Option<InputRequired>, Exit> {
    #[derive(Deserialize)]
    struct Kind<'a> {
        #[serde(rename = "resultType", alias = "result_type")]
        kind: Option<&'a str>,
    }
    // Most results need no second look.
    if !answer.contains("\"input_required\"") {
        return Ok(None);
    }
    let kind = serde_json::from_str::<Kind<'_>>(answer);
    if !kind.is_ok_and(|kind| kind.kind == Some("input_required")) {
        return Ok(None);
    }
    let required = if answer.len() > MAX_BYTES {
        Err(format!("it is longer than {} MiB", MAX_BYTES >> 20))
    } else {
        serde_json::from_str(answer).map_err(|error| wire::reason(&error))
    };
    required.map(Some).map_err(|reason| {
        let text = format!("the MCP server `{server}` asks for input in a way that cannot be read: {reason}");
        Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Unreadable))
    })
}

/// What an error asks for; `None` if it is another error.
pub(super) fn refused(error: &ErrorData) -> Option<InputRequired> {
    if error.code.0 != ADDRESSES || error.data.as_ref()?.to_string().len() > MAX_BYTES {
        return None;
    }
    let asked = error.data.as_ref()?["elicitations"].as_array().filter(|asked| !asked.is_empty())?.iter();
    let input_requests = asked.enumerate().map(|(number, params)| {
        (number.to_string(), InputRequest { method: ELICITATION.to_owned(), params: params.clone() })
    });
    let refusal = Some(visible(&error.message));
    Some(InputRequired { input_requests: input_requests.collect(), request_state: None, refusal })
}

/// The login that a call failed for, as a request to open its page; `None` if it failed for something else.
pub(super) fn login(exit: &Exit) -> Option<InputRequired> {
    let address = exit.as_tool_error()?.causes().find_map(|cause| match cause.downcast_ref() {
        Some(HttpError::LoginRequired { address, .. }) => Some(address.as_str()),
        _ => None,
    })?;
    let params = json!({
        "mode": "url",
        "message": "Log in on this page, and say so here when it is done.",
        "url": address,
        "elicitationId": "login",
    });
    let request = InputRequest { method: ELICITATION.to_owned(), params };
    let refusal = Some("it requires a login, and nobody logged in".to_owned());
    Some(InputRequired {
        input_requests: BTreeMap::from([("login".to_owned(), request)]),
        request_state: None,
        refusal,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a4_what_a_server_asks_for_is_found_in_the_answer() {
        let form = json!({ "method": "elicitation/create", "params": { "message": "?" } });
        let answer =
            json!({ "resultType": "input_required", "inputRequests": { "a": form }, "requestState": "s" });
        let required = read("s", &answer.to_string()).unwrap().unwrap();
        assert_eq!(required.request_state.as_deref(), Some("s"));
        assert_eq!(required.input_requests["a"].params["message"], "?");
        let text = json!({ "content": [{ "type": "text", "text": "\"input_required\"" }] });
        assert!(read("s", &text.to_string()).unwrap().is_none());
        let wrong = json!({ "resultType": "input_required", "inputRequests": [1] });
        let error = read("s", &wrong.to_string()).unwrap_err().to_string();
        assert!(error.contains("the MCP server `s` asks for input in a way that cannot be read"), "{error}");
        let long = json!({ "resultType": "input_required", "requestState": "s".repeat(MAX_BYTES) });
        let error = read("s", &long.to_string()).unwrap_err().to_string();
        assert!(error.ends_with("it is longer than 1 MiB"), "{error}");
    }
}
