//! `mcp list` shows servers and their tools.

use std::process::ExitCode;

use onionskin_mcp::snapshot::{Snapshot, SnapshotTool};
use serde_json::{Map, json};

use super::arguments::ListArguments;
use super::servers::take;
use crate::failure::Failure;
use crate::output;
use crate::program::Program;
use crate::text;

pub(crate) async fn run(program: &Program, arguments: ListArguments) -> Result<ExitCode, Failure> {
    let offered = take(program, &arguments.of).await?;
    let snapshot = &offered.snapshot;
    if snapshot.servers().next().is_some() || offered.failed.is_empty() {
        output::text(&if arguments.json { as_json(snapshot) } else { as_table(snapshot) })?;
    }
    offered.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// A line for each server and, below it, one for each tool.
fn as_table(snapshot: &Snapshot) -> String {
    let mut table = String::new();
    for server in snapshot.servers() {
        let tools = snapshot.tools(server).unwrap_or_default();
        if !table.is_empty() {
            table.push('\n');
        }
        table += &format!("{}: {}\n", text::first_line(server), text::counted(tools.len() as u64, "tool"));
        let names: Vec<_> = tools.iter().map(|tool| text::first_line(tool.name())).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or_default();
        for (name, tool) in names.iter().zip(tools) {
            let row = format!("  {name:width$}  {}", text::first_line(tool.description()));
            table += row.trim_end();
            table.push('\n');
        }
    }
    table
}

fn as_json(snapshot: &Snapshot) -> String {
    let server = |server: &str| {
        let tools: Vec<_> =
            snapshot.tools(server).unwrap_or_default().iter().map(SnapshotTool::fields).collect();
        (server.to_owned(), json!({ "tools": tools }))
    };
    let servers: Map<_, _> = snapshot.servers().map(server).collect();
    format!("{:#}\n", json!({ "servers": servers }))
}
