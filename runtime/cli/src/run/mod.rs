//! `run` runs an agent and prints its answer.

mod input;
mod printer;

use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

use clap::Args;
use onionskin_core::declaration::AppBuilder;
use onionskin_core::question::{Paused, Question, QuestionKind};
use onionskin_core::text::folded_json;
use onionskin_core::{App, RunError};

use crate::agents::{self, AgentArguments};
use crate::failure::Failure;
use crate::model::ModelArguments;
use crate::program::Program;
use crate::questions::{self, Person};
use crate::signals::until_signal;
use crate::text;
use printer::{RunPrinter, RunResult};

/// The characters of a call that waits for an answer.
const CALL: usize = 300;

pub(crate) const ABOUT: &str = "\
Run an agent, and print its answer.

In a terminal, the text of the agent is shown while the model writes it, and questions of tools and approvals are asked there. Elsewhere \
the answer alone is printed, at the end; a run that asks something ends then with an error that says which question is open.

Exit code: 0 with an answer, 2 after an error and with an open question, 130 after Ctrl-C, 143 after SIGTERM.";

pub(crate) const EXAMPLES: &str = "\
Examples:
  {program} run --card cards/helper.md \"What is 41 + 1?\"
  {program} run --card cards --agent Clerk - < question.txt
  {program} run --workflow workflows/Intake
  {program} run --card cards/helper.md --model script:script.yaml \"Hello\"
  {program} run --card cards/helper.md --model qwen3 --base-url http://127.0.0.1:8080/v1 \"Hello\"
  {program} run --card cards/helper.md --json \"Hello\" | jq 'select(.kind.type == \"tool_started\")'";

#[derive(Args)]
pub(crate) struct RunArguments {
    /// The input; `-` reads it from standard input, as does a pipe without it.
    ///
    /// Without any of them, it is the `initial_message` of the workflow.
    #[arg(value_name = "INPUT")]
    input: Option<String>,

    /// Print each event as a line of JSON, in place of the answer.
    ///
    /// An event has the fields `seq`, `agent`, `step` and `kind`; `kind.type` is its name, such as `tool_started`. The last event of a run
    /// with an answer is the `run_finished` of the agent that was asked.
    #[arg(long)]
    json: bool,

    /// Show the calls of tools on standard error.
    #[arg(long, short)]
    verbose: bool,

    #[command(flatten)]
    pub(crate) agents: AgentArguments,

    #[command(flatten)]
    model: ModelArguments,
}

pub(crate) async fn run(program: &Program, arguments: RunArguments) -> Result<ExitCode, Failure> {
    // With `-`, standard input has ended before a question comes.
    let has_person = arguments.input.as_deref() != Some(input::STANDARD);
    let asks = has_person && io::stdin().is_terminal() && io::stderr().is_terminal();
    let result = until_signal(async {
        let input = input::read(arguments.input).await?;
        let with = |app: AppBuilder| if asks { app.answerer(Person::default()) } else { app };
        let app = agents::app(program, &arguments.agents, &arguments.model, with).await?;
        let models = arguments.model.names(&app);
        let mut printer = RunPrinter::new(arguments.json, arguments.verbose);
        let result = match input::or_initial(input, &app, arguments.agents.workflow.is_some()) {
            Ok(input) => stream(&app, input, &mut printer).await,
            Err(failure) => Err(failure),
        };
        app.shutdown().await;
        Ok((printer.end(result?)?, models))
    });
    match result.await? {
        (Ok(_), _) => Ok(ExitCode::SUCCESS),
        (Err(RunError::Paused(paused)), _) => Err(Failure::new(waits(&paused))),
        (Err(error), models) => Err(Failure::new(models.describe(&error))),
    }
}

async fn stream(app: &App, input: String, printer: &mut RunPrinter) -> Result<RunResult, Failure> {
    let mut run = app.stream(input);
    while let Some(event) = run.next().await {
        printer.show(&event)?;
    }
    Ok(run.output().await)
}

/// The open questions of a run, for the error.
fn waits(paused: &Paused) -> String {
    let questions: Vec<_> = paused.questions().iter().map(question).collect();
    let (open, those) = match questions.len() {
        1 => ("a question is", "it"),
        _ => ("questions are", "them"),
    };
    format!(
        "the run waits, because {open} open:\n{}\nRun it in a terminal to answer {those}, or give the program an answerer",
        questions.join("\n")
    )
}

fn question(question: &Question) -> String {
    if questions::is_human(question) {
        return format!("  {}", questions::line(question));
    }
    let asks = match question.kind() {
        QuestionKind::Approval => "may this call run?".to_owned(),
        QuestionKind::External => "the call runs outside of the program".to_owned(),
        QuestionKind::Question | QuestionKind::Component(_) => {
            question.text().map_or_else(|| "asks".to_owned(), text::first_line)
        }
    };
    let call =
        format!("{} {}", text::first_line(question.tool_name()), folded_json(question.arguments(), CALL));
    format!("  {}: {call}: {asks}", text::first_line(&question.agents().join(" > ")))
}
