//! A stored conversation, as the client shows it.

use agent_client_protocol::v1::schema::{
    SessionUpdate, ToolCall, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
};
use onionskin_core::model::{History, Message};

use crate::calls::{self, CallIds};
use crate::content;
use crate::view::View;

/// Shows the messages of a conversation.
pub(crate) fn replay(history: &History, view: &View, calls: &mut CallIds) {
    for message in history {
        match message {
            Message::User { content, .. } if message.is_input() => {
                for part in content {
                    view.show_input(content::block(part));
                }
            }
            Message::User { .. } => {}
            Message::Assistant { text, tool_calls, .. } => {
                if !text.is_empty() {
                    view.say(text);
                }
                for call in tool_calls {
                    let (id, _) = calls.id("", &call.id);
                    let shown = ToolCall::new(id, calls::title(&call.name, None));
                    let shown = shown.status(ToolCallStatus::InProgress);
                    view.send(SessionUpdate::ToolCall(shown.raw_input(calls::arguments(&call.arguments))));
                }
            }
            Message::Tool { results, .. } => {
                for result in results {
                    let (id, _) = calls.id("", &result.call_id);
                    let status =
                        if result.is_error { ToolCallStatus::Failed } else { ToolCallStatus::Completed };
                    let fields = ToolCallUpdateFields::new().status(status);
                    let fields = fields.content(content::call_content(result.content.iter()));
                    view.send(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(id, fields)));
                }
            }
        }
    }
}

/// The first line of the first input, by which people find a conversation.
pub(crate) fn title(history: &History) -> Option<String> {
    let first = history.iter().find(|message| message.is_input())?.to_text().into_owned();
    let line = first.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(onionskin_core::text::folded(line, TITLE))
}

/// The characters of a title.
const TITLE: usize = 80;
