//! `docs` and `graph` print pages of the agents.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
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
    /// Write the page to this file, in place of standard output. A file that this command did not write is not replaced.
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
        Some(file) => write(&file, page, &text)?,
    }
    Ok(ExitCode::SUCCESS)
}

impl Page {
    /// The first line of a file, by which a later run knows it.
    const fn mark(self) -> &'static str {
        match self {
            Self::Markdown => "<!-- Written by the command `docs`: changes are lost with its next run. -->",
            Self::Mermaid => "%% Written by the command `graph`: changes are lost with its next run.",
        }
    }
}

/// Writes a page to a file that does not exist, or that this command wrote.
fn write(file: &Path, page: Page, text: &str) -> Result<(), Failure> {
    let failed = |error: io::Error| Failure::new(format!("cannot write `{}`: {error}", file.display()));
    let mark = page.mark();
    match File::open(file) {
        Ok(known) => {
            let mut begin = Vec::new();
            known.take(mark.len() as u64).read_to_end(&mut begin).map_err(failed)?;
            if begin != mark.as_bytes() {
                return Err(Failure::new(format!(
                    "this command did not write `{}`, and does not replace it: remove it, or name another file",
                    file.display()
                )));
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    fs::write(file, format!("{mark}\n\n{text}")).map_err(failed)
}
