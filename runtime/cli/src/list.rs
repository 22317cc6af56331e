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
Show the agents, each with its tools, where they come from, whether a person can be asked before a call (`approval`), and its hooks. The \
first agent is the one that `run` asks.

The servers of the agents are started, and their tools listed. No model is asked.

Exit code: 0 if all is well, 2 after an error.";

pub(crate) const EXAMPLES: &str = "\
Examples:
  {program} list --card cards
  {program} list --workflow workflows/Intake
  {program} list --card cards/pmo.md --json | jq '.agents[].tools[].name'";

/// A hook around more tools, and not around all, has their number in place of their names.
const MOST_NAMES: usize = 3;

#[derive(Args)]
pub(crate) struct ListArguments {
    #[command(flatten)]
    pub(crate) agents: AgentArguments,

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
    let of_kinds = [
        ("tool hooks", tool_hooks(&agent.tools)),
        ("run hooks", hook_names(&agent.run_hooks)),
        ("turn hooks", hook_names(&agent.turn_hooks)),
        ("message hooks", hook_names(&agent.message_hooks)),
    ];
    for (kind, hooks) in of_kinds {
        if !hooks.is_empty() {
            lines += &format!("  {kind}: {}\n", hooks.join(", "));
        }
    }
    lines
}

fn hook_names(hooks: &[String]) -> Vec<String> {
    hooks.iter().map(|name| text::first_line(name)).collect()
}

/// The hooks around the tools, the outermost first. One that is not around all of them has their names.
fn tool_hooks(tools: &[ToolDescription]) -> Vec<String> {
    let shown = |hook: &String| {
        let around: Vec<_> = tools.iter().filter(|tool| tool.hooks.contains(hook)).collect();
        let tools = match around.len() {
            all if all == tools.len() => String::new(),
            few @ ..=MOST_NAMES => {
                let names: Vec<_> = around[..few].iter().map(|tool| text::first_line(&tool.name)).collect();
                format!(" for {}", names.join(" and "))
            }
            many => format!(" for {many} of {} tools", tools.len()),
        };
        format!("{}{tools}", text::first_line(hook))
    };
    in_order(tools).into_iter().map(shown).collect()
}

/// The hooks of all tools, each once. Those of a tool keep their order.
fn in_order(tools: &[ToolDescription]) -> Vec<&String> {
    let mut left: Vec<&String> = Vec::new();
    for hook in tools.iter().flat_map(|tool| &tool.hooks) {
        if !left.contains(&hook) {
            left.push(hook);
        }
    }
    let mut ordered = Vec::new();
    while !left.is_empty() {
        let has_one_outside = |hook: &String| {
            tools.iter().filter(|tool| tool.hooks.contains(hook)).any(|tool| {
                tool.hooks.iter().take_while(|other| *other != hook).any(|other| left.contains(&other))
            })
        };
        // The same hook can be around a tool twice, so that two of them are outside of each other.
        let next = left.iter().position(|hook| !has_one_outside(hook)).unwrap_or_default();
        ordered.push(left.remove(next));
    }
    ordered
}

/// Its name, its source with the word `approval` if a person can be asked before a call, and the first line of its description.
fn tool(tool: &ToolDescription) -> [String; 3] {
    let mut source = match &tool.server {
        Some(server) => format!("{} {}", tool.source, text::first_line(server)),
        None => tool.source.to_string(),
    };
    if tool.approval {
        source += ", approval";
    }
    [text::first_line(&tool.name), source, text::first_line(&tool.description)]
}
