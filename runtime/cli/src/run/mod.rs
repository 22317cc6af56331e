//! `run`.

use std::process::ExitCode;

use clap::Args;

use crate::agents::{self, AgentArguments};
use crate::failure::Failure;
use crate::model::ModelArguments;
use crate::output;
use crate::program::Program;
use crate::signals::until_signal;

pub(crate) const ABOUT: &str = "\
Run an agent, and print its answer.";

pub(crate) const EXAMPLES: &str = "\
Examples:
  {program} run --card cards/helper.md \"What is 41 + 1?\"";

#[derive(Args)]
pub(crate) struct RunArguments {
    /// The input.
    #[arg(value_name = "INPUT")]
    input: String,

    #[command(flatten)]
    agents: AgentArguments,

    #[command(flatten)]
    model: ModelArguments,
}

pub(crate) async fn run(program: &Program, arguments: RunArguments) -> Result<ExitCode, Failure> {
    until_signal(async {
        let app = agents::app(program, &arguments.agents, &arguments.model).await?;
        let answer = app.run(arguments.input).await;
        app.shutdown().await;
        output::text(&format!("{}\n", answer.map_err(Failure::new)?.text))?;
        Ok(ExitCode::SUCCESS)
    })
    .await
}
