//! `check` shows the mistakes of cards, workflow folders and configurations of servers.

mod build;
mod cards;
mod find;
#[cfg(feature = "mcp")]
mod locks;
#[cfg(feature = "genai")]
mod models;
mod report;
#[cfg(feature = "mcp")]
mod servers;
mod times;
mod workflows;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::failure::{FOUND, Failure};
use crate::model::ModelArguments;
use crate::output;
use crate::package::PackageProgram;
use crate::program::Program;
use crate::signals::until_signal;
use crate::text;
use find::Paths;
use report::Report;

pub(crate) const ABOUT: &str = "\
Check cards, workflow folders and configurations of MCP servers, and show all mistakes at once, each with its file, line and column.

Items in Rust are looked for in the program. Scripts are read and checked, and not run. Tools of servers are looked for in the \
lock file beside the configuration, `onionskin-mcp.lock.json`, for the servers that it has. Nothing is started, unless with \
`--servers`. Without paths, the working directory is checked: its `.mcp.json`, its folder `cards`, the folders in `workflows`, \
and its own files that have a field of a card.

Exit code: 0 if nothing is wrong, 1 if there are problems, 2 after an error.";

pub(crate) const EXAMPLES: &str = "\
Examples:
  {program} check                             the working directory
  {program} check cards workflows/Generator
  {program} check --servers                   also start the servers
  {program} check --json | jq '.[].message'";

#[derive(Args)]
pub(crate) struct CheckArguments {
    /// A card, a folder of cards, a workflow folder, a `.mcp.json`, or a folder that has them.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// As PATH: other commands name cards and workflow folders so.
    #[arg(long = "card", visible_aliases = ["agent-cards", "workflow"], value_name = "PATH")]
    named: Vec<PathBuf>,

    /// Print the problems as JSON, each with `level`, `file`, `line`, `column` and `message`.
    #[arg(long)]
    json: bool,

    /// Start the servers of the configurations, build the agents with them, and compare the servers with their lock file.
    #[cfg(feature = "mcp")]
    #[arg(long)]
    servers: bool,
}

pub(crate) async fn run(program: &Program, arguments: CheckArguments) -> Result<ExitCode, Failure> {
    let mut report = Report::default();
    let paths = [arguments.paths, arguments.named].concat();
    let found = Paths::find(&paths, &mut report);
    if found.is_empty() && report.is_empty() {
        return Err(Failure::new(
            "there is nothing to check here: name a card, a folder of cards, a workflow folder or a `.mcp.json`",
        ));
    }
    if let Err(failure) = ModelArguments::default().model(&program.settings) {
        report.add_line(failure.text());
    }
    let (mut agents, in_rust) = cards::check(program, &found.cards, &mut report);
    let workflows = workflows::check(program, &found.workflows, &mut agents, &mut report);
    times::check(&agents, &mut report);
    #[cfg(feature = "genai")]
    models::check(program, &agents, &mut report);
    let groups = build::groups(program, &found, &workflows);
    until_signal(async {
        #[cfg(feature = "skills")]
        build::skills(program, &agents, &mut report).await;
        #[cfg(feature = "mcp")]
        {
            let groups = arguments.servers.then_some(&*groups);
            servers::check(program, &found, &agents, groups, &mut report).await;
            if groups.is_some() {
                return Ok(());
            }
        }
        if report.problems() == 0 {
            build::check(program, &groups, &mut report).await;
        }
        Ok(())
    })
    .await?;
    report.show(arguments.json)?;
    if !arguments.json {
        output::aside(&summary(&found, &report));
        if let Some(program) = in_rust.as_ref().map(PackageProgram::around).transpose()?.flatten() {
            output::note(&format!(
                "the items in Rust are checked by the package's own program: {program} check"
            ));
        }
    }
    Ok(if report.problems() == 0 { ExitCode::SUCCESS } else { ExitCode::from(FOUND) })
}

fn summary(found: &Paths, report: &Report) -> String {
    let parts = [
        (found.cards.len(), "path of cards", "paths of cards"),
        (found.workflows.len(), "workflow", "workflows"),
        (found.configs.len(), "configuration of servers", "configurations of servers"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, several)| format!("{count} {}", if count == 1 { one } else { several }))
        .collect();
    let problems = match report.problems() {
        0 => "no problems".to_owned(),
        count => text::counted(count as u64, "problem"),
    };
    if parts.is_empty() { problems } else { format!("checked {}: {problems}", parts.join(", ")) }
}
