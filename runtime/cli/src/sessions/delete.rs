//! `sessions delete` deletes stored sessions.

use std::io::{self, IsTerminal as _};

use clap::Args;
use onionskin_core::sessions::SessionSelection;

use super::store::StoreArguments;
use crate::failure::Failure;
use crate::output;
use crate::program::Program;
use crate::questions;
use crate::text;

pub(super) const ABOUT: &str = "\
Delete a session, or all sessions of a user, for good: nothing of their messages can be read afterwards, not even in the file. A run in \
progress in such a session fails. At a terminal you are asked first.

Exit code: 0 if all is well, 2 after an error and if nothing was deleted.";

pub(super) const EXAMPLES: &str = "\
Examples:
  {program} sessions delete ticket-7
  {program} sessions delete --user ada --yes";

#[derive(Args)]
pub(crate) struct DeleteArguments {
    /// The id of the session.
    #[arg(value_name = "ID", required_unless_present = "user")]
    id: Option<String>,

    /// Delete all sessions of this user.
    #[arg(long, value_name = "NAME", conflicts_with = "id")]
    user: Option<String>,

    /// Delete without a question.
    #[arg(long)]
    yes: bool,

    #[command(flatten)]
    store: StoreArguments,
}

pub(super) async fn run(program: &Program, arguments: DeleteArguments) -> Result<(), Failure> {
    let DeleteArguments { id, user, yes, store } = arguments;
    let (selection, what, none) = match (id, user) {
        (Some(id), _) => {
            let what = format!("session `{}`", text::plain(&id));
            (SessionSelection::session(id), format!("the {what}"), what)
        }
        (None, user) => {
            let user = user.unwrap_or_default();
            let of = format!("of the user `{}`", text::first_line(&user));
            (SessionSelection::user(user), format!("all sessions {of}"), format!("session {of}"))
        }
    };
    let sessions = store.sessions(program, false).await?;
    if !yes {
        confirm(&what).await?;
    }
    match sessions.delete(&selection).await {
        Ok(0) => Err(Failure::new(format!("there is no {none}{}", sessions.place()))),
        Ok(count) => output::text(&format!("{} deleted\n", text::counted(count, "session"))),
        Err(error) => Err(sessions.failure(error)),
    }
}

/// Asks whether to delete. Anything but a yes deletes nothing.
async fn confirm(what: &str) -> Result<(), Failure> {
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        return Err(Failure::new(format!(
            "deleting {what} is for good: add `--yes`, because there is no terminal to ask at"
        )));
    }
    match questions::ask(&format!("Delete {what} for good? y or n> ")).await.as_deref().map(str::trim) {
        Some("y" | "yes") => Ok(()),
        _ => Err(Failure::new("nothing was deleted")),
    }
}
