//! `mcp lock` writes the tools of servers to a file, or compares them with it.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use onionskin_mcp::snapshot::{Snapshot, SnapshotError};

use super::arguments::{CONFIG, LockArguments};
use super::servers::take;
use crate::failure::{FOUND, Failure};
use crate::output;
use crate::package::manifest_around;
use crate::program::Program;
use crate::text;

/// What errors of the library call the command.
const PLAIN_COMMAND: &str = "onionskin mcp lock";

pub(crate) async fn run(program: &Program, arguments: LockArguments) -> Result<ExitCode, Failure> {
    let update = update_command(program, &arguments);
    let LockArguments { of, out, check } = arguments;
    // What cannot be looked at is an error of reading or writing.
    let exists = out.try_exists().unwrap_or(true);
    let failed = |error: SnapshotError| Failure::new(with_command(&error, &update));
    // Servers are not started for a comparison that cannot be made.
    let is_read = check || (exists && !of.servers.is_empty());
    let before = if is_read { Some(Snapshot::read(&out).map_err(failed)?) } else { None };
    if exists && before.is_none() && !is_lock(&out) {
        return Err(Failure::new(format!(
            "`{}` is not a lock file, and is not replaced: name another file with `--out FILE`",
            out.display()
        )));
    }
    let mut offered = take(program, &of).await?;
    let mut now = std::mem::take(&mut offered.snapshot);
    if now.servers().next().is_none() {
        offered.finish()?;
    }
    let is_failed = |name: &str| offered.failed.iter().any(|(failed, _)| failed == name);
    // They stay as they are in the file.
    let is_passed = |name: &str| offered.passed.iter().any(|passed| passed == name) || is_failed(name);
    if check {
        let mut before = before.unwrap_or_default();
        before.retain(|name| match &of.servers[..] {
            [] => !is_passed(name),
            servers => servers.iter().any(|server| server == name) && !is_failed(name),
        });
        let compared = compare(&before, &now, &out, &update, offered.failed.is_empty())?;
        offered.finish()?;
        return Ok(compared);
    }
    let retained = match before {
        Some(before) => Some(before),
        None if exists && !(offered.passed.is_empty() && offered.failed.is_empty()) => {
            Snapshot::read(&out).ok().map(|mut before| {
                before.retain(is_passed);
                before
            })
        }
        None => None,
    };
    if let Some(mut retained) = retained {
        retained.extend(now);
        now = retained;
    }
    let written = write(&now, &out, exists)?;
    offered.finish()?;
    Ok(written)
}

/// The words of an error with this command in them. The library names it without options.
pub(crate) fn with_command(error: &impl Error, update: &str) -> String {
    error.to_string().replace(PLAIN_COMMAND, update)
}

/// Whether a file may be replaced. One of the usual name can be broken, by a merge for example.
fn is_lock(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name == Snapshot::FILE)
        || matches!(Snapshot::read(file), Ok(_) | Err(SnapshotError::TooNew { .. }))
}

/// The command that updates the file, with the options of this one.
pub(crate) fn update_command(program: &Program, arguments: &LockArguments) -> String {
    let mut command = format!("{} mcp lock", program.name);
    let options =
        [("--config", arguments.of.config.as_ref(), CONFIG), ("--out", Some(&arguments.out), Snapshot::FILE)];
    for (option, file, default) in options {
        if let Some(file) = file.filter(|file| *file != Path::new(default)) {
            command += &format!(" {option} {}", text::shell_word(&file.to_string_lossy()));
        }
    }
    for server in &arguments.of.servers {
        command += &format!(" {}", text::shell_word(server));
    }
    command
}

/// Shows how servers differ from the file. Only those that can be used are compared, if not `all` can.
fn compare(
    before: &Snapshot,
    now: &Snapshot,
    out: &Path,
    update: &str,
    all: bool,
) -> Result<ExitCode, Failure> {
    let drift = before.drift(now);
    if drift.is_empty() {
        let of = if all { "" } else { ", except for servers that cannot be used" };
        output::text(&format!("{}: up to date{of}\n", out.display()))?;
        return Ok(ExitCode::SUCCESS);
    }
    output::text(&format!("{drift}\n"))?;
    output::error(&format!("the servers differ from `{}`: run `{update}` to update it", out.display()));
    Ok(ExitCode::from(FOUND))
}

fn write(now: &Snapshot, out: &Path, existed: bool) -> Result<ExitCode, Failure> {
    let before = if existed { Snapshot::read(out).ok() } else { None };
    let has_changed = now.write(out).map_err(Failure::new)?;
    let drift = before.map(|before| before.drift(now)).unwrap_or_default();
    let mut text = String::new();
    for (servers, what) in [(drift.added(), "added"), (drift.removed(), "removed")] {
        text.extend(servers.iter().map(|server| format!("`{}`: {what}\n", text::first_line(server))));
    }
    text.extend(drift.servers().iter().map(|server| format!("{server}\n")));
    let tools: usize = now.servers().filter_map(|server| now.tools(server)).map(<[_]>::len).sum();
    let servers = text::counted(now.servers().count() as u64, "server");
    let tools = text::counted(tools as u64, "tool");
    let unchanged = if has_changed { "" } else { ", unchanged" };
    text += &format!("{}: {servers}, {tools}{unchanged}\n", out.display());
    output::text(&text)?;
    if !existed {
        let is_beside = manifest_around(out).map(|_| out.with_file_name("Cargo.toml").exists());
        output::note(match is_beside {
            Some(true) => {
                "the file is new: compile the package anew once, for example after `touch src/lib.rs`; later changes are seen"
            }
            Some(false) => {
                "there is no `Cargo.toml` beside the file: the compiler reads it in the folder of the package"
            }
            None => "`check` looks in the file for the tools that cards name",
        });
    }
    Ok(ExitCode::SUCCESS)
}
