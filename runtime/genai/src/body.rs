//! Reads the body of an answer, within bounds: as lines, as events of a stream, or as one document.

use reqwest::Response;

use onionskin_core::model::ModelError;

use crate::bounds;
use crate::failure::{self, ApiKey};

/// The body of an answer. It gives way to other tasks while it reads, so that a time limit ends it however fast the bytes come.
pub(crate) struct Body<'a> {
    response: Response,
    secret: &'a ApiKey,
    /// Bytes that were received and not read.
    chunk: Vec<u8>,
    at: usize,
    received: usize,
    since_yield: usize,
    /// A line ended with a carriage return; a newline after it belongs to it.
    after_return: bool,
    ended: bool,
}

/// What a stream has said.
pub(crate) enum Event {
    /// The data of an event, or a line that is an event.
    Data { text: String, cut: bool },
    /// One JSON document in the place of a stream.
    Document(Vec<u8>),
    /// The end. Without any event, `stray` is a line of the text that the server sent instead.
    End { stray: Option<String> },
}

impl<'a> Body<'a> {
    /// # Errors
    /// Returns an error if the body is compressed, which no request asks for.
    pub(crate) fn new(response: Response, secret: &'a ApiKey) -> Result<Self, ModelError> {
        let encoding = response.headers().get(reqwest::header::CONTENT_ENCODING);
        if let Some(encoding) =
            encoding.filter(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity"))
        {
            let encoding = String::from_utf8_lossy(encoding.as_bytes());
            return Err(ModelError::Malformed(format!(
                "it is compressed (`{}`), which no request asks for; turn the compression off in the server or the proxy",
                secret.quote(&encoding)
            )));
        }
        Ok(Self {
            response,
            secret,
            chunk: Vec::new(),
            at: 0,
            received: 0,
            since_yield: 0,
            after_return: false,
            ended: false,
        })
    }

    /// Receives more bytes. False at the end of the body.
    async fn fill(&mut self, bound: usize) -> Result<bool, ModelError> {
        while !self.ended && self.at == self.chunk.len() {
            let Some(chunk) =
                self.response.chunk().await.map_err(|error| failure::sending(error, self.secret))?
            else {
                self.ended = true;
                break;
            };
            self.received += chunk.len();
            if self.received > bound {
                return Err(too_large("it is", bound));
            }
            self.chunk = chunk.into();
            self.at = 0;
        }
        Ok(!self.ended)
    }

    /// Gives way after many bytes.
    async fn passed(&mut self, bytes: usize) {
        self.since_yield += bytes;
        if self.since_yield >= bounds::BYTES_AT_ONCE {
            self.since_yield = 0;
            tokio::task::yield_now().await;
        }
    }

    /// The rest of the body, after these bytes.
    async fn rest(&mut self, mut bytes: Vec<u8>) -> Result<Vec<u8>, ModelError> {
        while self.fill(bounds::DOCUMENT).await? {
            let more = &self.chunk[self.at..];
            let count = more.len();
            bytes.extend_from_slice(more);
            self.at = self.chunk.len();
            if bytes.len() > bounds::DOCUMENT {
                return Err(too_large("it is", bounds::DOCUMENT));
            }
            self.passed(count).await;
        }
        Ok(bytes)
    }

    /// The whole body.
    pub(crate) async fn document(&mut self) -> Result<Vec<u8>, ModelError> {
        self.rest(Vec::new()).await
    }

    /// The next line, without its end, and whether the body ended within it.
    async fn line(&mut self) -> Result<Option<(Vec<u8>, bool)>, ModelError> {
        let mut line = Vec::new();
        loop {
            if !self.fill(bounds::STREAM).await? {
                return Ok((!line.is_empty()).then_some((line, true)));
            }
            if std::mem::take(&mut self.after_return) && self.chunk[self.at] == b'\n' {
                self.at += 1;
                continue;
            }
            let rest = &self.chunk[self.at..];
            let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let part = &rest[..end.unwrap_or(rest.len())];
            if line.len() + part.len() > bounds::LINE {
                return Err(too_large("a line of it is", bounds::LINE));
            }
            line.extend_from_slice(part);
            let count = part.len() + usize::from(end.is_some());
            self.after_return = end.is_some_and(|end| rest[end] == b'\r');
            self.at += count;
            self.passed(count).await;
            if end.is_some() {
                return Ok(Some((line, false)));
            }
        }
    }
}

fn too_large(subject: &str, bound: usize) -> ModelError {
    ModelError::Malformed(format!("{subject} larger than {} MiB", bound >> 20))
}

/// How a provider divides a stream into events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Server-sent events.
    Sse,
    /// One JSON document a line.
    Lines,
}

/// The events of a stream.
pub(crate) struct Events<'a> {
    body: Body<'a>,
    framing: Framing,
    first: bool,
    stray: Option<String>,
    found: bool,
}

impl<'a> Events<'a> {
    pub(crate) fn new(body: Body<'a>, framing: Framing) -> Self {
        Self { body, framing, first: true, stray: None, found: false }
    }

    /// The next event.
    pub(crate) async fn next(&mut self) -> Result<Event, ModelError> {
        let mut data: Option<Vec<u8>> = None;
        // Comments and fields count too, so that an event comes or an error does.
        let mut passed = 0;
        loop {
            let Some((mut line, cut)) = self.body.line().await? else {
                return match data {
                    Some(data) => self.data(data, true),
                    None => Ok(Event::End { stray: self.stray.take().filter(|_| !self.found) }),
                };
            };
            passed += line.len() + 1;
            if passed > bounds::LINE {
                return Err(too_large("an event of it is", bounds::LINE));
            }
            if self.first && line.starts_with("\u{feff}".as_bytes()) {
                line.drain(..3);
            }
            if line.iter().all(u8::is_ascii_whitespace) {
                match data.take() {
                    Some(data) if !data.iter().all(u8::is_ascii_whitespace) => return self.data(data, false),
                    // An event without data says nothing. Some servers keep the connection alive with it.
                    _ => continue,
                }
            }
            let is_first = std::mem::take(&mut self.first);
            let is_json = matches!(line.trim_ascii_start().first(), Some(b'{' | b'['));
            if self.framing == Framing::Lines {
                return self.data(line, cut);
            }
            if is_json && is_first {
                line.push(b'\n');
                return Ok(Event::Document(self.body.rest(line).await?));
            }
            if is_json && data.is_none() {
                // An error of a proxy between the events.
                return self.data(line, cut);
            }
            match line.strip_prefix(b"data:") {
                Some(value) => {
                    let value = value.strip_prefix(b" ").unwrap_or(value);
                    match &mut data {
                        Some(data) => {
                            data.push(b'\n');
                            data.extend_from_slice(value);
                        }
                        None => data = Some(value.to_vec()),
                    }
                }
                // Comments, and fields that no protocol needs: the data names the kind of an event.
                None if is_field(&line) => {}
                None => {
                    self.stray.get_or_insert_with(|| self.body.secret.quote(&String::from_utf8_lossy(&line)));
                }
            }
        }
    }

    fn data(&mut self, data: Vec<u8>, cut: bool) -> Result<Event, ModelError> {
        self.found = true;
        match String::from_utf8(data) {
            Ok(text) => Ok(Event::Data { text, cut }),
            // The body can end within a character.
            Err(error) if cut => {
                Ok(Event::Data { text: String::from_utf8_lossy(error.as_bytes()).into_owned(), cut })
            }
            Err(error) => Err(ModelError::Malformed(format!("it is not UTF-8: {}", error.utf8_error()))),
        }
    }
}

fn is_field(line: &[u8]) -> bool {
    let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
    matches!(name, b"" | b"event" | b"id" | b"retry" | b"data")
}
