//! Server-sent events, as a body brings them.

use std::collections::VecDeque;

use reqwest::Response;

use super::fetch::interrupted;
use crate::http_error::HttpError;
use crate::wire::LONGEST_LINE;

/// One event. Its type does not matter in MCP.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) data: Option<Vec<u8>>,
    pub(super) id: Option<String>,
    /// Milliseconds to wait before a new connection.
    pub(super) retry: Option<u64>,
    /// Whether it is longer than it may be. The rest of it is left out.
    pub(super) is_cut: bool,
}

/// The events of a body.
pub(super) struct Events {
    response: Response,
    parser: Parser,
    ready: VecDeque<Event>,
}

impl Events {
    pub(super) fn new(response: Response) -> Self {
        Self { response, parser: Parser::default(), ready: VecDeque::new() }
    }

    /// The next event; `None` at the end. It may be dropped at every wait.
    pub(super) async fn next(&mut self) -> Result<Option<Event>, HttpError> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Ok(Some(event));
            }
            match self.response.chunk().await.map_err(interrupted)? {
                Some(chunk) => self.parser.push(&chunk, &mut self.ready),
                None => return Ok(None),
            }
        }
    }
}

/// Reads lines into events, by the rules of the HTML standard.
#[derive(Default)]
struct Parser {
    line: Vec<u8>,
    event: Event,
    is_after_return: bool,
    has_begun: bool,
}

impl Parser {
    fn push(&mut self, mut chunk: &[u8], ready: &mut VecDeque<Event>) {
        while let Some(first) = chunk.first() {
            if std::mem::take(&mut self.is_after_return) && *first == b'\n' {
                chunk = &chunk[1..];
                continue;
            }
            let end = chunk.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (part, rest) = chunk.split_at(end.unwrap_or(chunk.len()));
            self.extend(part);
            let Some(end) = rest.first() else { return };
            self.is_after_return = *end == b'\r';
            chunk = &rest[1..];
            self.end_line(ready);
        }
    }

    fn extend(&mut self, part: &[u8]) {
        let held = self.line.len() + self.event.data.as_ref().map_or(0, Vec::len);
        let room = LONGEST_LINE.saturating_sub(held);
        self.event.is_cut |= part.len() > room;
        self.line.extend_from_slice(&part[..part.len().min(room)]);
    }

    fn end_line(&mut self, ready: &mut VecDeque<Event>) {
        let mut line = std::mem::take(&mut self.line);
        if !std::mem::replace(&mut self.has_begun, true) && line.starts_with(b"\xEF\xBB\xBF") {
            line.drain(..3);
        }
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            if event != Event::default() {
                ready.push_back(event);
            }
            return;
        }
        let (name, value) = match line.iter().position(|byte| *byte == b':') {
            Some(at) => (&line[..at], &line[at + 1..]),
            None => (&line[..], &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        let text = || str::from_utf8(value).ok().map(str::to_owned);
        match name {
            b"data" => match &mut self.event.data {
                // A message over several lines is one message: in JSON, the ends of lines are spaces.
                Some(data) => {
                    data.push(b' ');
                    data.extend_from_slice(value);
                }
                None => self.event.data = Some(value.to_vec()),
            },
            b"id" if !value.contains(&0) => self.event.id = text(),
            b"retry" => self.event.retry = text().and_then(|text| text.parse().ok()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed<'b>(chunks: impl IntoIterator<Item = &'b [u8]>) -> Vec<Event> {
        let (mut parser, mut ready) = (Parser::default(), VecDeque::new());
        for chunk in chunks {
            parser.push(chunk, &mut ready);
        }
        ready.into()
    }

    fn data(event: &Event) -> Option<&str> {
        event.data.as_deref().map(|data| str::from_utf8(data).unwrap())
    }

    #[test]
    fn a4_events_are_read_by_the_rules_of_the_standard() {
        let text = "\u{feff}: hello\n\nid: 7\nevent: message\ndata: {\"a\":\r\ndata:1}\r\n\r\nretry: 50\ndata\r\rdata: x\n";
        let events = parsed([text.as_bytes()]);
        assert_eq!(events.len(), 2, "the last one has no end: {events:?}");
        assert_eq!((data(&events[0]), events[0].id.as_deref()), (Some("{\"a\": 1}"), Some("7")));
        assert_eq!((data(&events[1]), events[1].retry), (Some(""), Some(50)));
    }

    #[test]
    fn a4_an_endless_event_is_cut_and_the_next_one_is_read() {
        let long = vec![b'x'; 1 << 20];
        let chunks = std::iter::once(&b"data: "[..]).chain(std::iter::repeat_n(&long[..], 20));
        let events = parsed(chunks.chain([&b"\n\ndata: y\n\n"[..]]));
        assert_eq!(events.len(), 2);
        assert!(events[0].is_cut && events[0].data.as_ref().unwrap().len() <= LONGEST_LINE);
        assert_eq!(data(&events[1]), Some("y"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// The pieces in which a stream comes change nothing.
        #[test]
        fn a4_pieces_change_no_event(pieces in prop::collection::vec("(data|id|retry|:)?:? ?[a-z0-9]{0,3}(\r|\n|\r\n){0,2}", 0..20)) {
            let whole = pieces.concat();
            prop_assert_eq!(parsed(pieces.iter().map(String::as_bytes)), parsed([whole.as_bytes()]));
            let bytes = whole.as_bytes().chunks(1);
            prop_assert_eq!(parsed(bytes), parsed([whole.as_bytes()]));
        }
    }
}
