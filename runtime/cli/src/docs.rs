//! `docs` and `graph` print pages of the agents.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::agents::{self, AgentArguments};
use crate::failure::Failure;
use crate::output;
use crate::program::Program;
use crate::signals::until_signal;

pub(crate) const DOCS: &str = "\
Print a reference of the agents in Markdown: their tools with schemas, the hooks around each tool, and a graph of all.

The servers of the agents are started, and their tools listed. No model is asked.

Exit code: 0 if all is well, 2 after an error.";

pub(crate) const DOCS_EXAMPLES: &str = "\
Examples:
  {program} docs --card cards
  {program} docs --card cards --out docs/agents.md
  {program} docs --workflow workflows/Intake --out docs/intake.md";

pub(crate) const GRAPH: &str = "\
Print a graph of the agents, their tools and their servers, for Mermaid.

The servers of the agents are started, and their tools listed. No model is asked.

Exit code: 0 if all is well, 2 after an error.";

pub(crate) const GRAPH_EXAMPLES: &str = "\
Examples:
  {program} graph --card cards > agents.mmd
  {program} graph --workflow workflows/Intake > intake.mmd";

#[derive(Args)]
pub(crate) struct PageArguments {
    /// Write the page to this file, in place of standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) agents: AgentArguments,
}

/// A page of the agents.
#[derive(Clone, Copy)]
pub(crate) enum Page {
    Markdown,
    Mermaid,
}

pub(crate) async fn run(
    program: &Program,
    page: Page,
    arguments: PageArguments,
) -> Result<ExitCode, Failure> {
    let description = until_signal(agents::description(program, &arguments.agents)).await?;
    let mut text = match page {
        Page::Markdown => description.to_markdown(),
        Page::Mermaid => description.to_mermaid(),
    };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    match arguments.out {
        None => output::text(&text)?,
        Some(file) => fs::write(&file, text)
            .map_err(|error| Failure::new(format!("cannot write `{}`: {error}", file.display())))?,
    }
    Ok(ExitCode::SUCCESS)
}
