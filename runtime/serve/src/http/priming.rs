//! Events without data. They begin the streams of rmcp, so that a client can continue a stream that breaks off. Clients of protocols before
//! 2025-11-25 take them for broken messages.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use http::HeaderMap;
use http::header::HeaderName;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Bytes, Frame};
use serde::Deserialize;

/// The first protocol that has such events.
const FIRST: &str = "2025-11-25";
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

#[derive(Deserialize)]
struct Initialize<'m> {
    method: &'m str,
    #[serde(borrow)]
    params: Version<'m>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Version<'m> {
    protocol_version: &'m str,
}

/// Whether the client of a request knows events without data. A request without a version is one of 2025-03-26, or `initialize`.
pub(crate) fn is_known(headers: &HeaderMap, body: &[u8]) -> bool {
    if let Some(version) = headers.get(&VERSION).and_then(|version| version.to_str().ok()) {
        return version >= FIRST;
    }
    let message = serde_json::from_slice::<Initialize<'_>>(body);
    message.is_ok_and(|message| message.method == "initialize" && message.params.protocol_version >= FIRST)
}

/// A body without its first event, if that has no data.
pub(crate) struct Unprimed {
    body: BoxBody<Bytes, Infallible>,
    is_at_begin: bool,
}

impl Unprimed {
    pub(crate) fn new(body: BoxBody<Bytes, Infallible>) -> Self {
        Self { body, is_at_begin: true }
    }
}

impl Body for Unprimed {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        loop {
            let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
            let is_at_begin = std::mem::take(&mut self.is_at_begin);
            let data = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref());
            if !is_at_begin || !data.is_some_and(|data| has_no_data(data)) {
                return Poll::Ready(frame);
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }
}

/// Whether it is an event without data.
pub(crate) fn has_no_data(event: &[u8]) -> bool {
    event.ends_with(b"\n\n")
        && event.split(|byte| *byte == b'\n').all(|line| {
            line.is_empty()
                || line.starts_with(b"id:")
                || line.starts_with(b"retry:")
                || line.trim_ascii() == b"data:"
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o2_only_an_event_without_data_is_left_out() {
        assert!(has_no_data(b"data: \nid: 0/0\nretry: 3000\n\n"));
        for event in ["data: {}\nid: 0\n\n", "{\"jsonrpc\":\"2.0\"}", ": ping\n\n", "", "data: \n"] {
            assert!(!has_no_data(event.as_bytes()), "{event}");
        }
    }

    #[test]
    fn o2_the_version_is_in_the_header_or_in_initialize() {
        let with = |version: &str| HeaderMap::from_iter([(VERSION, version.parse().unwrap())]);
        assert!(is_known(&with("2025-11-25"), b"") && is_known(&with("2026-07-28"), b"{}"));
        assert!(!is_known(&with("2025-06-18"), b"") && !is_known(&HeaderMap::new(), b"{}"));
        let initialize = |version: &str| {
            format!(r#"{{"id":1,"method":"initialize","params":{{"protocolVersion":"{version}","x":[]}}}}"#)
        };
        assert!(is_known(&HeaderMap::new(), initialize("2025-11-25").as_bytes()));
        assert!(!is_known(&HeaderMap::new(), initialize("2024-11-05").as_bytes()));
    }
}
