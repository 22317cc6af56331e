//! `sessions` shows and changes stored sessions.

mod change;
mod delete;
mod list;
mod show;
mod store;
mod words;

use std::process::ExitCode;

use clap::Subcommand;

#[cfg(feature = "acp")]
pub(crate) use store::ServedSessions;
pub(crate) use store::SessionArguments;
#[cfg(feature = "serve")]
pub(crate) use store::StoreArguments;
#[cfg(feature = "sqlite")]
pub(crate) use store::default_file;
pub(crate) use words::session_error;

use self::change::{ExportArguments, ForkArguments, ImportArguments, RewindArguments};
use self::delete::DeleteArguments;
use self::list::ListArguments;
use self::show::ShowArguments;
use crate::failure::Failure;
use crate::program::Program;
use crate::signals::until_signal;

#[derive(Subcommand)]
pub(crate) enum SessionsCommand {
    /// List stored sessions, the most recently changed ones first.
    #[command(long_about = list::ABOUT, after_long_help = list::EXAMPLES)]
    List(ListArguments),
    /// Show a session: its messages, its tokens, and whether it waits for answers.
    #[command(long_about = show::ABOUT, after_long_help = show::EXAMPLES)]
    Show(ShowArguments),
    /// Begin a new session with the first messages of another one.
    #[command(long_about = change::FORK, after_long_help = change::FORK_EXAMPLES)]
    Fork(ForkArguments),
    /// Return a session to its first messages.
    #[command(long_about = change::REWIND, after_long_help = change::REWIND_EXAMPLES)]
    Rewind(RewindArguments),
    /// Print a session as JSON.
    #[command(long_about = change::EXPORT, after_long_help = change::EXPORT_EXAMPLES)]
    Export(ExportArguments),
    /// Make a session of an export.
    #[command(long_about = change::IMPORT, after_long_help = change::IMPORT_EXAMPLES)]
    Import(ImportArguments),
    /// Delete sessions for good.
    #[command(long_about = delete::ABOUT, after_long_help = delete::EXAMPLES)]
    Delete(DeleteArguments),
}

pub(crate) async fn run(program: &Program, command: SessionsCommand) -> Result<ExitCode, Failure> {
    until_signal(async {
        match command {
            SessionsCommand::List(arguments) => list::run(program, arguments).await,
            SessionsCommand::Show(arguments) => show::run(program, arguments).await,
            SessionsCommand::Fork(arguments) => change::fork(program, arguments).await,
            SessionsCommand::Rewind(arguments) => change::rewind(program, arguments).await,
            SessionsCommand::Export(arguments) => change::export(program, arguments).await,
            SessionsCommand::Import(arguments) => change::import(program, arguments).await,
            SessionsCommand::Delete(arguments) => delete::run(program, arguments).await,
        }
    })
    .await?;
    Ok(ExitCode::SUCCESS)
}
