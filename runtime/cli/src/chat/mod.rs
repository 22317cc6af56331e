//! `chat` holds a conversation with an agent.

// `talk` is the loop: it reads lines with `input`, does what `command` makes of them, and runs the agent with `turn`, which shows the run
// through a `view`: at a terminal or as plain lines, from the `tree` of its agents and calls. `files` keeps conversations, `past` what they were before, and `stored` the last ones. `terminal`
// knows the outside, `watch` the files of the agent.

mod command;
#[cfg(test)]
mod events;
mod files;
mod input;
mod past;
mod stored;
mod talk;
mod terminal;
mod tree;
mod turn;
mod view;
mod watch;

use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

use clap::Args;
use onionskin_core::App;

use crate::agents::{self, AgentArguments};
use crate::failure::Failure;
use crate::log;
use crate::model::{ModelArguments, ModelNames};
use crate::program::Program;
use crate::questions::YesArgument;
use crate::sessions::SessionArguments;
use crate::signals::Signals;

use self::talk::Talk;
use self::terminal::Modes;
use self::watch::Watch;

pub(crate) const ABOUT: &str = "\
Talk with an agent.

At a terminal the answer is streamed, and below it the agents and their calls are shown as a tree, with times and tokens. \
Questions and approvals are asked in place. `/help` shows the commands of the chat. The up arrow brings the initial message of a workflow.

Without a terminal, each line of the input is one message to the agent or the answer to a question, and each change is one line of \
the output.

A changed card is loaded for the next input.

Ctrl-C cancels a run; the second one leaves, even if a tool blocks the program. `NO_COLOR` turns colours off.

Exit code: 0 if the chat was left, 2 if it could not begin, or without a terminal if a run failed or waits for an answer, 130 after \
Ctrl-C.";

pub(crate) const EXAMPLES: &str = "\
Examples:
  {program} chat --card cards/helper.md
  {program} chat --card cards/ --agent helper --model gpt-4o-mini
  {program} chat --card cards/helper.md --continue
  {program} chat --card cards/helper.md --session ticket-7
  {program} chat --workflow workflows/Intake
  echo \"What is 41 + 1?\" | {program} chat --card cards/helper.md";

#[derive(Args)]
pub(crate) struct ChatArguments {
    /// Go on with the last conversation with this agent in the working directory, and for this user.
    ///
    /// Chats at a terminal keep their conversation after each run, and so does a chat with this option.
    #[arg(long = "continue", short, conflicts_with = "session")]
    continues: bool,

    /// Write what hooks and scripts log to standard error, which is a file at a terminal: `2> log.txt`.
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

pub(crate) async fn run(program: &Program, arguments: ChatArguments) -> Result<ExitCode, Failure> {
    if arguments.verbose && io::stderr().is_terminal() {
        return Err(Failure::new(
            "the lines of `--verbose` would go into the conversation: send them to a file, `2> log.txt`",
        ));
    }
    // Set again at the end: a line may be edited still, on another thread.
    let modes = Modes::keep();
    let leave = Modes::keep();
    let mut signals = Signals::take(true, true, move || drop(leave));
    let source = Source { program, arguments: &arguments };
    let mut watch = Watch::new(program, &arguments.agents);
    let app = signals.until(source.app()).await?;
    if arguments.verbose {
        log::show();
    }
    let stored = signals.until(arguments.session.open(&app)).await?;
    let mut talk = Talk::begin(&source, app, stored, &mut watch, &mut signals)?;
    let done = talk.run().await;
    let app = talk.into_app();
    drop(modes);
    tokio::select! {
        // The servers are killed with the app.
        _ = signals.next() => {}
        () = app.shutdown() => {}
    }
    done
}

/// Where the agent of a chat comes from.
pub(crate) struct Source<'a> {
    program: &'a Program,
    arguments: &'a ChatArguments,
}

impl Source<'_> {
    /// Cancel safety: as [`agents::app`].
    async fn app(&self) -> Result<App, Failure> {
        let ChatArguments { agents, model, session, .. } = self.arguments;
        agents::app(self.program, agents, model, session, |app| app).await
    }

    fn models(&self, app: &App) -> ModelNames {
        self.arguments.model.names(app, &self.program.settings)
    }
}
