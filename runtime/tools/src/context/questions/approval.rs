//! The approval of a call: the question, and what a person allowed or changed.

use serde_json::{Map, Value};

use super::answer::{OwnQuestion, shown};
use crate::approval::{Always, Approval, ApprovalRequest};
use crate::context::{AbortCause, IdempotencyKey, ToolContext};
use crate::event::EventKind;
use crate::journal::{StepId, StepKind, StepRef, fingerprint, recorded};
use crate::question::{Answer, QuestionKind, QuestionParts};
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::{ToolDefinition, bring_into_types};

impl ToolContext {
    /// Creates the question whether the call may run with these arguments. Its step contains their hash, so
    /// other arguments are another question, and another attempt with the same arguments asks nothing.
    pub(crate) fn approval_question(
        &self,
        definition: &ToolDefinition,
        args: &Args,
        reason: Option<String>,
    ) -> OwnQuestion {
        let schema = args.attached_schema().unwrap_or(&definition.input_schema);
        let step = self.approval_step(&fingerprint(&*args.text()));
        self.new_question(
            QuestionKind::Approval,
            step,
            Some(args),
            reason,
            QuestionParts::approval_schema(schema),
        )
    }

    /// The step of the approval of the arguments with this hash.
    fn approval_step(&self, args: &str) -> StepId {
        let mut step = StepId { attempt: 0, ..self.step_id(StepKind::Ask) };
        step.name = format!("{}.{}", self.tool_name(), &args[..12]).into();
        step
    }

    /// Whether a person allowed such calls of this user for the rest of the session.
    pub(crate) fn is_always_allowed(&self, args: &str) -> bool {
        let Some(session) = self.run().session() else { return false };
        let (agent, tool) = (self.agent_name(), self.tool_name());
        session.allowed().has(self.run().user_id().as_ref(), agent, tool, self.definition(), args)
    }

    /// Allows such calls of this user for the rest of the session.
    pub(crate) fn allow_always(&self, args: &str, which: Always) {
        if let Some(session) = self.run().session() {
            let (agent, tool) = (self.agent_name(), self.tool_name());
            session.allowed().add(self.run().user_id(), agent, tool, self.definition(), args, which);
        }
    }

    /// Restores the approval of a call that a journal answered: what a person allowed for the rest of the
    /// session, and changed arguments.
    pub(crate) async fn recall_approval(&self) {
        let Some(journal) = self.run().journal().filter(|_| self.may_ask()) else {
            return;
        };
        let Some((args, hash)) = self.data(|data| data.attempt_args.clone()) else { return };
        let step = self.run().journal_step(self.approval_step(&hash));
        let answer = match recorded(&**journal, &step).await {
            Ok(answer) => answer,
            Err(error) => return self.run().abort_for(AbortCause::Journal(error)),
        };
        match answer {
            Some(Answer::Approval(Approval::AllowAlways(which))) => self.allow_always(&args.text(), which),
            Some(Answer::Approval(Approval::AllowWith(with))) => {
                let mut args = args;
                let shown = shown(&args);
                self.change_args(self.definition(), &mut args, with, &shown);
            }
            Some(
                Answer::Approval(Approval::Allow | Approval::Deny(_))
                | Answer::Value(_)
                | Answer::Declined(_),
            )
            | None => {}
        }
    }

    /// Applies and reports arguments that a person changed. An argument that equals the one shown keeps its
    /// value, because shown secrets are masked and long numbers are shown as strings.
    pub(crate) fn change_args(
        &self,
        definition: &ToolDefinition,
        args: &mut Args,
        with: Map<String, Value>,
        shown: &Value,
    ) {
        let gone = |args: &Args| {
            let names = args.as_object().into_iter().flat_map(Map::keys);
            names.filter(|name| !with.contains_key(*name)).cloned().collect::<Vec<_>>()
        };
        for name in gone(args) {
            args.remove(&name);
        }
        for (name, value) in with {
            if args.get(&name).is_none() || shown.get(&name) != Some(&value) {
                // Only arguments that are an object reach an approval.
                let _ = args.insert(name, value);
            }
        }
        bring_into_types(definition, args);
        let kind = EventKind::ArgumentsChanged {
            call_id: self.call_id().into(),
            tool: self.tool_name().into(),
            arguments: args.text(),
        };
        // The step of the call as a whole, as in its start and end events.
        self.run().events().push(StepRef { attempt: 0, ..self.step(StepKind::Tool) }, kind);
    }

    /// The call as a request to an approver, with secrets masked.
    pub(crate) fn approval_request(&self, args: &Args, reason: Option<String>) -> ApprovalRequest {
        let mut args = args.clone();
        let text = args.text();
        let shown = self.run().hide_text(&*text);
        if *shown != *text {
            let schema = args.detach_schema();
            args = Args::from(shown.into_owned());
            if let Some(schema) = &schema {
                args.attach_schema(schema);
            }
        }
        ApprovalRequest {
            tool: self.tool_name().into(),
            agent: self.agent_name().into(),
            args,
            effect: self.definition().effect,
            call_id: self.call_id().into(),
            idempotency_key: IdempotencyKey::for_call(self).as_str().into(),
            correlation_id: self.correlation_id().into(),
            reason: reason.map(|reason| self.run().hide_text(reason).into_owned()),
        }
    }
}
