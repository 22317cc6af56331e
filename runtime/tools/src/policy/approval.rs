//! Approval of calls before they run.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::approval::Approval;
use crate::context::{Approved, Front, ToolContext, Unanswered};
use crate::onion::caught_async;
use crate::question::Answer;
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::ToolDefinition;
use onionskin_definitions::error::{ErrorKind, Exit, ToolError, ToolResult};

/// A return type of a tool's `approval = path` function: whether a call needs approval, or the reason for it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say whether a call has to be approved",
    label = "not a yes or no",
    note = "write `fn(&Args) -> bool`, or `fn(&Args) -> Option<String>` to give a reason"
)]
pub trait NeedsApproval {
    /// `None` if the call needs no approval, else `Some` with an optional reason.
    fn needed(self) -> Option<Option<String>>;
}

#[diagnostic::do_not_recommend]
impl NeedsApproval for bool {
    fn needed(self) -> Option<Option<String>> {
        self.then_some(None)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Into<String>> NeedsApproval for Option<T> {
    fn needed(self) -> Option<Option<String>> {
        self.map(|reason| Some(reason.into()))
    }
}

/// A rule for calls that need approval.
pub type Needed = Arc<dyn Fn(&Args) -> Option<Option<String>> + Send + Sync>;

/// Combines two rules: a call needs approval if either rule requires it.
pub(super) fn either(one: Needed, other: Needed) -> Needed {
    Arc::new(move |args| match (one(args), other(args)) {
        (Some(reason), Some(more)) => Some(reason.or(more)),
        (needed, None) | (None, needed) => needed,
    })
}

/// Asks for approval if the call needs it and was not approved with these arguments. Returns whether a person
/// changed the arguments.
pub(super) async fn approve(
    needed: &Needed,
    cx: &ToolContext,
    definition: &ToolDefinition,
    args: &mut Args,
) -> ToolResult<bool> {
    let Some(reason) = needed(args) else { return Ok(false) };
    let text = args.text();
    let approved = cx.stages(|stages| stages.approved(&text));
    if approved == Some(Approved::AsShown) || (approved.is_none() && cx.is_always_allowed(&text)) {
        return Ok(false);
    }
    let own = cx.approval_question(definition, args, reason.clone());
    let shown = own.question.arguments().clone();
    let change = |args: &mut Args, with: Map<String, Value>| {
        cx.change_args(definition, args, with, &shown);
        // Arguments that a person wrote need no approval.
        cx.stages(|stages| stages.approve(args.text(), Approved::AsShown));
    };
    // Another attempt starts with the arguments that were shown.
    if let Some(Approved::With(with)) = approved {
        change(args, with);
        return Ok(true);
    }
    let front: Option<Front<'_>> = if let Some(approver) = cx.run().approver() {
        let request = cx.approval_request(args, reason);
        Some(Box::pin(async move {
            let approval = caught_async(approver.approve_dyn(request)).await.map_err(|_| panicked(cx))?;
            Ok(Some(approval.into()))
        }))
    } else {
        cx.front(&own.question)
    };
    match cx.answer_to(own, front).await {
        Ok(Answer::Approval(Approval::Deny(reason))) => Err(refused(reason)),
        Ok(Answer::Approval(Approval::AllowWith(with))) => {
            cx.stages(|stages| stages.approve(text, Approved::With(with.clone())));
            change(args, with);
            Ok(true)
        }
        Ok(Answer::Approval(approval)) => {
            if let Approval::AllowAlways(which) = approval {
                cx.allow_always(&text, which);
            }
            cx.stages(|stages| stages.approve(text, Approved::AsShown));
            Ok(false)
        }
        Err(Unanswered::Unfit(problem)) => Err(refused(Some(problem))),
        // A failure was logged where it happened.
        Ok(_) | Err(Unanswered::Failed(_) | Unanswered::Late(_)) => Err(refused(None)),
        Err(Unanswered::NoAnswerer(problem)) => {
            tracing::warn!(
                tool = cx.tool_name(),
                problem,
                "a call needs approval and no person can be asked, so it is refused: set `.approver(..)` on the agent's \
                 builder, on the run's request, or on a `ToolSpec` that is called directly, or `.journal(..)` on the builder"
            );
            Err(refused(None))
        }
    }
}

fn panicked(cx: &ToolContext) -> Unanswered {
    tracing::error!(tool = cx.tool_name(), "the approver panicked");
    Unanswered::Failed("the approver panicked")
}

pub(super) fn refused(reason: Option<String>) -> Exit {
    let text = match reason {
        Some(reason) => format!("Tool execution was not approved: {reason}"),
        None => "Tool execution was not approved.".to_owned(),
    };
    Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Denied))
}
