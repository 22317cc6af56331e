//! What a server writes to its standard error: kept for error texts, never shown on the terminal.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};

/// How many lines are kept.
const LINES: usize = 20;
/// Longer lines are cut into pieces of this many bytes.
const LINE: u64 = 2_000;
/// Shorter values are no secrets: they would be found in any text.
const SHORTEST_SECRET: usize = 6;

/// Hides the values of environment variables.
#[derive(Clone, Default)]
pub(super) struct Secrets(Arc<[(String, String)]>);

impl Secrets {
    pub(super) fn new(variables: &[&BTreeMap<String, String>]) -> Self {
        let mut all: Vec<_> = variables
            .iter()
            .flat_map(|variables| variables.iter())
            .filter(|(_, value)| value.len() >= SHORTEST_SECRET)
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        // A longer value may hold a shorter one.
        all.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
        Self(all.into())
    }

    pub(super) fn hide(&self, text: impl Into<String>) -> String {
        self.0.iter().fold(text.into(), |text, (name, value)| {
            if text.contains(value) { text.replace(value, &format!("[${name}]")) } else { text }
        })
    }
}

/// The last lines.
#[derive(Clone, Default)]
pub(super) struct Tail(Arc<Mutex<VecDeque<String>>>);

impl Tail {
    pub(super) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    fn push(&self, line: String) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    /// Reads until the stream ends.
    pub(super) async fn follow(self, stream: impl AsyncRead + Unpin, server: Arc<str>, secrets: Secrets) {
        let mut stream = BufReader::new(stream);
        let mut line = Vec::new();
        while let Ok(1..) = (&mut stream).take(LINE).read_until(b'\n', &mut line).await {
            let text = secrets.hide(String::from_utf8_lossy(&line).trim_end());
            line.clear();
            tracing::debug!(server = &*server, "stderr: {text}");
            if !text.is_empty() {
                self.push(text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a4_the_last_lines_of_stderr_are_kept_without_secrets() {
        let tail = Tail::default();
        let text: String = (0..30)
            .map(|line| format!("line {line} sk-123456 \u{fffd}\n"))
            .chain(["x".repeat(5_000)])
            .collect();
        let env = BTreeMap::from([("KEY".to_owned(), "sk-123456".to_owned())]);
        tail.clone().follow(text.as_bytes(), Arc::from("t"), Secrets::new(&[&env])).await;
        let lines = tail.lines();
        assert_eq!(lines.len(), LINES);
        assert_eq!(lines[0], "line 13 [$KEY] \u{fffd}");
        assert_eq!(lines[19].len(), 1_000);
    }
}
