//! The summary of the oldest messages of a conversation: the messages that it covers, its storage, and its
//! form for the model.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::prompt::{PromptPart, shows, tagged};
use onionskin_definitions::content::ContentBlock;
use onionskin_definitions::secret::Redactor;
use onionskin_tools::context::RunContext;
use onionskin_tools::journal::fingerprint;
use onionskin_tools::model::{History, Message};

/// A summary of the oldest messages of a conversation.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Summary {
    /// The number of messages that it covers.
    pub(super) messages: usize,
    /// The hash of the parts of these messages that a summary reads.
    of: String,
    pub(super) text: String,
}

impl Summary {
    /// The stored summary, if it covers these messages.
    pub(super) fn new(run: &RunContext, messages: &History) -> Option<Self> {
        let stored = run.session_state().get(&key(run))?;
        let summary: Self = serde_json::from_value(stored).ok()?;
        let is_meant =
            summary.messages <= messages.len() && summary.of == hash(run, messages, summary.messages);
        is_meant.then_some(summary)
    }

    /// Creates the summary of the first messages, and stores it in the session.
    pub(super) fn store(run: &RunContext, messages: &History, covered: usize, text: String) -> Self {
        let summary = Self { messages: covered, of: hash(run, messages, covered), text };
        let Self { messages, of, text } = &summary;
        run.session_state().set(&key(run), json!({ "messages": messages, "of": of, "text": text }));
        summary
    }

    /// Whether a system prompt shows it.
    pub(super) fn is_in(&self, prompt: Option<&str>) -> bool {
        prompt.is_some_and(|prompt| shows(prompt, PromptPart::SessionSummary, &self.text))
    }

    /// The summary, followed by the messages from `start` on. The summary begins a message of the user, so
    /// that roles still alternate. A summary in the system prompt is left out if there is another such message.
    pub(super) fn shown(&self, messages: &History, start: usize, prompt: Option<&str>) -> History {
        let mut shown = History::new();
        if self.messages == 0 && start == 0 {
            return messages.clone();
        }
        let before = messages.iter().take(start).rfind(|message| message.is_input());
        // The later answers refer to the newest input.
        let is_needed = messages.iter().skip(start).all(|message| !message.is_input());
        let first = messages.get(start).filter(|first| matches!(first, Message::User { .. }));
        let before = before.filter(|_| is_needed);
        let mut content = Vec::new();
        let is_begun = before.is_some() || first.is_some();
        if self.messages > 0 && !(is_begun && self.is_in(prompt)) {
            content.push(ContentBlock::Text(tagged("summary_of_earlier_messages", &self.text)));
        }
        for message in before.into_iter().chain(first) {
            if let Message::User { content: said, .. } = message {
                content.extend(said.iter().cloned());
            }
        }
        if !content.is_empty() {
            shown.push(Message::user_content(content));
        }
        shown.extend_from(messages, start + usize::from(first.is_some()));
        shown
    }
}

/// The key of this agent's summary in the session's state. Concurrent children have one each.
fn key(run: &RunContext) -> String {
    format!("onionskin.summaries.{}", run.instance_name().replace('.', "_"))
}

fn hash(run: &RunContext, messages: &History, covered: usize) -> String {
    let redactor = run.redactor();
    let lines = messages.iter().take(covered).map(|message| line(message, redactor.as_deref()));
    fingerprint(&lines.collect::<Vec<_>>())
}

/// A message in the request for a summary: JSON on one line, without secrets.
pub(super) fn line(message: &Message, redactor: Option<&Redactor>) -> String {
    let hidden = |text: &str| match redactor {
        Some(redactor) => redactor.redact(text).into_owned(),
        None => text.to_owned(),
    };
    let said = |content: &[ContentBlock]| hidden(&content.iter().map(words).collect::<Vec<_>>().join("\n"));
    let message = match message {
        Message::User { content, .. } => json!({ "user": said(content) }),
        Message::Assistant { text, tool_calls, .. } => {
            let calls = tool_calls.iter();
            let calls: Value = calls
                .map(|call| json!({ "tool": hidden(&call.name), "arguments": hidden(&call.arguments) }))
                .collect();
            if tool_calls.is_empty() {
                json!({ "assistant": hidden(text) })
            } else {
                json!({ "assistant": hidden(text), "calls": calls })
            }
        }
        Message::Tool { results, .. } => {
            let results = results.iter().map(|result| {
                let kind = if result.is_error { "error" } else { "result" };
                json!({ "tool": hidden(&result.name), kind: said(&result.content) })
            });
            json!({ "results": results.collect::<Vec<_>>() })
        }
    };
    message.to_string()
}

/// The text of a content, or a description of it.
fn words(content: &ContentBlock) -> Cow<'_, str> {
    match content {
        ContentBlock::Text(text) => text.into(),
        ContentBlock::Image(_) => "[an image]".into(),
        ContentBlock::Audio(_) => "[audio]".into(),
        ContentBlock::Resource(resource) => match resource.as_text() {
            Some(text) => text.into(),
            None => format!("[the file {}]", resource.uri()).into(),
        },
        ContentBlock::ResourceLink(link) => format!("[a link to {}]", link.uri()).into(),
    }
}
