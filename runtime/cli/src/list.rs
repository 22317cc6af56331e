//! `list` shows the agents with their tools and hooks.

use std::process::ExitCode;

use clap::Args;
use onionskin_core::declaration::{AgentDescription, ToolDescription};

use crate::agents::{self, AgentArguments};
use crate::failure::Failure;
use crate::output;
use crate::program::Program;
use crate::signals::until_signal;
use crate::text;

pub(crate) const ABOUT: &str = "\
Show the agents, each with its tools, where they come from, and its hooks. The first agent is the one that `run` asks.

The servers of the agents are started, and their tools listed. No model is asked.

Exit code: 0 if all is well, 2 after an error.";

pub(crate) const EXAMPLES: &str = "\
Examples:
  {program} list --card cards
  {program} list --workflow workflows/Intake
  {program} list --card cards/pmo.md --json | jq '.agents[].tools[].name'";

#[derive(Args)]
pub(crate) struct ListArguments {
    #[command(flatten)]
    agents: AgentArguments,

    /// Print JSON, with whole descriptions and schemas.
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(program: &Program, arguments: ListArguments) -> Result<ExitCode, Failure> {
    let shown = until_signal(agents::description(program, &arguments.agents)).await?;
    if arguments.json {
        output::json(&shown)?;
    } else {
        let agents: Vec<String> = shown.agents.iter().map(agent).collect();
        output::text(&agents.join("\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn agent(agent: &AgentDescription) -> String {
    let mut lines = text::first_line(&agent.name);
    if let Some(description) = &agent.description {
        lines += &format!(": {}", text::first_line(description));
    }
    lines.push('\n');
    let rows: Vec<[String; 3]> = agent.tools.iter().map(tool).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let (names, sources) = (width(0), width(1));
    for [name, source, description] in &rows {
        let row = format!("  {name:names$}  {source:sources$}  {description}");
        lines += row.trim_end();
        lines.push('\n');
    }
    let hooks =
        agent.tools.iter().flat_map(|tool| &tool.hooks).fold(Vec::new(), |mut known: Vec<&String>, hook| {
            if !known.contains(&hook) {
                known.push(hook);
            }
            known
        });
    let of_kinds = [
        ("tool hooks", hooks),
        ("run hooks", agent.run_hooks.iter().collect()),
        ("turn hooks", agent.turn_hooks.iter().collect()),
        ("message hooks", agent.message_hooks.iter().collect()),
    ];
    for (kind, hooks) in of_kinds {
        if !hooks.is_empty() {
            let names: Vec<_> = hooks.into_iter().map(|name| text::first_line(name)).collect();
            lines += &format!("  {kind}: {}\n", names.join(", "));
        }
    }
    lines
}

/// Its name, its source, and the first line of its description.
fn tool(tool: &ToolDescription) -> [String; 3] {
    let source = match &tool.server {
        Some(server) => format!("{} {}", tool.source, text::first_line(server)),
        None => tool.source.to_string(),
    };
    [text::first_line(&tool.name), source, text::first_line(&tool.description)]
}
