//! `sessions show` shows a stored session.

use clap::Args;
use onionskin_core::content::ContentBlock;
use onionskin_core::model::Message;
use onionskin_core::sessions::StoredSession;
use onionskin_core::text::thousands;
use serde_json::json;

use super::store::StoreArguments;
use crate::failure::Failure;
use crate::output;
use crate::program::Program;
use crate::questions;
use crate::text;

pub(super) const ABOUT: &str = "\
Show a stored session: its user, the tokens that its runs used, the questions that it waits with, and its messages with their numbers, \
which `fork --at` and `rewind --to` take.

Exit code: 0 if all is well, 2 after an error.";

pub(super) const EXAMPLES: &str = "\
Examples:
  {program} sessions show ticket-7
  {program} sessions show ticket-7 --json | jq '.content.history'";

/// The characters of the arguments of a call.
const ARGUMENTS: usize = 300;

#[derive(Args)]
pub(crate) struct ShowArguments {
    /// The id of the session.
    #[arg(value_name = "ID")]
    id: String,

    /// Print JSON: the messages, values and states in the form of `/save` of the chat, and the run that waits.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    store: StoreArguments,
}

pub(super) async fn run(program: &Program, arguments: ShowArguments) -> Result<(), Failure> {
    let ShowArguments { id, json, store } = arguments;
    let sessions = store.sessions(program, false).await?;
    let session = sessions.read(&id).await.map_err(|error| sessions.failure(error))?;
    if json {
        let StoredSession { content, user, usage, paused, .. } = session;
        return output::json(
            &json!({ "id": id, "user": user, "usage": usage, "paused": paused, "content": content }),
        );
    }
    output::text(&shown(&id, &session))
}

fn shown(id: &str, session: &StoredSession) -> String {
    let mut shown = format!("session: {}\n", text::plain(id));
    if let Some(user) = &session.user {
        shown += &format!("user: {}\n", text::first_line(user));
    }
    for (model, usage) in session.usage.iter() {
        let (read, written) = (text::counted(usage.input_tokens, "token"), thousands(usage.output_tokens));
        shown += &format!("{}: {read} read, {written} written\n", text::first_line(model));
    }
    if let Some(paused) = &session.paused {
        shown += &format!(
            "waits for answers to go on with the input `{}`:\n{}\n",
            text::first_line(paused.input()),
            questions::open(paused)
        );
    }
    for (at, message) in session.content.history().iter().enumerate() {
        shown += &format!("\n{}", numbered(at + 1, message));
    }
    shown
}

fn numbered(number: usize, message: &Message) -> String {
    let (role, lines) = match message {
        Message::User { by_runtime, .. } => {
            (if *by_runtime { "runtime" } else { "user" }, vec![message.to_text().into_owned()])
        }
        Message::Assistant { text, tool_calls, .. } => {
            let calls = tool_calls.iter().map(|call| {
                format!("calls {} {}", text::first_line(&call.name), text::line(&call.arguments, ARGUMENTS))
            });
            ("agent", Some(text.clone()).filter(|text| !text.is_empty()).into_iter().chain(calls).collect())
        }
        Message::Tool { results, .. } => {
            let result = results.iter().map(|result| {
                let failed = if result.is_error { " failed" } else { "" };
                format!("{}{failed}: {}", text::first_line(&result.name), content(&result.content))
            });
            ("tools", result.collect())
        }
    };
    let body = text::block(lines.join("\n").trim_end()).replace('\n', "\n  ");
    format!("{number} {role}\n  {body}\n")
}

fn content(blocks: &[ContentBlock]) -> String {
    blocks.iter().map(|block| block.as_text().unwrap_or("(not text)")).collect::<Vec<_>>().join("\n")
}
