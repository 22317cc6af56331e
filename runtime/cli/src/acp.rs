//! `acp` serves an agent to an editor.

use std::pin::pin;
use std::process::ExitCode;

use clap::Args;
use onionskin_acp::AcpServer;
use onionskin_core::CancellationToken;

use crate::agents::{self, AgentArguments};
use crate::failure::Failure;
use crate::log;
use crate::model::ModelArguments;
use crate::program::Program;
use crate::sessions::ServedSessions;
use crate::signals::{Signals, last_work};

pub(crate) const ABOUT: &str = "\
Serve an agent to an editor, over the Agent Client Protocol.

The editor starts this command, writes to its standard input and reads its standard output. It shows the text of the agent, its calls and \
its questions, and asks for approval. Conversations are stored, so the editor can list and continue them.

The built-in tools use the folder in which the command was started, or the one of `--root`.

Exit code: 0 when the editor has closed standard input, 2 after an error, 130 after Ctrl-C, 143 after SIGTERM.";

pub(crate) const EXAMPLES: &str = "\
Examples:
  {program} acp --card cards/helper.md
  {program} acp --card cards --agent Clerk --model gpt-4o-mini
  {program} acp --card cards/helper.md --sessions conversations.db";

#[derive(Args)]
pub(crate) struct AcpArguments {
    /// Show warnings, and what hooks and scripts log, on standard error.
    #[arg(long, short)]
    verbose: bool,

    #[command(flatten)]
    pub(crate) agents: AgentArguments,

    #[command(flatten)]
    sessions: ServedSessions,

    #[command(flatten)]
    model: ModelArguments,
}

pub(crate) async fn run(program: &Program, arguments: AcpArguments) -> Result<ExitCode, Failure> {
    let AcpArguments { verbose, agents, sessions, model } = arguments;
    let session = sessions.into_arguments();
    let token = CancellationToken::new();
    let serve = async {
        let app = agents::app(program, &agents, &model, &session, |app| app).await?;
        if verbose {
            log::show();
        }
        let server = AcpServer::new(app.entry()).cancellation(token.clone());
        let server = match session.user() {
            Some(user) => server.user(user),
            None => server,
        };
        let served = server.serve_stdio().await;
        app.shutdown().await;
        served.map_err(Failure::new)
    };
    let mut signals = Signals::take(false, false, || ());
    let mut serve = pin!(serve);
    tokio::select! {
        biased;
        signal = signals.next() => {
            // Runs in stored sessions write their end.
            last_work(serve, false, &token).await;
            Err(Failure::interrupted(signal))
        }
        served = &mut serve => served.map(|()| ExitCode::SUCCESS),
    }
}
