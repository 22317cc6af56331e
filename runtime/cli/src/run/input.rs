//! Reads the input of a run.

use std::io::{self, IsTerminal as _, Read as _};
use std::thread;

use tokio::sync::oneshot;

use crate::failure::Failure;

/// The argument that means standard input.
pub(super) const STANDARD: &str = "-";

/// A longer input is refused.
const MOST_BYTES: u64 = 8 << 20;

/// The input of the argument, or of standard input. It is none without an argument if standard input is a terminal or has nothing.
///
/// Cancel safety: a dropped future leaves a thread that reads what it does not pass on.
pub(super) async fn read(argument: Option<String>) -> Result<Option<String>, Failure> {
    let input = match argument {
        Some(input) if input != STANDARD => input,
        None if io::stdin().is_terminal() => return Ok(None),
        _ => match (standard().await?, argument) {
            (input, None) if input.is_empty() => return Ok(None),
            (input, _) => without_end(input),
        },
    };
    if input.trim().is_empty() {
        return Err(Failure::new("the input is empty"));
    }
    Ok(Some(input))
}

/// The text without the end of its last line, which is not a part of the input.
fn without_end(mut text: String) -> String {
    if text.ends_with('\n') {
        text.truncate(text.trim_end_matches(['\r', '\n']).len());
    }
    text
}

/// The input, or else the message that the conversation begins with. `workflow` if the agents are those of a workflow folder.
pub(super) fn or_initial(
    input: Option<String>,
    initial: Option<&str>,
    workflow: bool,
) -> Result<String, Failure> {
    input.or_else(|| initial.map(str::to_owned)).ok_or_else(|| {
        let more = if workflow { ", or give the workflow an `initial_message`" } else { "" };
        Failure::new(format!(
            "there is no input: write it behind the options, or pipe it to the program{more}"
        ))
    })
}

async fn standard() -> Result<String, Failure> {
    let (sender, text) = oneshot::channel();
    // A thread of its own: a read cannot be cancelled, and the runtime would wait for it.
    let reads = thread::Builder::new().name("onionskin-input".to_owned()).spawn(move || {
        let mut text = Vec::new();
        let read = io::stdin().lock().take(MOST_BYTES + 1).read_to_end(&mut text);
        let _ = sender.send(read.map(|_| text));
    });
    reads.map_err(|error| Failure::new(format!("there is no thread to read the input: {error}")))?;
    let text = text.await.map_err(|_| Failure::new("the input could not be read"))?;
    let text = text.map_err(|error| Failure::new(format!("the input could not be read: {error}")))?;
    if u64::try_from(text.len()).unwrap_or(u64::MAX) > MOST_BYTES {
        return Err(Failure::new(format!("the input has more than {MOST_BYTES} bytes")));
    }
    String::from_utf8(text).map_err(|_| Failure::new("the input is not text in UTF-8"))
}
