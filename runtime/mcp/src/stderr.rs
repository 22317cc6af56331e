//! The standard error of a server: kept for start errors, never shown on the terminal.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};

use super::secrets::Secrets;
use super::visible::visible;
use crate::mutex::lock;

/// Number of lines that are kept.
const LINES: usize = 20;
/// Longer lines are cut into pieces of this many bytes.
const LINE: u64 = 2_000;
/// The last lines.
#[derive(Clone, Default)]
pub(super) struct Tail(Arc<Mutex<VecDeque<String>>>);

impl Tail {
    pub(super) fn lines(&self) -> Vec<String> {
        lock(&self.0).iter().cloned().collect()
    }

    fn push(&self, line: String) {
        let mut lines = lock(&self.0);
        if lines.len() == LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    /// Reads until the stream ends.
    pub(super) async fn follow(self, stream: impl AsyncRead + Unpin, server: Arc<str>, secrets: Secrets) {
        let mut stream = BufReader::new(stream);
        let mut held = secrets.held();
        let mut bytes = Vec::new();
        while let Ok(read @ 1..) = (&mut stream).take(LINE).read_until(b'\n', &mut bytes).await {
            // The end of the stream ends a line as well.
            let ends = bytes.ends_with(b"\n") || (read as u64) < LINE;
            held.set_redactor(secrets.with_callers());
            // A cut may split a secret or a character.
            let mut text = held.push_bytes(&bytes);
            if ends {
                text.push_str(&held.finish());
            }
            bytes.clear();
            self.report(&text, &server);
        }
        self.report(&held.finish(), &server);
    }

    fn report(&self, text: &str, server: &str) {
        let text = visible(text.trim_end());
        if !text.is_empty() {
            tracing::debug!(server, "stderr: {text}");
            self.push(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server_config::ServerConfig;

    async fn lines(text: &str) -> Vec<String> {
        let config = ServerConfig::stdio("t").env("KEY", "sk-123456");
        let tail = Tail::default();
        tail.clone().follow(text.as_bytes(), Arc::from("t"), Secrets::all(&config)).await;
        tail.lines()
    }

    #[tokio::test]
    async fn a4_a_secret_across_the_cut_of_a_long_line_is_hidden() {
        for before in 1_985..2_010 {
            let text = format!("{}sk-123456{}\nnext\n", "ü".repeat(before / 2), "y".repeat(100));
            let lines = lines(&text).await;
            let all = lines.concat();
            assert!(
                all.contains("[$KEY]yyy") && !all.contains("sk-1") && !all.contains('\u{fffd}'),
                "{before}: {all}"
            );
            assert_eq!(lines.last().unwrap(), "next");
        }
        assert_eq!(lines("it ends with sk-12").await, ["it ends with sk-12"]);
    }

    #[tokio::test]
    async fn a4_the_last_lines_of_stderr_are_kept_without_secrets() {
        let text: String = (0..30)
            .map(|line| format!("line {line} sk-123456 \u{fffd}\n"))
            .chain(["x".repeat(5_000)])
            .collect();
        let lines = lines(&text).await;
        assert_eq!(lines.len(), LINES);
        assert_eq!(lines[0], "line 13 [$KEY] \u{fffd}");
        assert_eq!(lines[19].len(), 1_000);
    }
}
