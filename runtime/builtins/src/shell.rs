//! `shell.execute`: runs a shell command.

use std::fmt;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use onionskin_core::secret::{Secret, StreamRedactor, is_key};
use onionskin_core::{
    Args, DynTool, Effect, ErrorKind, Exit, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput,
    ToolResult,
};
use process_wrap::tokio::{ChildWrapper, CommandWrap, ProcessGroup};
use serde::Deserialize;
use serde_json::json;

use super::capture::Capture;

use crate::definition::definition as built_in;

/// How long to wait for the rest of the output after the command has ended.
const GRACE: Duration = Duration::from_millis(500);

/// Passed on to commands: what a shell needs, and nothing that holds secrets.
const PASSED_ON: [&str; 10] =
    ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "TZ", "LANG", "LC_ALL"];

/// The arguments, as the schema has them.
#[derive(Deserialize)]
struct Arguments {
    command: String,
    cwd: Option<String>,
    timeout_sec: Option<u64>,
}

fn definition() -> ToolDefinition {
    let description = "Runs a shell command and gives back its output. Background jobs end with the call.";
    let arguments = json!({
        "command": { "type": "string", "minLength": 1, "description": "The command, for `/bin/sh -c`." },
        "cwd": { "type": ["string", "null"], "description": "The directory to run it in; a relative one is taken from the agent's." },
        "timeout_sec": {
            "type": ["integer", "null"],
            "minimum": 1,
            "maximum": 3600,
            "description": "Time limit in seconds. The command is ended after it."
        }
    });
    let result = json!({
        "type": "object",
        "properties": { "exit_code": { "type": "integer" }, "stdout": { "type": "string" }, "stderr": { "type": "string" } },
        "required": ["exit_code", "stdout", "stderr"],
        "additionalProperties": false
    });
    let mut definition =
        built_in(Shell::NAME, description, Effect::Once, &["command"], arguments).with_output_schema(result);
    definition.annotations.open_world = Some(true);
    definition
}

/// The tool `shell.execute`: runs a command with `/bin/sh -c`. Feature `shell`, Unix only.
///
/// A command runs in a process group of its own, without input. It ends with its shell, at its timeout, or
/// when the call is dropped; the whole group is then killed, so background jobs end too. (A program that
/// makes a session of its own, as `setsid` does, leaves the group and with it this rule.)
///
/// Standard output and standard error are kept up to a bound each, their heads and tails; the text says what
/// was left out. An exit status other than 0 is a tool error with the output; the status of a command that a
/// signal ended is 128 plus the signal, as shells have it. The structured result is
/// `{exit_code, stdout, stderr}`.
///
/// Commands do not see the program's environment, where keys are kept, but for `PATH`, `HOME`, `USER`,
/// `LOGNAME`, `SHELL`, `TERM`, `TMPDIR`, `TZ`, `LANG` and `LC_ALL`: see [`env`](Self::env),
/// [`env_inherit`](Self::env_inherit) and [`env_clear`](Self::env_clear). On Linux the first command makes the program a process that is not
/// dumpable: its environment in `/proc` is closed to commands, unless the user is `root`, and so is the program to debuggers that attach later.
/// Commands can read and write whatever the program's user can: a hook is the place to look at a command first.
///
/// ```
/// use std::time::Duration;
/// use onionskin::declaration::AgentDeclaration;
/// let agent = AgentDeclaration::new()
///     .runtime_tool(onionskin::builtin::shell().cwd("/tmp").timeout(Duration::from_secs(10)));
/// ```
#[derive(Clone)]
pub struct Shell {
    definition: ToolDefinition,
    cwd: Option<PathBuf>,
    timeout: Duration,
    max_output: usize,
    inherit: Inherit,
    env: Vec<(String, String)>,
}

#[derive(Debug, Clone, Copy)]
enum Inherit {
    Nothing,
    Harmless,
    Everything,
}

/// Makes the tool that `agent!` makes of `shell.execute`: a [`Shell`] with the default settings.
pub fn execute() -> impl DynTool {
    Shell::new()
}

impl Default for Shell {
    fn default() -> Self {
        Self::new()
    }
}

impl Shell {
    /// Makes a shell that runs commands in the program's directory, for at most 60 seconds, with at most 64 KiB of each output.
    pub fn new() -> Self {
        Self {
            definition: definition(),
            cwd: None,
            timeout: Duration::from_mins(1),
            max_output: 64 * 1024,
            inherit: Inherit::Harmless,
            env: Vec::new(),
        }
    }

    /// Runs commands in this directory. The model can name another one, relative to it or absolute: the setting does
    /// not confine commands. Default: the directory of the program.
    #[must_use]
    pub fn cwd(mut self, directory: impl Into<PathBuf>) -> Self {
        self.cwd = Some(directory.into());
        self
    }

    /// Sets the time limit of a command for calls without `timeout_sec`; the model can set that to at most an hour. At
    /// the limit the process group of the command is killed, and the call ends with a tool error of kind
    /// [`Timeout`](onionskin_core::ErrorKind::Timeout) that contains the output so far. Default: 60 seconds.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the maximum number of bytes of standard output that the result contains, and of standard error. Of a longer
    /// output the first and the last half of this number are kept. Default: 64 KiB.
    #[must_use]
    pub fn max_output(mut self, bytes: usize) -> Self {
        self.max_output = bytes;
        self
    }

    /// Sets an environment variable of the commands. Its value may be a secret: `Debug` shows the name only, and the value of a variable that is
    /// named like a key ([`is_key`]) is a secret of each session that runs a command.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Gives commands the program's whole environment. The model can read all of it, keys included.
    #[must_use]
    pub fn env_inherit(mut self) -> Self {
        self.inherit = Inherit::Everything;
        self
    }

    /// Gives commands only the variables that [`env`](Self::env) sets, before or after this call.
    #[must_use]
    pub fn env_clear(mut self) -> Self {
        self.inherit = Inherit::Nothing;
        self
    }

    fn directory(&self, requested: Option<&str>) -> Option<PathBuf> {
        match (&self.cwd, requested) {
            (Some(cwd), Some(requested)) => Some(cwd.join(requested)),
            (None, Some(requested)) => Some(requested.into()),
            (cwd, None) => cwd.clone(),
        }
    }

    fn spawn(&self, command: &str, directory: Option<&Path>) -> io::Result<Group> {
        if !matches!(self.inherit, Inherit::Everything) {
            hide_environment();
        }
        let mut shell = CommandWrap::with_new("/bin/sh", |shell| {
            shell.arg("-c").arg(command);
            shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
            if !matches!(self.inherit, Inherit::Everything) {
                shell.env_clear();
            }
            if let Inherit::Harmless = self.inherit {
                shell.envs(PASSED_ON.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
            }
            shell.envs(self.env.iter().map(|(name, value)| (name, value)));
            if let Some(directory) = directory {
                shell.current_dir(directory);
            }
        });
        Ok(Group { child: shell.wrap(ProcessGroup::leader()).spawn()?, killed: false })
    }
}

/// Makes this process one that commands cannot look into: otherwise they read its environment in `/proc`, whatever they were given
/// themselves. The user `root` can all the same.
fn hide_environment() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        static HIDDEN: std::sync::Once = std::sync::Once::new();
        // The kernel knows the option, and takes this value of it.
        HIDDEN.call_once(|| _ = set_dumpable_behavior(DumpableBehavior::NotDumpable));
    }
}

impl Tool for Shell {
    const NAME: &'static str = "shell.execute";
    type State = ();

    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    async fn run(&self, cx: &ToolContext, args: &mut Args) -> ToolResult {
        let Arguments { command, cwd, timeout_sec } = args.read()?;
        // A command can write it.
        for (_, key) in self.env.iter().filter(|(name, _)| is_key(name)) {
            cx.conceal(&Secret::new(key.clone()));
        }
        let limit = timeout_sec.map_or(self.timeout, Duration::from_secs);
        let directory = self.directory(cwd.as_deref());
        let mut group = self.spawn(&command, directory.as_deref()).map_err(|error| {
            let place = directory.map(|directory| format!(" in {}", directory.display())).unwrap_or_default();
            Exit::Tool(ToolError::new(format!("cannot run /bin/sh{place}: {error}")).with_source(error))
        })?;
        let secrets = cx.run().redactor();
        let capture = || Capture::new(self.max_output, secrets.clone().map(StreamRedactor::new));
        let (mut stdout, mut stderr) = (capture(), capture());
        let ended = group.finish(limit, &mut stdout, &mut stderr).await;
        let (stdout, stderr) = (stdout.into_text(), stderr.into_text());
        match ended {
            Ok(Some(status)) => finished(status, &stdout, &stderr),
            Ok(None) => {
                let first = format!(
                    "It did not end within {limit:?} and was killed, with its background jobs. What it started \
                     in a session of its own, as `setsid` does, may still run."
                );
                let text = text(Some(first), &stdout, &stderr);
                Err(Exit::Tool(ToolError::from_output(ErrorKind::Timeout, text)))
            }
            Err(error) => {
                Err(Exit::Tool(ToolError::new(format!("lost the command: {error}")).with_source(error)))
            }
        }
    }
}

/// Shows no value of a variable.
impl fmt::Debug for Shell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let env: Vec<_> = self.env.iter().map(|(name, _)| name).collect();
        f.debug_struct("Shell")
            .field("cwd", &self.cwd)
            .field("timeout", &self.timeout)
            .field("max_output", &self.max_output)
            .field("inherit", &self.inherit)
            .field("env", &env)
            .finish_non_exhaustive()
    }
}

fn finished(status: ExitStatus, stdout: &str, stderr: &str) -> ToolResult {
    let code = status.code().or_else(|| Some(128 + status.signal()?)).unwrap_or(-1);
    let first = (code != 0).then(|| format!("Exit status {code}."));
    let mut output = ToolOutput::text(text(first, stdout, stderr));
    output.set_structured_only(json!({ "exit_code": code, "stdout": stdout, "stderr": stderr }));
    if code == 0 {
        return Ok(output);
    }
    Err(Exit::Tool(ToolError::from_output(ErrorKind::Failed, output)))
}

/// The text that the model reads.
fn text(first: Option<String>, stdout: &str, stderr: &str) -> String {
    let mut parts: Vec<String> = first.into_iter().collect();
    if !stdout.is_empty() {
        parts.push(stdout.to_owned());
    }
    if !stderr.is_empty() {
        parts.push(format!("[standard error]\n{stderr}"));
    }
    if parts.is_empty() { "(no output)".to_owned() } else { parts.join("\n") }
}

/// A command with everything that it started. Dropping it kills them all.
struct Group {
    child: Box<dyn ChildWrapper>,
    /// They were killed: the group's number may belong to somebody else by now.
    killed: bool,
}

impl Group {
    /// Waits for the command, reading its output; `None` if it took too long. Nothing of it runs on.
    async fn finish(
        &mut self,
        limit: Duration,
        stdout: &mut Capture,
        stderr: &mut Capture,
    ) -> io::Result<Option<ExitStatus>> {
        let (out, err) = (self.child.stdout().take(), self.child.stderr().take());
        let mut reading = pin!(async { tokio::join!(stdout.drain(out), stderr.drain(err)) });
        let mut all_read = false;
        let status = {
            // The group's own `wait` would wait for background jobs as well where this program is the
            // one that orphans go to, as in most containers.
            let mut exit = pin!(self.child.inner_mut().wait());
            let ending = async {
                loop {
                    tokio::select! {
                        status = &mut exit => return status,
                        _ = &mut reading, if !all_read => all_read = true,
                    }
                }
            };
            tokio::time::timeout(limit, ending).await
        };
        // Background jobs hold the pipes open, and so would keep the reading going.
        self.kill();
        if !all_read {
            // A process that left the group may keep the pipes open. After the grace period the output read so far is used.
            let _ = tokio::time::timeout(GRACE, reading).await;
        }
        let Ok(status) = status else {
            let _ = tokio::time::timeout(GRACE, self.child.inner_mut().wait()).await;
            return Ok(None);
        };
        status.map(Some)
    }

    fn kill(&mut self) {
        if !std::mem::replace(&mut self.killed, true) {
            // An error means that the group has already ended.
            let _ = self.child.start_kill();
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::process::{DumpableBehavior, dumpable_behavior};

    use super::*;

    #[tokio::test]
    async fn t8_a_program_that_runs_commands_is_not_dumpable() {
        drop(Shell::new().env_inherit().spawn("true", None).unwrap());
        assert_eq!(dumpable_behavior().unwrap(), DumpableBehavior::Dumpable);
        drop(Shell::new().spawn("true", None).unwrap());
        assert_eq!(dumpable_behavior().unwrap(), DumpableBehavior::NotDumpable);
    }
}
