//! Redaction of model requests.

use std::sync::Arc;

use super::redact::redact_message;
use super::{History, Message, ModelRequest, ToolDeclaration};
use onionskin_definitions::secret::{Redact as _, Redactor};

/// Redacts the requests of one run. Each request adds a few messages to the previous one, so redacted
/// messages are kept: while the secrets are unchanged, only new messages are searched.
#[derive(Default)]
pub struct RedactedRequests(Option<Redacted>);

struct Redacted {
    redactor: Arc<Redactor>,
    /// The redacted conversation so far.
    messages: History,
    /// The tools before and after redaction.
    tools: [Arc<[ToolDeclaration]>; 2],
}

impl RedactedRequests {
    /// Masks the secrets of a request.
    pub fn redact(&mut self, redactor: Arc<Redactor>, request: &mut ModelRequest) {
        request.system.redact(&redactor);
        request.params.redact(&redactor);
        request.redact_ids(&redactor);
        let before = self.0.take().filter(|last| Arc::ptr_eq(&last.redactor, &redactor));
        let (mut messages, tools) = match before {
            Some(last) => (last.messages, Some(last.tools)),
            None => (History::new(), None),
        };
        for message in request.messages.since(messages.len()) {
            messages.push_shared(shown(&redactor, message, &request.tools));
        }
        let tools = match tools {
            Some(tools) if Arc::ptr_eq(&tools[0], &request.tools) => tools,
            _ => [Arc::clone(&request.tools), declarations(&request.tools, &redactor)],
        };
        request.messages = messages.clone();
        request.tools = Arc::clone(&tools[1]);
        self.0 = Some(Redacted { redactor, messages, tools });
    }
}

/// A message without secrets stays shared.
fn shown(redactor: &Redactor, message: Arc<Message>, tools: &[ToolDeclaration]) -> Arc<Message> {
    let mut hidden = (*message).clone();
    redact_message(&mut hidden, redactor, |name| tools.iter().any(|tool| &*tool.name == name));
    if hidden == *message { message } else { Arc::new(hidden) }
}

/// Tools without secrets stay shared.
fn declarations(tools: &Arc<[ToolDeclaration]>, redactor: &Redactor) -> Arc<[ToolDeclaration]> {
    let shows =
        |tool: &ToolDeclaration| redactor.shows(&tool.description) || redactor.shows_in(&tool.input_schema);
    if !tools.iter().any(shows) {
        return Arc::clone(tools);
    }
    let mut tools = tools.to_vec();
    for tool in &mut tools {
        tool.description.redact(redactor);
        tool.input_schema.redact(redactor);
    }
    tools.into()
}
