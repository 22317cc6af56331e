//! `sessions fork`, `rewind`, `export` and `import`.

use std::io;
use std::path::PathBuf;

use clap::Args;
use onionskin_core::sessions::{SessionExport, SessionStoreError};

use super::store::StoreArguments;
use crate::failure::Failure;
use crate::output;
use crate::program::Program;
use crate::read::{LARGEST_SESSION, size, text_of};
use crate::text;
use crate::write::{Readers, write};

pub(super) const FORK: &str = "\
Begin a new session with the first messages of another one, and with the values and states that it had then. The other one stays as it is.

Exit code: 0 if all is well, 2 after an error.";

pub(super) const FORK_EXAMPLES: &str = "\
Examples:
  {program} sessions fork ticket-7 ticket-7-other --at 4
  {program} run --session ticket-7-other \"And in blue?\"";

pub(super) const REWIND: &str = "\
Return a session to its first messages, with the values and states that it had then. A run that waits for answers is given up. What tools \
did stays done. The later messages stay in the file, and `list --search` finds them, until the session is deleted.

Exit code: 0 if all is well, 2 after an error, also while a run of the session is in progress.";

pub(super) const REWIND_EXAMPLES: &str = "\
Examples:
  {program} sessions show ticket-7
  {program} sessions rewind ticket-7 --to 4";

pub(super) const EXPORT: &str = "\
Print a session with all that is stored of it, as JSON. `sessions import` makes a session of it, also elsewhere.

Exit code: 0 if all is well, 2 after an error.";

pub(super) const EXPORT_EXAMPLES: &str = "\
Examples:
  {program} sessions export ticket-7 > ticket-7.json
  {program} sessions export ticket-7 --out ticket-7.json";

pub(super) const IMPORT: &str = "\
Make a session of an export of at most 64 MiB. No session may have its id yet. If a run waits in the export for answers, it is given up: its \
messages are there, and the answers are not asked for.

Exit code: 0 if all is well, 2 after an error.";

pub(super) const IMPORT_EXAMPLES: &str = "\
Examples:
  {program} sessions import ticket-7.json ticket-7
  {program} sessions import ticket-7.json ticket-7 --sessions other.db";

#[derive(Args)]
pub(crate) struct ForkArguments {
    /// The id of the session.
    #[arg(value_name = "ID")]
    id: String,

    /// The id of the new session.
    #[arg(value_name = "NEW")]
    new: String,

    /// The number of messages that the new session begins with. Without it, these are all.
    #[arg(long, value_name = "NUMBER", value_parser = number, allow_hyphen_values = true)]
    at: Option<usize>,

    #[command(flatten)]
    store: StoreArguments,
}

#[derive(Args)]
pub(crate) struct RewindArguments {
    /// The id of the session.
    #[arg(value_name = "ID")]
    id: String,

    /// The number of messages that stay.
    #[arg(long, value_name = "NUMBER", value_parser = number, allow_hyphen_values = true)]
    to: usize,

    #[command(flatten)]
    store: StoreArguments,
}

#[derive(Args)]
pub(crate) struct ExportArguments {
    /// The id of the session.
    #[arg(value_name = "ID")]
    id: String,

    /// Write this file, which must not exist, in place of standard output. Others cannot read it.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    #[command(flatten)]
    store: StoreArguments,
}

#[derive(Args)]
pub(crate) struct ImportArguments {
    /// The file that `export` wrote.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The id of the new session.
    #[arg(value_name = "ID")]
    id: String,

    #[command(flatten)]
    store: StoreArguments,
}

pub(super) async fn fork(program: &Program, arguments: ForkArguments) -> Result<(), Failure> {
    let ForkArguments { id, new, at, store } = arguments;
    let sessions = store.sessions(program, false).await?;
    let forked = async {
        let messages = match at {
            Some(messages) => messages,
            None => sessions.read(&id).await?.content.history().len(),
        };
        sessions.fork(&id, &new, messages).await.map(|()| messages)
    };
    done(&new, forked.await.map_err(|error| sessions.failure(error))?)
}

pub(super) async fn rewind(program: &Program, arguments: RewindArguments) -> Result<(), Failure> {
    let RewindArguments { id, to, store } = arguments;
    let sessions = store.sessions(program, false).await?;
    sessions.rewind(&id, to).await.map_err(|error| sessions.failure(error))?;
    done(&id, to)
}

pub(super) async fn export(program: &Program, arguments: ExportArguments) -> Result<(), Failure> {
    let ExportArguments { id, out, store } = arguments;
    let sessions = store.sessions(program, false).await?;
    let export = sessions.export(&id).await.map_err(|error| sessions.failure(error))?;
    let json = serde_json::to_string(&export).map_err(Failure::new)?;
    if json.len() as u64 > LARGEST_SESSION {
        let most = size(LARGEST_SESSION);
        output::warning(&format!("the export has more than {most}, which `sessions import` refuses"));
    }
    let Some(file) = out else { return output::text(&format!("{json}\n")) };
    write(&file, json.as_bytes(), false, Readers::User).map_err(|error| {
        let shown = file.display();
        if error.kind() == io::ErrorKind::AlreadyExists {
            Failure::new(format!("`{shown}` exists: name another file"))
        } else {
            Failure::new(format!("`{shown}` was not written: {error}"))
        }
    })
}

pub(super) async fn import(program: &Program, arguments: ImportArguments) -> Result<(), Failure> {
    let ImportArguments { file, id, store } = arguments;
    let failed = |error: &dyn std::fmt::Display| Failure::new(format!("`{}`: {error}", file.display()));
    let json = text_of(&file, LARGEST_SESSION).map_err(|error| failed(&error))?;
    let export = SessionExport::from_json(&json).map_err(|error| {
        if let SessionStoreError::Corrupt { reason, .. } = &error {
            failed(&format!("this is not what `sessions export` writes: {reason}"))
        } else {
            failed(&error)
        }
    })?;
    let sessions = store.sessions(program, true).await?;
    sessions.import(&id, export).await.map_err(|error| sessions.failure(error))?;
    let session = sessions.read(&id).await.map_err(|error| sessions.failure(error))?;
    done(&id, session.content.history().len())
}

/// Reads a number of messages.
fn number(text: &str) -> Result<usize, &'static str> {
    text.parse().map_err(|_| "write the number of messages, such as `4`; `sessions show` numbers them")
}

/// Says what a session has now.
fn done(id: &str, messages: usize) -> Result<(), Failure> {
    output::text(&format!("{} has {}\n", text::plain(id), text::counted(messages as u64, "message")))
}
