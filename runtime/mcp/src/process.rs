//! A server's process: started in its own group, watched, and ended with all of its children.

use std::io;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::process::{Child, Command};
use tokio::sync::{Notify, watch};

use super::secrets::Secrets;
use super::server_config::{InProcess, Link, ServerConfig};
use super::stderr::Tail;

/// Maximum time for a process to end after its input was closed, after it was asked to, and after it was killed.
const STEP_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum time for the last lines of a dead server's standard error to arrive.
const LAST_LINES: Duration = Duration::from_millis(300);

/// The standard input of a server.
pub(super) type Input = Box<dyn AsyncWrite + Send + Unpin>;
/// The standard output of a server.
pub(super) type Output = Box<dyn AsyncRead + Send + Unpin>;

/// Bytes that wait between a server within the program and its client.
const PIPE: usize = 64 << 10;

/// A running process. Dropping it kills the process and everything in its group.
pub(super) struct Process {
    /// None for a server that is no process of its own.
    group: Option<Group>,
    /// The way in which the process ended. It is set after its last lines were read.
    ended: watch::Receiver<Option<Arc<str>>>,
    /// Kills the process when it is notified.
    pub(super) kill: Arc<Notify>,
    pub(super) stderr: Tail,
}

impl Process {
    pub(super) fn spawn(
        server: &Arc<str>,
        config: &ServerConfig,
        secrets: &Secrets,
    ) -> io::Result<(Self, Input, Output)> {
        if let Link::InProcess(server) = &config.link {
            return Ok(Self::within(Arc::clone(server)));
        }
        let mut command = Command::new(&config.command.value);
        command.args(config.args.iter().map(|arg| &arg.value)).env_clear().envs(config.environment());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        if let Some(cwd) = &config.cwd {
            command.current_dir(cwd);
        }
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        let missing = || io::Error::other("the process has no standard streams");
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let stderr = child.stderr.take().ok_or_else(missing)?;
        let tail = Tail::default();
        let reader = tokio::spawn(tail.clone().follow(stderr, Arc::clone(server), secrets.clone()));
        let group = Group::new(&child);
        let kill = Arc::new(Notify::new());
        let (ending, ended) = watch::channel(None);
        tokio::spawn({
            let kill = Arc::clone(&kill);
            async move {
                let how = wait(child, group, &kill).await;
                let _ = tokio::time::timeout(LAST_LINES, reader).await;
                ending.send_replace(Some(how));
            }
        });
        Ok((Self { group: Some(group), ended, kill, stderr: tail }, Box::new(stdin), Box::new(stdout)))
    }

    /// In place of a process, for a server that runs elsewhere. It ends when it is killed.
    #[cfg(feature = "mcp-http")]
    pub(super) fn elsewhere() -> Self {
        let kill = Arc::new(Notify::new());
        let (ending, ended) = watch::channel(None);
        tokio::spawn({
            let kill = Arc::clone(&kill);
            async move {
                kill.notified().await;
                ending.send_replace(Some("its connection was closed".into()));
            }
        });
        Self { group: None, ended, kill, stderr: Tail::default() }
    }

    /// A task of this program in place of a process.
    fn within(server: Arc<dyn InProcess>) -> (Self, Input, Output) {
        let (input, stdin) = tokio::io::duplex(PIPE);
        let (output, stdout) = tokio::io::duplex(PIPE);
        let kill = Arc::new(Notify::new());
        let (ending, ended) = watch::channel(None);
        tokio::spawn({
            let kill = Arc::clone(&kill);
            async move {
                let how = tokio::select! {
                    how = server.serve(stdin, stdout) => how,
                    () = kill.notified() => "signal: 9 (SIGKILL)",
                };
                ending.send_replace(Some(how.into()));
            }
        });
        (Self { group: None, ended, kill, stderr: Tail::default() }, Box::new(input), Box::new(output))
    }

    /// Returns how the process ended, if it has.
    pub(super) fn ended(&self) -> Option<Arc<str>> {
        self.ended.borrow().clone()
    }

    /// Waits for the end of the process, and says how it ended.
    pub(super) async fn end(&self) -> Arc<str> {
        let mut ended = self.ended.clone();
        match ended.wait_for(Option::is_some).await {
            Ok(how) => how.clone().unwrap_or_default(),
            // Its watcher is gone with the runtime, which kills the process.
            Err(_) => "ended with this program".into(),
        }
    }

    /// Ends the process, whose input was closed: waits, asks, kills.
    pub(super) async fn finish(&self) {
        if tokio::time::timeout(STEP_TIMEOUT, self.end()).await.is_ok() {
            return;
        }
        if let Some(group) = self.group {
            group.terminate();
        }
        if tokio::time::timeout(STEP_TIMEOUT, self.end()).await.is_ok() {
            return;
        }
        self.kill();
        let _ = tokio::time::timeout(STEP_TIMEOUT, self.end()).await;
    }

    /// Kills the process and its group at once.
    pub(super) fn kill(&self) {
        if self.ended().is_none() {
            if let Some(group) = self.group {
                group.kill();
            }
            self.kill.notify_one();
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

async fn wait(child: Child, group: Group, kill: &Notify) -> Arc<str> {
    // If the runtime is dropped, this future is, and the group goes with it.
    let mut led = Led { child, group };
    let status = tokio::select! {
        status = led.child.wait() => status,
        () = kill.notified() => {
            let _ = led.child.start_kill();
            led.child.wait().await
        }
    };
    // Children of the process may still hold its streams open.
    drop(led);
    match status {
        Ok(status) => status.to_string().into(),
        Err(error) => format!("its exit status could not be read: {error}").into(),
    }
}

/// How often, and at which intervals, a killed process is waited for.
const MAX_KILL_POLLS: usize = 100;
const KILL_POLL_INTERVAL: Duration = Duration::from_millis(1);

/// A process and its group. Dropping it kills both.
struct Led {
    child: Child,
    group: Group,
}

impl Drop for Led {
    fn drop(&mut self) {
        self.group.kill();
        let _ = self.child.start_kill();
        // Without a runtime nothing else would take its exit status, and it would stay as a zombie. A killed process ends
        // at once.
        for _ in 0..MAX_KILL_POLLS {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(KILL_POLL_INTERVAL);
        }
    }
}

/// The process group that a server leads. Signals to a group that is gone do nothing.
#[derive(Clone, Copy)]
struct Group {
    #[cfg(unix)]
    leader: Option<nix::unistd::Pid>,
}

#[cfg(unix)]
impl Group {
    fn new(child: &Child) -> Self {
        let leader = child.id().and_then(|id| i32::try_from(id).ok()).map(nix::unistd::Pid::from_raw);
        Self { leader }
    }

    fn terminate(self) {
        self.signal(nix::sys::signal::Signal::SIGTERM);
    }

    fn kill(self) {
        self.signal(nix::sys::signal::Signal::SIGKILL);
    }

    fn signal(self, signal: nix::sys::signal::Signal) {
        if let Some(leader) = self.leader {
            let _ = nix::sys::signal::killpg(leader, signal);
        }
    }
}

/// Elsewhere the process alone is killed, by its handle.
#[cfg(not(unix))]
#[expect(clippy::unused_self, reason = "as the one for unix")]
impl Group {
    fn new(_: &Child) -> Self {
        Self {}
    }

    fn terminate(self) {}

    fn kill(self) {}
}
