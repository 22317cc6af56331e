//! `run` runs an agent and prints its answer.

mod input;
mod printer;

use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

use clap::Args;
use onionskin_core::declaration::AppBuilder;
use onionskin_core::event::{CallOutcome, Event, EventKind};
use onionskin_core::question::{Paused, Question, QuestionKind};
use onionskin_core::text::folded_json;
use onionskin_core::{App, RunError};

use crate::agents::{self, AgentArguments};
use crate::failure::Failure;
use crate::log;
use crate::model::ModelArguments;
use crate::program::Program;
use crate::questions::{self, Person, Waiting, YesArgument};
use crate::signals::until_signal;
use crate::text;
use printer::{RunPrinter, RunResult};

/// The characters of a call that waits for an answer.
const CALL: usize = 300;

pub(crate) const ABOUT: &str = "\
Run an agent, and print its answer.

In a terminal, the text of the agent is shown while the model writes it, and questions of tools and approvals are asked there. Elsewhere \
the answer alone is printed, at the end; a run that asks something ends then with an error that says which question is open and which tools had run.

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

    /// Show the calls of tools on standard error, and what hooks and scripts log.
    #[arg(long, short)]
    verbose: bool,

    #[command(flatten)]
    yes: YesArgument,

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
        let (person, waiting) = Person::new(asks, arguments.yes);
        let with =
            |app: AppBuilder| if asks || arguments.yes.yes { app.default_answerer(person) } else { app };
        let app = agents::app(program, &arguments.agents, &arguments.model, with).await?;
        if arguments.verbose {
            log::show();
        }
        let models = arguments.model.names(&app, &program.settings);
        let mut printer = RunPrinter::new(arguments.json, arguments.verbose);
        let mut ran = Vec::new();
        let result = match input::or_initial(input, &app, arguments.agents.workflow.is_some()) {
            Ok(input) => stream(&app, input, &mut printer, &mut ran, waiting).await,
            Err(failure) => Err(failure),
        };
        app.shutdown().await;
        Ok((printer.end(result?)?, models, ran))
    });
    match result.await? {
        (Ok(_), ..) => Ok(ExitCode::SUCCESS),
        (Err(RunError::Paused(paused)), _, ran) => Err(Failure::new(unanswered(&paused, &ran))),
        (Err(error), models, _) => Err(Failure::new(models.describe(&error))),
    }
}

/// Runs the agent. A question waits until the events that led to it are shown. `ran` gets the tools of the calls that ran, each once.
async fn stream(
    app: &App,
    input: String,
    printer: &mut RunPrinter,
    ran: &mut Vec<String>,
    mut waiting: Waiting,
) -> Result<RunResult, Failure> {
    let mut run = app.stream(input);
    loop {
        tokio::select! {
            biased;
            event = run.next() => match event {
                Some(event) => {
                    if let Some(tool) = tool_that_ran(&event).filter(|tool| !ran.iter().any(|other| other == tool)) {
                        ran.push(tool.to_owned());
                    }
                    printer.show(&event)?;
                }
                None => return Ok(run.output().await),
            },
            Some(question) = waiting.recv() => drop(question),
        }
    }
}

/// The tool of a call that has ended, and was not answered by a hook or a person in its place.
fn tool_that_ran(event: &Event) -> Option<&str> {
    let EventKind::ToolFinished { tool, attempts: 1.., outcome, .. } = &event.kind else { return None };
    (*outcome != CallOutcome::Paused).then_some(&**tool)
}

/// What is known of a run that ended with open questions, for the error.
fn unanswered(paused: &Paused, ran: &[String]) -> String {
    let questions: Vec<_> = paused.questions().iter().map(question).collect();
    let (these, them) = match questions.len() {
        1 => ("this question was", "it"),
        _ => ("these questions were", "them"),
    };
    let ran = match ran {
        [] => "No call had run.".to_owned(),
        tools => format!("Calls of these tools had run: {}.", text::quoted(tools.iter().map(String::as_str))),
    };
    let are_approvals = paused.questions().iter().all(|question| *question.kind() == QuestionKind::Approval);
    let or = if are_approvals { ", or allow the calls with `--yes`" } else { "" };
    format!(
        "the run has ended without an answer of the agent, because {these} not answered:\n{}\n{ran} To run it anew, answer {them} in a \
         terminal{or}",
        questions.join("\n")
    )
}

fn question(question: &Question) -> String {
    if questions::is_human(question) {
        return format!("  {}", questions::line(question));
    }
    let asks = match question.kind() {
        QuestionKind::Approval => {
            question.text().map_or_else(|| "may this call run?".to_owned(), text::first_line)
        }
        QuestionKind::External => "the call runs outside of the program".to_owned(),
        QuestionKind::Question | QuestionKind::Component(_) => {
            question.text().map_or_else(|| "asks".to_owned(), text::first_line)
        }
    };
    let call =
        format!("{} {}", text::first_line(question.tool_name()), folded_json(question.arguments(), CALL));
    format!("  {}: {call}: {asks}", text::first_line(&question.agents().join(" > ")))
}
