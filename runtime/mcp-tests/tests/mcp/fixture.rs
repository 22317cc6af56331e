//! Starts the fixture server for tests, and looks at its processes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use onionskin::mcp::ServerConfig;

/// What the servers of one test did: they write it into a file.
#[derive(Clone)]
pub(crate) struct Log(PathBuf);

impl Log {
    pub(crate) fn new(test: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mcp-{test}.log"));
        let _ = std::fs::remove_file(&path);
        Self(path)
    }

    pub(crate) fn path(&self) -> String {
        self.0.to_string_lossy().into_owned()
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        std::fs::read_to_string(&self.0).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    pub(crate) fn count(&self, word: &str) -> usize {
        self.lines().iter().filter(|line| line.starts_with(word)).count()
    }

    /// The processes that were started.
    pub(crate) fn pids(&self) -> Vec<u32> {
        let pid = |line: &String| line.strip_prefix("pid ")?.parse().ok();
        self.lines().iter().filter_map(pid).collect()
    }

    /// Waits until a line begins so.
    pub(crate) async fn wait_for(&self, word: &str) {
        wait_until(&format!("`{word}` in the log"), || self.count(word) > 0).await;
    }
}

/// Waits until something is so; fails the test if that takes too long.
pub(crate) async fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..1_000 {
        if is_so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("waited in vain for {what}");
}

/// Whether a process runs; a zombie does not.
pub(crate) fn runs(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with(['Z', 'X']))
}

/// A program that says nothing at all.
pub(crate) fn silent(log: &Log) -> ServerConfig {
    let script = r#"echo "pid $$" >> "$0"; exec sleep 600"#;
    ServerConfig::stdio("sh").args(["-c", script]).arg(log.0.to_string_lossy())
}

/// A fixture server of this mode. It writes into the log what it does, and its secret to its standard error.
pub(crate) fn server(mode: &str, log: &Log) -> ServerConfig {
    ServerConfig::stdio(env!("CARGO_BIN_EXE_fixture"))
        .args(mode.split(' '))
        .env("FIXTURE_LOG", log.0.to_string_lossy())
        .env("SECRET", "hunter2-hunter2")
}
