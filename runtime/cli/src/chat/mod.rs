//! `chat` holds a conversation with an agent.

// `talk` is the loop: it reads lines with `input`, does what `command` makes of them, and runs the agent with `turn`, which shows the run
// through a `view`: at a terminal or as plain lines, from the `tree` of its agents and calls. `files` keeps conversations. `terminal`
// knows the outside.

mod command;
#[cfg(test)]
mod events;
mod files;
mod input;
mod talk;
mod terminal;
mod tree;
mod turn;
mod view;

use std::process::ExitCode;

use clap::Args;

use crate::agents::{self, AgentArguments};
use crate::failure::Failure;
use crate::model::ModelArguments;
use crate::program::Program;
use crate::signals::Signals;

use self::talk::Talk;
use self::terminal::Modes;

pub(crate) const ABOUT: &str = "\
Talk with an agent.

At a terminal the answer is streamed, and below it the agents and their calls are shown as a tree, with times and tokens. \
Questions and approvals are asked in place. `/help` shows the commands of the chat. The up arrow brings the initial message of a workflow.

Without a terminal, each line of the input is one message to the agent or the answer to a question, and each change is one line of \
the output.

Ctrl-C cancels a run; the second one leaves, even if a tool blocks the program. `NO_COLOR` turns colours off.

Exit code: 0 if the chat was left, 2 if it could not begin, or without a terminal if a run failed or waits for an answer, 130 after \
Ctrl-C.";

pub(crate) const EXAMPLES: &str = "\
Examples:
  {program} chat --card cards/helper.md
  {program} chat --card cards/ --agent helper --model gpt-4o-mini
  {program} chat --workflow workflows/Intake
  echo \"What is 41 + 1?\" | {program} chat --card cards/helper.md";

#[derive(Args)]
pub(crate) struct ChatArguments {
    #[command(flatten)]
    pub(crate) agents: AgentArguments,

    #[command(flatten)]
    model: ModelArguments,
}

pub(crate) async fn run(program: &Program, arguments: ChatArguments) -> Result<ExitCode, Failure> {
    // Set again at the end: a line may be edited still, on another thread.
    let modes = Modes::keep();
    let leave = Modes::keep();
    let mut signals = Signals::take(true, move || drop(leave));
    let app = signals.until(agents::app(program, &arguments.agents, &arguments.model, |app| app)).await?;
    let models = arguments.model.names(&app);
    let done = match Talk::begin(app.entry().clone(), models, app.initial_message(), &mut signals) {
        Ok(talk) => talk.run().await,
        Err(failure) => Err(failure),
    };
    drop(modes);
    tokio::select! {
        // The servers are killed with the app.
        _ = signals.next() => {}
        () = app.shutdown() => {}
    }
    done
}
