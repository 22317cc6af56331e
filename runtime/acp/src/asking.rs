//! Questions to the client while the run waits: approvals as requests for permission, other questions as forms.

use agent_client_protocol::v1::schema::{
    CreateElicitationRequest, ElicitationAction, ElicitationFormMode, ElicitationSessionScope,
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest,
    SessionUpdate, ToolCallId, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
};
use onionskin_core::approval::{Always, Approval};
use onionskin_core::question::{Answer, Question, QuestionKind};
use onionskin_core::text::visible;

use crate::calls;
use crate::content;
use crate::forms::QuestionForm;
use crate::view::View;

/// How often a form is shown again whose answer does not fit. A program that answers wrongly would be asked for ever.
const MAX_FORMS: usize = 10;

/// The options of an approval: those of a terminal.
#[derive(Clone, Copy)]
enum Choice {
    Allow,
    AllowAlways,
    Reject,
}

impl Choice {
    const ALL: [Self; 3] = [Self::Allow, Self::AllowAlways, Self::Reject];

    fn option(self) -> PermissionOption {
        let (name, kind) = match self {
            Self::Allow => ("Allow", PermissionOptionKind::AllowOnce),
            Self::AllowAlways => ("Always allow with these arguments", PermissionOptionKind::AllowAlways),
            Self::Reject => ("Reject", PermissionOptionKind::RejectOnce),
        };
        PermissionOption::new(self.id(), name, kind)
    }

    fn id(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::AllowAlways => "allow_always",
            Self::Reject => "reject",
        }
    }

    fn answer(self) -> Answer {
        match self {
            Self::Allow => Answer::allow(),
            Self::AllowAlways => Approval::AllowAlways(Always::Arguments).into(),
            Self::Reject => Approval::Deny(None).into(),
        }
    }
}

/// Asks the client. `None` leaves the question open.
pub(crate) async fn ask(view: View, question: Question, call: ToolCallId, has_forms: bool) -> Option<Answer> {
    match question.kind() {
        QuestionKind::Approval => approve(&view, &question, call).await,
        QuestionKind::Question | QuestionKind::External | QuestionKind::Component(_) if has_forms => {
            fill_in(&view, &question, call).await
        }
        QuestionKind::Question | QuestionKind::External | QuestionKind::Component(_) => None,
        // It is for a client of another protocol, and no person can answer it.
        QuestionKind::Caller(request) => {
            Some(Answer::declined(format!("an editor does not answer `{}`", request.method())))
        }
    }
}

async fn approve(view: &View, question: &Question, call: ToolCallId) -> Option<Answer> {
    let child = question.agents().get(1..).and_then(<[_]>::last);
    let title = calls::title(question.tool_name(), child.map(|child| &**child));
    let fields = ToolCallUpdateFields::new()
        .title(title)
        .status(ToolCallStatus::Pending)
        .content(content::call_text(details(question)))
        .raw_input(question.arguments().clone());
    let options = Choice::ALL.map(Choice::option).into();
    let request = ToolCallUpdate::new(call.clone(), fields);
    let request = RequestPermissionRequest::new(view.session.clone(), request, options);
    let answer = view.client.send_request(request).block_task().await.ok()?;
    let RequestPermissionOutcome::Selected(selected) = answer.outcome else { return None };
    let choice = Choice::ALL.into_iter().find(|choice| *choice.id() == *selected.option_id.0)?;
    let fields = ToolCallUpdateFields::new().status(ToolCallStatus::InProgress);
    view.send(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(call, fields)));
    Some(choice.answer())
}

/// All that is approved, with what people do not see in it written out: clients need not show the arguments.
fn details(question: &Question) -> String {
    let arguments = serde_json::to_string_pretty(question.arguments()).unwrap_or_default();
    let mut longest = 0;
    for run in arguments.split(|letter| letter != '`') {
        longest = longest.max(run.len());
    }
    let fence = "`".repeat((longest + 1).max(3));
    let reason = question.text().map(|text| format!("{}\n\n", visible(text))).unwrap_or_default();
    format!("{reason}{fence}json\n{}\n{fence}", visible(&arguments))
}

async fn fill_in(view: &View, question: &Question, call: ToolCallId) -> Option<Answer> {
    let form = QuestionForm::new(question);
    let text = question.text().map_or_else(|| question.to_line(), |text| visible(text).into_owned());
    let mut message = text.clone();
    for _ in 0..MAX_FORMS {
        let scope = ElicitationSessionScope::new(view.session.clone()).tool_call_id(call.clone());
        let mode = ElicitationFormMode::new(scope, form.schema.clone());
        let request = CreateElicitationRequest::new(mode, message);
        let answer = view.client.send_request(request).block_task().await.ok()?;
        let fields = match answer.action {
            ElicitationAction::Accept(accepted) => accepted.content.unwrap_or_default(),
            ElicitationAction::Decline => return Some(Answer::Declined(None)),
            ElicitationAction::Cancel | ElicitationAction::Other(_) | _ => return None,
        };
        match form.read(fields) {
            Ok(answer) => return Some(answer),
            Err(problem) => message = format!("{text}\n\n{}", visible(&problem.to_string())),
        }
    }
    None
}
