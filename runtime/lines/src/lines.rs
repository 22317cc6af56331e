//! Lines of a stream, of bounded length.

use std::collections::VecDeque;
use std::io;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// The number of bytes after which a line has no end.
const ENDLESS: usize = 256 << 20;
/// The length of the beginning and of the end of a long line that are kept, to find out what it answers.
const ENDS: usize = 512;

/// A line, without its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// A line within the bound.
    Whole(Vec<u8>),
    /// What the stream ends with, without an end of line. It may be cut off.
    Rest(Vec<u8>),
    /// The beginning and the end of a line that is too long.
    TooLong(Vec<u8>, Vec<u8>),
    /// 256 MiB were read without finding an end.
    Endless,
}

/// Reads lines, and keeps a bounded part of each.
///
/// ```
/// use onionskin_lines::{Line, Lines};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let mut lines = Lines::new(&b"one\ntwo"[..], 1_000);
/// assert_eq!(lines.next().await.unwrap(), Some(Line::Whole(b"one".to_vec())));
/// assert_eq!(lines.next().await.unwrap(), Some(Line::Rest(b"two".to_vec())));
/// assert_eq!(lines.next().await.unwrap(), None);
/// # });
/// ```
#[derive(Debug)]
pub struct Lines<R> {
    stream: BufReader<R>,
    /// The maximum number of bytes of a line.
    most: usize,
    line: Vec<u8>,
    /// The length so far and the end of a line that is too long.
    long: Option<(usize, VecDeque<u8>)>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Reads lines of at most `most` bytes.
    pub fn new(stream: R, most: usize) -> Self {
        Self { stream: BufReader::with_capacity(64 << 10, stream), most, line: Vec::new(), long: None }
    }

    /// The next line; `None` at the end of the stream.
    ///
    /// Cancel safety: what was read of a line is kept when the future is dropped.
    ///
    /// # Errors
    /// Returns an error if reading fails.
    pub async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let read = self.stream.fill_buf().await?;
            if read.is_empty() {
                let rest = std::mem::take(&mut self.line);
                // The end of one that is too long is lost.
                let is_short = self.long.take().is_none();
                return Ok((is_short && !rest.is_empty()).then_some(Line::Rest(rest)));
            }
            let end = read.iter().position(|byte| *byte == b'\n');
            let part = &read[..end.unwrap_or(read.len())];
            match &mut self.long {
                Some((length, last)) => {
                    *length += part.len();
                    last.extend(&part[part.len().saturating_sub(ENDS)..]);
                    last.drain(..last.len().saturating_sub(ENDS));
                }
                None if self.line.len() + part.len() > self.most => {
                    let length = self.line.len() + part.len();
                    let retained = ENDS.saturating_sub(part.len()).min(self.line.len());
                    let mut last: VecDeque<u8> = self.line[self.line.len() - retained..].to_vec().into();
                    last.extend(&part[part.len().saturating_sub(ENDS)..]);
                    self.line.truncate(ENDS);
                    self.line.shrink_to_fit();
                    self.long = Some((length, last));
                }
                None => self.line.extend_from_slice(part),
            }
            let consumed = part.len() + usize::from(end.is_some());
            self.stream.consume(consumed);
            if end.is_some() {
                let line = std::mem::take(&mut self.line);
                return Ok(Some(match self.long.take() {
                    Some((_, last)) => Line::TooLong(line, last.into()),
                    None => Line::Whole(line),
                }));
            }
            if self.long.as_ref().is_some_and(|(length, _)| *length > ENDLESS) {
                return Ok(Some(Line::Endless));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: usize = 16 << 20;

    #[tokio::test]
    async fn a4_lines_are_read_whole_and_long_ones_by_their_ends() {
        let long = format!("begin{}end", "x".repeat(MOST));
        let text = format!("one\r\n\n{long}\ntwo\nrest");
        // For pieces of any size.
        let mut lines = Lines::new(text.as_bytes(), MOST);
        let mut read = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            read.push(match line {
                Line::Whole(line) => String::from_utf8(line).unwrap(),
                Line::Rest(line) => format!("at the end: {}", String::from_utf8(line).unwrap()),
                Line::TooLong(first, last) => {
                    assert_eq!((first.len(), last.len()), (ENDS, ENDS));
                    assert!(first.starts_with(b"begin") && last.ends_with(b"xend"));
                    assert!(lines.line.capacity() <= ENDS);
                    "long".to_owned()
                }
                Line::Endless => panic!("it has an end"),
            });
        }
        assert_eq!(read, ["one\r", "", "long", "two", "at the end: rest"]);
    }

    #[tokio::test]
    async fn a4_a_line_without_end_is_given_up() {
        let mut lines = Lines::new(tokio::io::repeat(b'x'), MOST);
        assert!(matches!(lines.next().await.unwrap(), Some(Line::Endless)));
    }
}
