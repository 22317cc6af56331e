//! Server-sent events of a body, within bounds.

use reqwest::Response;

use super::RemoteError;
use super::client::unreachable;

/// The bytes of one event.
pub(super) const MAX_EVENT: usize = 4 << 20;
/// The bytes of all events of a stream.
const MAX_STREAM: usize = 64 << 20;

/// The data of the events of a body.
pub(super) struct Events {
    response: Response,
    parser: Parser,
    received: usize,
}

/// Reads lines into events, by the rules of the HTML standard, but for line ends of a `\r` alone, which no server of JSON writes.
#[derive(Default)]
struct Parser {
    /// What is not read yet.
    rest: Vec<u8>,
    /// The beginning of it that has no end of a line.
    searched: usize,
    data: Option<Vec<u8>>,
}

impl Events {
    pub(super) fn new(response: Response) -> Self {
        Self { response, parser: Parser::default(), received: 0 }
    }

    /// The data of the next event; `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<u8>>, RemoteError> {
        loop {
            if let Some(data) = self.parser.next() {
                return Ok(Some(data));
            }
            let Some(chunk) = self.response.chunk().await.map_err(unreachable)? else { return Ok(None) };
            self.received += chunk.len();
            self.parser.rest.extend_from_slice(&chunk);
            let held = self.parser.rest.len() + self.parser.data.as_ref().map_or(0, Vec::len);
            if held > MAX_EVENT || self.received > MAX_STREAM {
                return Err(RemoteError::TooLong {
                    most: if held > MAX_EVENT { MAX_EVENT } else { MAX_STREAM },
                });
            }
        }
    }
}

impl Parser {
    /// The data of the next whole event.
    fn next(&mut self) -> Option<Vec<u8>> {
        let mut read = 0;
        let mut found = None;
        while let Some(length) = self.rest[self.searched..].iter().position(|byte| *byte == b'\n') {
            let end = self.searched + length;
            let line = &self.rest[read..end];
            (read, self.searched) = (end + 1, end + 1);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.is_empty() {
                if let Some(data) = self.data.take() {
                    found = Some(data);
                    break;
                }
            } else if let Some(value) = line.strip_prefix(b"data:") {
                let value = value.strip_prefix(b" ").unwrap_or(value);
                match &mut self.data {
                    // In JSON, the ends of lines are spaces.
                    Some(data) => {
                        data.push(b' ');
                        data.extend_from_slice(value);
                    }
                    None => self.data = Some(value.to_vec()),
                }
            }
        }
        self.rest.drain(..read);
        self.searched = if found.is_some() { 0 } else { self.rest.len() };
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o6_events_are_read_in_any_pieces() {
        let body = b": alive\n\nevent: x\r\ndata: {\"a\":\r\ndata:1}\r\n\r\ndata: 2\n\ndata: unfinished\n";
        for size in 1..body.len() {
            let mut parser = Parser::default();
            let mut events = Vec::new();
            for piece in body.chunks(size) {
                parser.rest.extend_from_slice(piece);
                while let Some(data) = parser.next() {
                    events.push(String::from_utf8(data).unwrap());
                }
            }
            assert_eq!(events, ["{\"a\": 1}", "2"], "in pieces of {size}");
        }
    }
}
