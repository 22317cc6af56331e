//! Messages as lines: those that come are bounded.

use std::io;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::{Sink, Stream, sink, stream};
use onionskin_core::json::json_values;
use onionskin_lines::{Line, Lines};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};

use crate::backlog::Backlog;

/// The maximum number of bytes of a message. It has room for two images of the largest size.
const MAX_BYTES: usize = 64 << 20;
/// The maximum number of values in a message. Each takes many times the memory of its text.
const MAX_VALUES: usize = 1_000_000;

/// The lines of an input. What is no line of text within the bounds becomes a text that is not JSON, so that it gets the protocol's answer to
/// such a line, and the connection goes on.
pub(crate) fn read(
    input: impl AsyncRead + Send + 'static,
) -> impl Stream<Item = io::Result<String>> + Send + 'static {
    let input: Pin<Box<dyn AsyncRead + Send>> = Box::pin(input);
    stream::unfold(Lines::new(input, MAX_BYTES), async |mut lines| {
        loop {
            let line = match lines.next().await {
                Ok(None) => return None,
                Ok(Some(Line::Whole(line) | Line::Rest(line))) => text(line),
                Ok(Some(Line::TooLong(..))) => format!("a line of more than {MAX_BYTES} bytes"),
                Ok(Some(Line::Endless)) => return Some((Err(io::Error::other("a line has no end")), lines)),
                Err(error) => return Some((Err(error), lines)),
            };
            if !line.trim().is_empty() {
                return Some((Ok(line), lines));
            }
        }
    })
}

fn text(line: Vec<u8>) -> String {
    match String::from_utf8(line) {
        Ok(line) if json_values(line.as_bytes()) > MAX_VALUES => {
            format!("a line of more than {MAX_VALUES} values")
        }
        Ok(line) => line,
        Err(_) => "a line that is not UTF-8".to_owned(),
    }
}

/// Writes each message as a line.
pub(crate) fn write(
    output: impl AsyncWrite + Send + 'static,
    backlog: Arc<Backlog>,
) -> impl Sink<String, Error = io::Error> + Send + 'static {
    let output: Pin<Box<dyn AsyncWrite + Send>> = Box::pin(output);
    sink::unfold((output, backlog), async |(mut output, backlog), mut line: String| {
        line.push('\n');
        output.write_all(line.as_bytes()).await?;
        output.flush().await?;
        backlog.remove();
        Ok((output, backlog))
    })
}
