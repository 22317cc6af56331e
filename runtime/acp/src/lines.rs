//! Messages as lines: those that come are bounded.

use std::io;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::{Sink, Stream, sink, stream};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};

use crate::backlog::Backlog;

/// The maximum number of bytes of a message. It has room for two images of the largest size.
const MAX_BYTES: usize = 64 << 20;

/// The lines of an input. What is no line of text within the bound becomes a text that is not JSON, so that it gets the protocol's answer to
/// such a line, and the connection goes on.
pub(crate) fn read(
    input: impl AsyncRead + Send + 'static,
) -> impl Stream<Item = io::Result<String>> + Send + 'static {
    let input: Pin<Box<dyn AsyncBufRead + Send>> = Box::pin(BufReader::new(input));
    stream::unfold(input, async |mut input| {
        loop {
            match line(&mut input).await {
                Ok(None) => return None,
                Ok(Some(line)) if line.trim().is_empty() => {}
                Ok(Some(line)) => return Some((Ok(line), input)),
                Err(error) => return Some((Err(error), input)),
            }
        }
    })
}

/// The next line, without its end.
async fn line(input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let mut is_too_long = false;
    loop {
        let buffer = input.fill_buf().await?;
        if buffer.is_empty() && line.is_empty() && !is_too_long {
            return Ok(None);
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let piece = &buffer[..end.unwrap_or(buffer.len())];
        is_too_long |= line.len() + piece.len() > MAX_BYTES;
        if is_too_long {
            line = Vec::new();
        } else {
            line.extend_from_slice(piece);
        }
        let (is_over, used) = (buffer.is_empty() || end.is_some(), end.map_or(buffer.len(), |end| end + 1));
        input.consume(used);
        if is_over {
            break;
        }
    }
    Ok(Some(match String::from_utf8(line) {
        _ if is_too_long => format!("a line of more than {MAX_BYTES} bytes"),
        Ok(line) => line,
        Err(_) => "a line that is not UTF-8".to_owned(),
    }))
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
