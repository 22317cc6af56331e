//! The events of a run as updates for the client.

use std::collections::HashSet;

use agent_client_protocol::v1::schema::{
    SessionUpdate, ToolCall, ToolCallId, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
};
use onionskin_core::event::{CallOutcome, Event, EventKind, TurnChange, TurnText};

use crate::calls::{self, CallIds};
use crate::content;
use crate::view::View;

/// Shows a run.
pub(crate) struct RunView<'v> {
    view: &'v View,
    calls: &'v mut CallIds,
    turn: TurnText,
    /// The runs of children beyond `max_display_instances`.
    hidden: HashSet<String>,
}

impl<'v> RunView<'v> {
    pub(crate) fn new(view: &'v View, calls: &'v mut CallIds) -> Self {
        Self { view, calls, turn: TurnText::default(), hidden: HashSet::new() }
    }

    pub(crate) fn show(&mut self, event: &Event) {
        match self.turn.update(event) {
            Some(TurnChange::Text(text)) if !text.is_empty() => self.view.say(text),
            // What was shown cannot be taken back.
            Some(TurnChange::Restarted(discarded)) if !discarded.is_empty() => {
                self.view
                    .say("\n\n*The model failed and is asked again. The part above does not count.*\n\n");
            }
            Some(
                TurnChange::Started
                | TurnChange::Text(_)
                | TurnChange::AnswerCall(..)
                | TurnChange::Restarted(_)
                | TurnChange::Ended
                | TurnChange::Answered(_),
            )
            | None => {}
        }
        let scope = event.step.scope();
        if self.hidden.iter().any(|hidden| scope.starts_with(hidden.as_str())) {
            return;
        }
        match &event.kind {
            EventKind::RunStarted { shown: false, .. } => {
                self.hidden.insert(scope.to_owned());
            }
            EventKind::ReasoningDelta { text, .. } if event.is_outermost() => self.view.think(text),
            EventKind::Notice { text, .. } => self.view.think(format!("{text}\n")),
            EventKind::ToolStarted { call_id, tool, source, arguments, .. } => {
                let child = (!event.is_outermost()).then_some(&*event.agent);
                let (title, kind) = (calls::title(tool, child), calls::kind(*source, tool));
                let arguments = calls::arguments(arguments);
                let (id, is_new) = self.calls.id(scope, call_id);
                if is_new {
                    let call = ToolCall::new(id, title).kind(kind).status(ToolCallStatus::InProgress);
                    self.view.send(SessionUpdate::ToolCall(call.raw_input(arguments)));
                } else {
                    let fields = ToolCallUpdateFields::new().status(ToolCallStatus::InProgress);
                    self.update(id, fields.raw_input(arguments));
                }
            }
            EventKind::ArgumentsChanged { call_id, arguments, .. } => {
                let fields = ToolCallUpdateFields::new().raw_input(calls::arguments(arguments));
                self.update_call(scope, call_id, fields);
            }
            EventKind::Progress { call_id: Some(call_id), done, total, message, .. } => {
                let text = progress(*done, *total, message.as_deref());
                let fields = ToolCallUpdateFields::new().content(content::call_text(text));
                self.update_call(scope, call_id, fields);
            }
            EventKind::ToolFinished { call_id, outcome, content, structured, .. } => {
                let fields = ToolCallUpdateFields::new().status(status(*outcome));
                let fields = if *outcome == CallOutcome::Paused {
                    fields
                } else {
                    let structured = structured.read(content).map(std::borrow::Cow::into_owned);
                    fields.content(content::call_content(content.iter())).raw_output(structured)
                };
                self.update_call(scope, call_id, fields);
            }
            EventKind::RunStarted { .. }
            | EventKind::TurnStarted { .. }
            | EventKind::TextDelta { .. }
            | EventKind::ReasoningDelta { .. }
            | EventKind::ToolCallDelta { .. }
            | EventKind::TurnRestarted { .. }
            | EventKind::PrefixChanged { .. }
            | EventKind::TurnFinished { .. }
            | EventKind::Progress { .. }
            | EventKind::User { .. }
            | EventKind::QuestionAsked { .. }
            | EventKind::RunFinished { .. }
            | EventKind::RunPaused { .. }
            | EventKind::RunFailed { .. }
            | _ => {}
        }
    }

    /// The id of a call that asks a person.
    pub(crate) fn call(&mut self, scope: &str, call_id: &str) -> ToolCallId {
        self.calls.id(scope, call_id).0
    }

    /// Shows the answer, if it is not the text of the last turn: hooks change answers, and the answer of a type is not the text of a turn.
    pub(crate) fn end(&self, answer: &str) {
        let (shown, answer) = (self.turn.as_str().trim_end(), answer.trim_end());
        if shown != answer {
            self.view.say(if shown.is_empty() { answer.to_owned() } else { format!("\n\n{answer}") });
        }
    }

    fn update_call(&mut self, scope: &str, call_id: &str, fields: ToolCallUpdateFields) {
        let (id, is_new) = self.calls.id(scope, call_id);
        // Only calls that have begun are shown.
        if !is_new {
            self.update(id, fields);
        }
    }

    fn update(&self, id: ToolCallId, fields: ToolCallUpdateFields) {
        self.view.send(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(id, fields)));
    }
}

fn status(outcome: CallOutcome) -> ToolCallStatus {
    match outcome {
        CallOutcome::Ok | CallOutcome::Stop => ToolCallStatus::Completed,
        CallOutcome::Error(_) | CallOutcome::Abort => ToolCallStatus::Failed,
        CallOutcome::Paused => ToolCallStatus::Pending,
    }
}

fn progress(done: f64, total: Option<f64>, message: Option<&str>) -> String {
    let amount = total.map_or_else(|| done.to_string(), |total| format!("{done} of {total}"));
    message.map_or_else(|| amount.clone(), |message| format!("{amount}: {message}"))
}
