//! `onionskin mcp lock`.

use std::path::Path;
use std::process::ExitCode;

use onionskin_mcp::snapshot::Snapshot;

use super::LockArguments;
use super::servers::take;
use crate::failure::{FOUND, Failure};
use crate::output;

pub(crate) async fn run(arguments: LockArguments) -> Result<ExitCode, Failure> {
    let LockArguments { of, out, check } = arguments;
    let exists = out.exists();
    // Servers are not started for a comparison that cannot be made.
    let is_read = check || (exists && !of.servers.is_empty());
    let before = if is_read { Some(Snapshot::read(&out).map_err(Failure::new)?) } else { None };
    let mut now = take(&of).await?;
    if check {
        let mut before = before.unwrap_or_default();
        before.retain(|name| of.servers.is_empty() || of.servers.iter().any(|server| server == name));
        return compare(&before, &now, &out);
    }
    if let Some(mut kept) = before {
        kept.extend(now);
        now = kept;
    }
    write(&now, &out, exists)
}

fn compare(before: &Snapshot, now: &Snapshot, out: &Path) -> Result<ExitCode, Failure> {
    let drift = before.drift(now);
    if drift.is_empty() {
        output::text(&format!("{}: up to date\n", out.display()))?;
        return Ok(ExitCode::SUCCESS);
    }
    output::text(&format!("{drift}\n"))?;
    output::error(&format!(
        "the servers differ from `{}`: run `onionskin mcp lock` to update it",
        out.display()
    ));
    Ok(ExitCode::from(FOUND))
}

fn write(now: &Snapshot, out: &Path, existed: bool) -> Result<ExitCode, Failure> {
    let before = if existed { Snapshot::read(out).ok() } else { None };
    let is_new = now.write(out).map_err(Failure::new)?;
    let drift = before.map(|before| before.drift(now)).unwrap_or_default();
    let mut text = String::new();
    for (servers, what) in [(drift.added(), "added"), (drift.removed(), "removed")] {
        text.extend(servers.iter().map(|server| format!("`{}`: {what}\n", output::line(server))));
    }
    text.extend(drift.servers().iter().map(|server| format!("{server}\n")));
    let tools: usize = now.servers().filter_map(|server| now.tools(server)).map(<[_]>::len).sum();
    let servers = output::counted(now.servers().count(), "server");
    let tools = output::counted(tools, "tool");
    let unchanged = if is_new { "" } else { ", unchanged" };
    text += &format!("{}: {servers}, {tools}{unchanged}\n", out.display());
    output::text(&text)?;
    if !existed {
        let folder = out.parent().unwrap_or(Path::new(""));
        if !folder.join("Cargo.toml").exists() {
            output::note(
                "there is no `Cargo.toml` beside the file: the compiler reads it in the folder of the package",
            );
        }
        output::note(
            "the file is new: compile the package anew once, for example after `touch src/lib.rs`; later changes are seen",
        );
    }
    Ok(ExitCode::SUCCESS)
}
