//! Writes for the user: results to standard output, words to standard error. The text is plain. Characters that control a terminal are
//! escaped there, because models, tools and servers wrote parts of the text.

use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use serde::Serialize;

use crate::failure::Failure;
use crate::text;

/// How long people wait without a wish to know for what.
pub(crate) const NOTICED: Duration = Duration::from_millis(300);

/// Writes a result. A reader that has closed its end is not a failure.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let shown = if out.is_terminal() { text::plain(text) } else { text.to_owned() };
    match out.write_all(shown.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::new(error)),
        _ => Ok(()),
    }
}

/// Writes a result as JSON, on several lines.
pub(crate) fn json(result: &impl Serialize) -> Result<(), Failure> {
    let json = serde_json::to_string_pretty(result).map_err(Failure::new)?;
    text(&format!("{json}\n"))
}

/// Writes a result as JSON in one line.
pub(crate) fn json_line(result: &impl Serialize) -> Result<(), Failure> {
    let json = serde_json::to_string(result).map_err(Failure::new)?;
    text(&format!("{json}\n"))
}

/// Writes an error. One that is drawn with its lines of a file begins with the word already.
pub(crate) fn error(text: &str) {
    aside(&format!("error: {}", text.strip_prefix("error: ").unwrap_or(text)));
}

/// Shows why a command failed, and gives its exit code.
pub(crate) fn failure(failure: &Failure) -> ExitCode {
    if !failure.text().is_empty() {
        error(failure.text());
    }
    failure.exit_code()
}

pub(crate) fn warning(text: &str) {
    aside(&format!("warning: {text}"));
}

pub(crate) fn note(text: &str) {
    aside(&format!("note: {text}"));
}

/// Waits, and lets a person at a terminal see for what, if it takes longer than people notice.
///
/// Cancel safety: that of the future.
pub(crate) async fn with_notice<T>(notice: &str, work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    match tokio::time::timeout(NOTICED, &mut work).await {
        Ok(done) => done,
        Err(_) => {
            if io::stderr().is_terminal() {
                aside(notice);
            }
            work.await
        }
    }
}

/// Writes to standard error. Ignores write errors: the exit code reports the failure too.
pub(crate) fn aside(text: &str) {
    let _ = writeln!(io::stderr(), "{}", text::plain(text));
}
