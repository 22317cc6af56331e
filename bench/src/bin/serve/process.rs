//! Servers as processes: their processor time, and their memory.

use std::path::PathBuf;
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::Failure;

/// A server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServerKind {
    Ours,
    /// Ours, with more kinds of tools.
    Soak,
    Rmcp,
    FastMcp,
}

impl ServerKind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Ours => "onionskin",
            Self::Soak => "soak",
            Self::Rmcp => "rmcp",
            Self::FastMcp => "fastmcp",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        [Self::Ours, Self::Soak, Self::Rmcp, Self::FastMcp].into_iter().find(|kind| kind.name() == name)
    }
}

/// How a client reaches a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    Http,
    Stdio,
}

impl Transport {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Stdio => "stdio",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        [Self::Http, Self::Stdio].into_iter().find(|transport| transport.name() == name)
    }
}

/// A server that runs, until it is dropped.
pub(crate) struct Process {
    child: Child,
    id: u32,
    /// Its streams, until a client takes them.
    pub(crate) streams: Option<(ChildStdin, BufReader<ChildStdout>)>,
    /// Where it listens, if it does.
    pub(crate) address: String,
}

impl Process {
    /// Starts a server with so many tools.
    ///
    /// # Errors
    /// Returns an error if it does not start.
    pub(crate) async fn start(kind: ServerKind, transport: Transport, tools: usize) -> Result<Self, Failure> {
        let mut command = match kind {
            ServerKind::Ours | ServerKind::Soak | ServerKind::Rmcp => {
                let mut command = Command::new(std::env::current_exe()?);
                command.args(["server", kind.name(), transport.name(), &tools.to_string()]);
                command
            }
            ServerKind::FastMcp => {
                let mut command = Command::new(fastmcp_python());
                let server = concat!(env!("CARGO_MANIFEST_DIR"), "/src/bin/serve/fastmcp_server.py");
                // It logs each start.
                command.args([server, transport.name()]).stderr(Stdio::null());
                command
            }
        };
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
        let (stdin, stdout) = child.stdin.take().zip(child.stdout.take()).ok_or("a server has no streams")?;
        let id = child.id().ok_or("a server ended at once")?;
        let (mut stdout, mut address) = (BufReader::new(stdout), String::new());
        if transport == Transport::Http && stdout.read_line(&mut address).await? == 0 {
            return Err(format!("the server {} did not start", kind.name()).into());
        }
        let address = address.trim().to_owned();
        Ok(Self { child, id, streams: Some((stdin, stdout)), address })
    }

    /// The processor time of its threads, in nanoseconds.
    ///
    /// # Errors
    /// Returns an error if the server has ended.
    pub(crate) fn processor_time(&self) -> Result<u64, Failure> {
        let mut sum = 0;
        for thread in std::fs::read_dir(format!("/proc/{}/task", self.id))? {
            // A thread may end meanwhile; those with work stay.
            let Ok(text) = std::fs::read_to_string(thread?.path().join("schedstat")) else { continue };
            sum += text.split(' ').next().unwrap_or_default().parse::<u64>()?;
        }
        Ok(sum)
    }

    /// Its resident memory in bytes, without what it shares with files.
    ///
    /// # Errors
    /// Returns an error if the server has ended.
    pub(crate) fn memory(&self) -> Result<u64, Failure> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id))?;
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let kilobytes =
            line.and_then(|line| line.trim().strip_suffix(" kB")).ok_or("no memory in the status")?;
        Ok(kilobytes.trim().parse::<u64>()? * 1024)
    }

    /// The number of its threads.
    ///
    /// # Errors
    /// Returns an error if the server has ended.
    pub(crate) fn threads(&self) -> Result<usize, Failure> {
        Ok(std::fs::read_dir(format!("/proc/{}/task", self.id))?.count())
    }

    /// Whether it still runs.
    ///
    /// # Errors
    /// Returns an error if the system does not say so.
    pub(crate) fn is_running(&mut self) -> Result<bool, Failure> {
        Ok(self.child.try_wait()?.is_none())
    }
}

/// The Python that `judges/install.sh mcp` has installed FastMCP for.
pub(crate) fn fastmcp_python() -> PathBuf {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../judges/.kit/mcp-python/bin/python").into()
}
