//! Reads the lines of a server. The parts of a message stay text until their reader is known.

use std::borrow::Cow;

use rmcp::model::{ErrorData, ProgressNotificationParam, RequestId};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::error::Category;
use serde_json::value::RawValue;

use onionskin_core::json::json_values;

use super::LONGEST_LINE;
use crate::visible::{cut, visible};
use onionskin_core::schema::reason_of;

/// The parser of JSON quotes unexpected text; longer quotes are cut.
const REASON: usize = 200;

/// The maximum number of values in a message. Each takes many times the memory of its text, and no model reads as many.
const VALUES: usize = 1_000_000;

/// A message, or another kind of line.
#[derive(Debug)]
pub(crate) enum Incoming<'l> {
    /// The result of a request.
    Answer(RequestId, &'l str),
    /// An error instead of a result. One without an id is about a request that the server could not read.
    Refusal(Option<RequestId>, ErrorData),
    /// An answer that cannot be read, and why. Without an id, no id could be found in it.
    Unreadable(Option<RequestId>, Cow<'static, str>),
    /// A request of the server: its method and its parameters.
    Request(RequestId, String, Option<&'l str>),
    Progress(ProgressNotificationParam),
    /// A log message: its parameters.
    Log(&'l str),
    ToolsChanged,
    /// A notification without a receiver here.
    Other,
    /// Not a message.
    Foreign,
}

#[derive(Deserialize)]
struct Envelope<'l> {
    #[serde(borrow, default)]
    id: Option<&'l RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'l, str>>,
    #[serde(borrow, default)]
    params: Option<&'l RawValue>,
    #[serde(borrow, default)]
    result: Option<&'l RawValue>,
    #[serde(borrow, default)]
    error: Option<&'l RawValue>,
}

impl<'l> Envelope<'l> {
    fn read(text: &'l str) -> serde_json::Result<Self> {
        if text.starts_with('{') {
            return serde_json::from_str(text);
        }
        // A derived reader accepts a list of the fields in order.
        serde_json::from_str::<IgnoredAny>(text)?;
        Err(serde::de::Error::custom("it is not an object"))
    }
}

/// Reads a line. It is one message; a batch (of the protocol of 2025-03-26), and messages between which a server wrote no end of line, are
/// several.
pub(crate) fn read(line: &[u8]) -> Vec<Incoming<'_>> {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii_end();
    // An indented brace is inside an answer over several lines. The first brace of that answer was reported; the next call is not to blame.
    let is_nested = line.len() > 1 && line.trim_ascii_start() == b"{";
    let line = line.trim_ascii_start();
    if is_nested || !is_message(line) {
        return vec![Incoming::Foreign];
    }
    let text = match str::from_utf8(line) {
        Ok(text) => text,
        Err(error) => {
            let reason =
                format!("it contains bytes that are not UTF-8, from byte {} on", error.valid_up_to() + 1);
            return vec![unreadable(line, &[], reason)];
        }
    };
    if json_values(text.as_bytes()) > VALUES {
        return vec![unreadable(line, &[], format!("it has more than {VALUES} values"))];
    }
    match Envelope::read(text) {
        Ok(envelope) => vec![message(&envelope)],
        Err(error) => several(text).unwrap_or_else(|| vec![unreadable(line, &[], fault(&error))]),
    }
}

/// Why a line is no message.
fn fault(error: &serde_json::Error) -> Cow<'static, str> {
    if error.classify() == Category::Eof {
        return "it spans several lines, or is cut off; an MCP message is one line".into();
    }
    format!("it is not JSON: {}", reason(error)).into()
}

/// Whether a line can be a message, or a list of messages. Programs that log write brackets and lists too, with messages in them.
fn is_message(line: &[u8]) -> bool {
    let is_list = |rest: &[u8]| rest.trim_ascii_start().starts_with(b"{") && contains(line, b"\"jsonrpc\"");
    line.starts_with(b"{") || line.strip_prefix(b"[").is_some_and(is_list)
}

/// The messages of a text with several: behind each other, or in a list. The last one may be cut off. `None` if the text does not begin with one.
fn several(text: &str) -> Option<Vec<Incoming<'_>>> {
    let mut messages = Vec::new();
    let mut parts = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    loop {
        let begin = parts.byte_offset();
        match parts.next() {
            None => break,
            Some(Ok(list)) if list.get().starts_with('[') => {
                messages
                    .extend(serde_json::from_str::<Vec<&RawValue>>(list.get()).ok()?.into_iter().map(part));
            }
            Some(Ok(message)) => messages.push(part(message)),
            Some(Err(_)) if messages.is_empty() => return None,
            Some(Err(error)) => {
                let rest = text.get(begin..).unwrap_or_default().trim_ascii_start();
                messages.push(unreadable(rest.as_bytes(), &[], fault(&error)));
                break;
            }
        }
    }
    Some(messages)
}

/// One of several messages.
fn part(part: &RawValue) -> Incoming<'_> {
    match Envelope::read(part.get()) {
        Ok(envelope) => message(&envelope),
        Err(_) if !part.get().starts_with('{') => Incoming::Foreign,
        Err(error) => unreadable(part.get().as_bytes(), &[], reason(&error)),
    }
}

/// Reads a message that was too long to be kept from its beginning and its end.
pub(crate) fn read_ends(beginning: &[u8], end: &[u8]) -> Incoming<'static> {
    if !is_message(beginning.trim_ascii_start()) {
        return Incoming::Foreign;
    }
    unreadable(beginning, end, format!("it is longer than {} MiB", LONGEST_LINE >> 20))
}

fn message<'l>(envelope: &Envelope<'l>) -> Incoming<'l> {
    let id = || envelope.id.and_then(|id| serde_json::from_str(id.get()).ok());
    if let Some(method) = &envelope.method {
        return match (id(), &**method) {
            (Some(id), method) => {
                Incoming::Request(id, method.to_owned(), envelope.params.map(RawValue::get))
            }
            (None, "notifications/tools/list_changed") => Incoming::ToolsChanged,
            (None, "notifications/message") => {
                envelope.params.map_or(Incoming::Other, |params| Incoming::Log(params.get()))
            }
            (None, "notifications/progress") => {
                let params = envelope.params.and_then(|params| serde_json::from_str(params.get()).ok());
                params.map_or(Incoming::Other, |mut report: ProgressNotificationParam| {
                    if let Some(number) = as_number(&report.progress_token.0) {
                        report.progress_token.0 = number;
                    }
                    Incoming::Progress(report)
                })
            }
            (None, _) => Incoming::Other,
        };
    }
    match (envelope.result, envelope.error) {
        (Some(result), None) => match id() {
            Some(id) => Incoming::Answer(id, result.get()),
            None => Incoming::Unreadable(None, "it has no id".into()),
        },
        (None, Some(error)) => match serde_json::from_str(error.get()) {
            Ok(error) => Incoming::Refusal(id(), error),
            Err(error) => Incoming::Unreadable(
                id(),
                format!("its `error` is not a JSON-RPC error: {}", reason(&error)).into(),
            ),
        },
        (Some(_), Some(_)) => Incoming::Unreadable(id(), "it has both `result` and `error`".into()),
        (None, None) => match id() {
            Some(id) => Incoming::Unreadable(Some(id), "it has neither `result` nor `error`".into()),
            // For example a log line that is written as JSON.
            None => Incoming::Foreign,
        },
    }
}

/// A line that looks like a message and cannot be read: whose answer it is, if it is one.
fn unreadable(beginning: &[u8], end: &[u8], reason: impl Into<Cow<'static, str>>) -> Incoming<'static> {
    let keys = Keys::read(beginning);
    if keys.method {
        return Incoming::Other;
    }
    // Other programs print objects as well.
    let lone_brace = beginning.len() == 1;
    if !(lone_brace
        || keys.id.is_some()
        || contains(beginning, b"\"jsonrpc\"")
        || contains(end, b"\"jsonrpc\""))
    {
        return Incoming::Foreign;
    }
    Incoming::Unreadable(keys.id.or_else(|| last_id(end)), reason.into())
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// The id at the end of a message: some servers write it behind the result.
fn last_id(end: &[u8]) -> Option<RequestId> {
    let at = end.windows(5).rposition(|window| window == b"\"id\":")?;
    let rest = &end[at + 5..];
    let stop = rest.iter().position(|byte| matches!(byte, b',' | b'}'))?;
    serde_json::from_slice(&rest[..stop]).ok()
}

/// The number that an id is as text: some servers give our numbers back so.
pub(crate) fn as_number(id: &RequestId) -> Option<RequestId> {
    match id {
        RequestId::String(text) => Some(RequestId::Number(text.parse().ok()?)),
        RequestId::Number(_) => None,
    }
}

/// The outermost keys of a text that may not be JSON.
#[derive(Default)]
struct Keys {
    id: Option<RequestId>,
    method: bool,
}

impl Keys {
    fn read(text: &[u8]) -> Self {
        let mut keys = Self::default();
        let (mut depth, mut at) = (0_usize, 0);
        while let Some(byte) = text.get(at) {
            match byte {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                b'"' => {
                    let Some(end) = string_end(text, at) else { break };
                    let value =
                        text[end..].trim_ascii_start().strip_prefix(b":").map(<[u8]>::trim_ascii_start);
                    match (depth, &text[at..end], value) {
                        (1, b"\"id\"", Some(value)) => keys.id = first_value(value),
                        (1, b"\"method\"", Some(_)) => keys.method = true,
                        _ => {}
                    }
                    at = end;
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        keys
    }
}

/// The number or string that a text begins with.
fn first_value(text: &[u8]) -> Option<RequestId> {
    let end = match text.first()? {
        b'"' => string_end(text, 0)?,
        _ => text.iter().position(|byte| !matches!(byte, b'-' | b'0'..=b'9')).unwrap_or(text.len()),
    };
    serde_json::from_slice(&text[..end]).ok()
}

/// The end of the string that begins at `start`.
fn string_end(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Why a text is not JSON, in a few words and without quoting the text.
pub(crate) fn reason(error: &serde_json::Error) -> String {
    let text = reason_of(error);
    match text.as_str() {
        "recursion limit exceeded" => return "it is nested too deeply".to_owned(),
        "lone leading surrogate in hex escape" | "unexpected end of hex escape" => {
            return "a string contains half of a surrogate pair".to_owned();
        }
        _ => {}
    }
    format!("{} (column {})", visible(&cut(text, REASON)), error.column())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(line: &str) -> String {
        let descriptions: Vec<_> = read(line.as_bytes()).into_iter().map(described).collect();
        descriptions.join("; ")
    }

    fn described(incoming: Incoming<'_>) -> String {
        match incoming {
            Incoming::Answer(id, result) => format!("answer {id} {result}"),
            Incoming::Refusal(id, error) => format!("refusal {id:?} {}", error.message),
            Incoming::Unreadable(id, reason) => format!("unreadable {id:?} {reason}"),
            Incoming::Request(id, method, _) => format!("request {id} {method}"),
            Incoming::Log(params) => format!("log {params}"),
            Incoming::Progress(report) => match report.progress_token.0 {
                RequestId::Number(token) => format!("progress {} of {token}", report.progress),
                RequestId::String(token) => format!("progress {} of the text {token}", report.progress),
            },
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn a4_kinds_of_messages_are_recognised() {
        for (line, expected) in [
            (r#"{"jsonrpc":"2.0","id":1,"result":{"a":[1]}}"#, r#"answer 1 {"a":[1]}"#),
            (r#" {"result":{},"jsonrpc":"2.0","id":"x"} "#, "answer x {}"),
            (r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#, "refusal None no"),
            (r#"{"jsonrpc":"2.0","id":4,"method":"ping"}"#, "request 4 ping"),
            (r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#, "ToolsChanged"),
            (r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#, "log {}"),
            (
                r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":2}}"#,
                "progress 2 of 1",
            ),
            (
                r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"7","progress":2}}"#,
                "progress 2 of 7",
            ),
            (r#"{"jsonrpc":"2.0","method":"notifications/progress","params":7}"#, "Other"),
            (r#"{"level":"info","message":"started"}"#, "Foreign"),
            ("INFO started", "Foreign"),
            ("{'a': 1}", "Foreign"),
            ("", "Foreign"),
            (
                r#"[{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}, {"jsonrpc":"2.0","id":2,"result":{}}, 5]"#,
                "ToolsChanged; answer 2 {}; Foreign",
            ),
            (r#"[{"jsonrpc":"2.0","id":3,"result":{}}]"#, "answer 3 {}"),
            (
                r#"{"jsonrpc":"2.0","id":1,"result":{}}{"jsonrpc":"2.0","id":2,"method":"ping"}"#,
                "answer 1 {}; request 2 ping",
            ),
            (r#"[INFO] {"jsonrpc":"2.0","id":1}"#, "Foreign"),
            (r#"[{"level":"info"}]"#, "Foreign"),
            ("      {", "Foreign"),
        ] {
            assert_eq!(kind(line), expected, "{line}");
        }
    }

    #[test]
    fn a4_what_cannot_be_read_says_why_and_whose_it_is() {
        for (line, id, part) in [
            ("{", "None", "several lines"),
            (r#"{"jsonrpc":"2.0","id":7,"result":{"a":"#, "Some(Number(7))", "several lines"),
            (r#"{"jsonrpc":"2.0","id":"s","result":{"a":nan}}"#, r#"Some(String("s"))"#, "not JSON"),
            (r#"{"jsonrpc":"2.0","id":7}"#, "Some(Number(7))", "neither"),
            (r#"{"jsonrpc":"2.0","id":7,"result":{},"error":{}}"#, "Some(Number(7))", "both"),
            (r#"{"jsonrpc":"2.0","id":7,"error":"no"}"#, "Some(Number(7))", "`error`"),
            (r#"{"jsonrpc":"2.0","result":{}}"#, "None", "no id"),
        ] {
            let kind = kind(line);
            assert!(kind.starts_with(&format!("unreadable {id} ")) && kind.contains(part), "{line}: {kind}");
        }
        let mut line = br#"{"jsonrpc":"2.0","result":{"id":3,"text":"ab"},"id":9}"#.to_vec();
        let at = line.windows(2).position(|window| window == b"ab").unwrap();
        line[at] = 0xff;
        let [Incoming::Unreadable(Some(id), reason)] = &read(&line)[..] else { panic!("it was read") };
        let place = format!("UTF-8, from byte {} on", at + 1);
        assert!(*id == RequestId::Number(9) && reason.contains(&place), "{id} {reason}");
        let ends = read_ends(br#"{"result":{"text":"x"#, br#"x"},"jsonrpc":"2.0","id":12}"#);
        assert!(matches!(&ends, Incoming::Unreadable(Some(RequestId::Number(12)), _)), "{ends:?}");
        let log = read_ends(b"{ here is a long log line", b"and its end }");
        assert!(matches!(log, Incoming::Foreign), "{log:?}");
    }
}
