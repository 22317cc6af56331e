//! `run` runs an agent and prints its answer.

mod input;
mod printer;

use std::io::{self, IsTerminal as _};
use std::pin::pin;
use std::process::ExitCode;

use clap::Args;
use onionskin_core::declaration::AppBuilder;
use onionskin_core::event::{CallOutcome, Event, EventKind};
use onionskin_core::question::{Paused, QuestionKind};
use onionskin_core::run::{RunRequest, RunStream};
use onionskin_core::{App, CancellationToken, RunError};

use crate::agents::{self, AgentArguments};
use crate::failure::Failure;
use crate::log;
use crate::model::ModelArguments;
use crate::output;
use crate::program::Program;
use crate::questions::{self, OpenQuestions, Person, Waiting, YesArgument};
use crate::sessions::SessionArguments;
use crate::signals::{INTERRUPT, Signals, last_work};
use crate::text;
use printer::{RunPrinter, RunResult};

pub(crate) const ABOUT: &str = "\
Run an agent, and print its answer.

In a terminal, the text of the agent is shown while the model writes it, and questions of tools and approvals are asked there. Elsewhere \
the answer alone is printed, at the end; a run that asks something ends then with an error that says which question is open and which tools had run.

With `--session` the conversation is stored. A run that asks something waits there: without an input, the next run of the session asks again.

Exit code: 0 with an answer, 2 after an error and with an open question, 129 if the terminal is closed where it can ask, 130 \
after Ctrl-C, 143 after SIGTERM.";

pub(crate) const EXAMPLES: &str = "\
Examples:
  {program} run --card cards/helper.md \"What is 41 + 1?\"
  {program} run --card cards --agent Clerk - < question.txt
  {program} run --workflow workflows/Intake
  {program} run --card cards/helper.md --session ticket-7 \"Hello\"
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
    session: SessionArguments,

    #[command(flatten)]
    model: ModelArguments,
}

pub(crate) async fn run(program: &Program, arguments: RunArguments) -> Result<ExitCode, Failure> {
    let RunArguments { input, json, verbose, yes, agents, session, model } = arguments;
    // With `-`, standard input has ended before a question comes.
    let has_person = input.as_deref() != Some(input::STANDARD);
    let asks = has_person && io::stdin().is_terminal() && io::stderr().is_terminal();
    let (token, leaves) = (CancellationToken::new(), CancellationToken::new());
    let open = OpenQuestions::default();
    let run = async {
        let input = input::read(input).await?;
        let (person, waiting) = Person::new(asks, yes, leaves.clone(), open.clone());
        let with = |app: AppBuilder| if asks || yes.yes { app.default_answerer(person) } else { app };
        let app = agents::app(program, &agents, &model, &session, with).await?;
        if verbose {
            log::show();
        }
        let models = model.names(&app, &program.settings);
        let mut printer = RunPrinter::new(json, verbose);
        let mut ran = Vec::new();
        let result = match request(program, &app, input, &agents, &session).await {
            Ok(request) => {
                let stream = request.cancellation(token.clone()).stream();
                show(stream, session.id(), &mut printer, &mut ran, waiting, &open).await
            }
            Err(failure) => Err(failure),
        };
        app.shutdown().await;
        Ok((printer.end(result?)?, models, ran))
    };
    // A stored session gets the end of its run before the program ends.
    let mut signals = Signals::take(false, asks, || ());
    let mut run = pin!(run);
    let result = tokio::select! {
        biased;
        signal = signals.next() => {
            if session.id().is_some() {
                let has_question = signal != INTERRUPT && open.is_any();
                if has_question {
                    leaves.cancel();
                }
                last_work(run, has_question, &token).await;
            }
            return Err(Failure::interrupted(signal));
        }
        result = &mut run => result,
    };
    match result? {
        (Ok(_), ..) => Ok(ExitCode::SUCCESS),
        (Err(RunError::Paused(paused)), _, ran) => Err(Failure::new(match session.id() {
            Some(id) => waits(&paused, id),
            None => unanswered(&paused, &ran),
        })),
        (Err(error), models, _) => Err(Failure::new(models.describe(&error))),
    }
}

/// The request of the run: it continues the run that waits in the session, if there is no input.
async fn request(
    program: &Program,
    app: &App,
    input: Option<String>,
    agents: &AgentArguments,
    session: &SessionArguments,
) -> Result<RunRequest, Failure> {
    let is_workflow = agents.workflow.is_some();
    let Some(stored) = session.open(app).await? else {
        let request = app.request(input::or_initial(input, app.initial_message(), is_workflow)?);
        return Ok(session.for_user(request));
    };
    if let Some(note) = session.note_of_new(program, &stored) {
        output::aside(&note);
    }
    let request = match (stored.paused(), input) {
        (Some(paused), None) => app.resume(&paused),
        (_, input) => {
            let initial = app.initial_message().filter(|_| stored.history().is_empty());
            app.request(input::or_initial(input, initial, is_workflow)?)
        }
    };
    Ok(session.continues(request, &stored))
}

/// Shows a run until it ends. A question waits until the events that led to it are shown. `ran` gets the tools of the calls that ran, each once.
async fn show(
    mut run: RunStream,
    session: Option<&str>,
    printer: &mut RunPrinter,
    ran: &mut Vec<String>,
    mut waiting: Waiting,
    open: &OpenQuestions,
) -> Result<RunResult, Failure> {
    let first = match session {
        Some(id) => output::with_notice(&format!("waiting for the session `{id}` .."), run.next()).await,
        None => run.next().await,
    };
    let (mut next, mut shown) = (first, Ok(()));
    let mut unanswered = Vec::new();
    loop {
        match next {
            Some(event) => {
                if let Some(tool) =
                    tool_that_ran(&event).filter(|tool| !ran.iter().any(|other| other == tool))
                {
                    ran.push(tool.to_owned());
                }
                if let EventKind::ToolFinished { outcome: CallOutcome::Paused, .. } = &event.kind {
                    unanswered.push(open.begin());
                }
                match printer.show(&event) {
                    // A run that is stored goes on to its end, also without a terminal.
                    Err(failure) if session.is_some() => shown = Err(failure),
                    now => now?,
                }
            }
            None => {
                let result = run.output().await;
                return shown.map(|()| result);
            }
        }
        next = loop {
            tokio::select! {
                biased;
                event = run.next() => break event,
                Some(question) = waiting.recv() => drop(question),
            }
        };
    }
}

/// The tool of a call that has ended, and was not answered by a hook or a person in its place.
fn tool_that_ran(event: &Event) -> Option<&str> {
    let EventKind::ToolFinished { tool, attempts: 1.., outcome, .. } = &event.kind else { return None };
    (*outcome != CallOutcome::Paused).then_some(&**tool)
}

/// What a run waits for in its stored session, for the error.
fn waits(paused: &Paused, session: &str) -> String {
    let (them, or) = (them(paused), or_yes(paused));
    format!(
        "the session `{session}` waits for answers:\n{}\nThe run is stored. To continue it, answer {them} in a terminal: \
         `run --session` without an input asks again{or}",
        questions::open(paused)
    )
}

/// What is known of a run that ended with open questions, for the error.
fn unanswered(paused: &Paused, ran: &[String]) -> String {
    let these = match paused.questions().len() {
        1 => "this question was",
        _ => "these questions were",
    };
    let ran = match ran {
        [] => "No call had run.".to_owned(),
        tools => format!("Calls of these tools had run: {}.", text::quoted(tools.iter().map(String::as_str))),
    };
    let (them, or) = (them(paused), or_yes(paused));
    format!(
        "the run has ended without an answer of the agent, because {these} not answered:\n{}\n{ran} To run it anew, answer {them} in a \
         terminal{or}",
        questions::open(paused)
    )
}

/// The word for the questions.
fn them(paused: &Paused) -> &'static str {
    if paused.questions().len() == 1 { "it" } else { "them" }
}

/// The option that answers the questions, if there is one.
fn or_yes(paused: &Paused) -> &'static str {
    let are_approvals = paused.questions().iter().all(|question| *question.kind() == QuestionKind::Approval);
    if are_approvals { ", or allow the calls with `--yes`" } else { "" }
}
