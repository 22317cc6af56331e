//! `sessions list` lists stored sessions.

use std::time::SystemTime;

use clap::Args;
use onionskin_core::sessions::{SessionInfo, SessionPage, SessionQuery};
use serde_json::{Value, json};

use super::store::StoreArguments;
use crate::failure::Failure;
use crate::output;
use crate::program::Program;
use crate::text;
use crate::times;

pub(super) const ABOUT: &str = "\
List stored sessions, the most recently changed ones first, each with its user and the time of its last change.

Exit code: 0 if all is well, also without sessions, 2 after an error.";

pub(super) const EXAMPLES: &str = "\
Examples:
  {program} sessions list
  {program} sessions list --user ada --search \"red lamp\"
  {program} sessions list --since 2d --json | jq -r '.sessions[].id'";

/// The characters of the part of a message that has the words of a search.
const EXCERPT: usize = 100;

/// The most sessions of a page.
const MOST: usize = 10_000;

#[derive(Args)]
pub(crate) struct ListArguments {
    /// Only the sessions of this user.
    #[arg(long, value_name = "NAME")]
    user: Option<String>,

    /// Only sessions with a message of a person or the model that has each of these words.
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,

    /// Only sessions that were changed since then: a date (`2026-11-28`), a time (`2026-11-28T10:30`), or how long ago (`2d`, `12h`).
    #[arg(long, value_name = "TIME", value_parser = times::read, allow_hyphen_values = true)]
    since: Option<SystemTime>,

    /// List at most this number of sessions.
    #[arg(long, value_name = "NUMBER", default_value_t = 50, value_parser = limit, allow_hyphen_values = true)]
    limit: usize,

    /// Go on behind the page before, with what it printed at its end and with the same options.
    #[arg(long, value_name = "PLACE")]
    after: Option<String>,

    /// Print JSON. `next` is the value of `--after` for the next page.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    store: StoreArguments,
}

pub(super) async fn run(program: &Program, arguments: ListArguments) -> Result<(), Failure> {
    let ListArguments { user, search, since, limit, after, json, store } = arguments;
    let mut query = SessionQuery::default();
    (query.user, query.text, query.since) = (user.map(Into::into), search, since);
    (query.limit, query.cursor) = (limit, after);
    let sessions = store.sessions(program, false).await?;
    let page = sessions.list(&query).await.map_err(|error| sessions.failure(error))?;
    if json {
        return output::json(&as_json(&page));
    }
    output::text(&table(&page.sessions))?;
    match &page.next {
        Some(next) => output::note(&format!("there are more, with `--after {}`", text::shell_word(next))),
        None if page.sessions.is_empty() => {
            output::note(&format!("there are no such sessions{}", sessions.place()));
        }
        None => {}
    }
    Ok(())
}

/// Reads a number of sessions.
fn limit(text: &str) -> Result<usize, String> {
    let limit = text.parse().ok().filter(|limit| (1..=MOST).contains(limit));
    limit.ok_or_else(|| format!("write a number from 1 to {MOST}"))
}

fn table(sessions: &[SessionInfo]) -> String {
    let row = |session: &SessionInfo| {
        [
            text::plain(&session.id),
            text::first_line(session.user.as_deref().unwrap_or_default()),
            times::shown(session.updated),
        ]
    };
    let rows: Vec<_> = sessions.iter().map(row).collect();
    let width = |column: usize| rows.iter().map(|row| text::width(&row[column])).max().unwrap_or_default();
    let (ids, users) = (width(0), width(1));
    let mut table = String::new();
    for ([id, user, updated], session) in rows.iter().zip(sessions) {
        let fill = |text: &str, width: usize| " ".repeat(width - text::width(text));
        table += &format!("{id}{}  ", fill(id, ids));
        if users > 0 {
            table += &format!("{user}{}  ", fill(user, users));
        }
        table += &format!("{updated}\n");
        if let Some(excerpt) = &session.excerpt {
            table += &format!("  {}\n", text::line(excerpt, EXCERPT));
        }
    }
    table
}

fn as_json(page: &SessionPage) -> Value {
    let session = |session: &SessionInfo| {
        json!({
            "id": session.id,
            "user": session.user,
            "created": times::rfc3339(session.created),
            "updated": times::rfc3339(session.updated),
            "records": session.records,
            "excerpt": session.excerpt,
        })
    };
    json!({ "sessions": page.sessions.iter().map(session).collect::<Vec<_>>(), "next": page.next })
}
