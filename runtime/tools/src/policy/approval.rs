//! Approval of calls before they run.

use serde_json::{Map, Value};

use crate::approval::{Approval, Needed};
use crate::context::{Approved, Front, Open, ToolContext, Unanswered};
use crate::onion::{caught, caught_async};
use crate::question::Answer;
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::ToolDefinition;
use onionskin_definitions::error::{ErrorKind, Exit, ToolError, ToolResult};

/// The maximum number of approvals of one call, if guardrails keep changing the approved arguments.
pub(super) const MAX_APPROVALS: usize = 8;

/// The checks of the arguments that a call is approved with.
pub(super) type Check<'a> = &'a (dyn Fn(&Args) -> ToolResult<()> + Sync);

/// Asks for approval while a rule of the tool, of its agent or of a hook requires it. Returns whether a person changed the
/// arguments, which then pass `check` and the guardrails of the agent.
pub(super) async fn approve(
    own: &[Needed],
    cx: &ToolContext,
    definition: &ToolDefinition,
    check: Check<'_>,
    args: &mut Args,
) -> ToolResult<bool> {
    for round in 0..MAX_APPROVALS {
        let needed = caught(|| {
            let own = own.iter().filter_map(|needed| needed(args));
            own.chain(cx.needed_by_outer_rules(args)).reduce(Option::or)
        });
        let Some(reason) = needed.map_err(|panic| rule_panicked(cx, panic))? else {
            return Ok(round > 0);
        };
        if !ask(reason, cx, definition, args).await? {
            return Ok(round > 0);
        }
        check(args)?;
        cx.admit_again(definition, args).await?;
    }
    Err(changed_again())
}

/// The error if a person and a guardrail keep changing the arguments.
pub(super) fn changed_again() -> Exit {
    refused(Some("guardrails change the arguments that a person set, each time".to_owned()))
}

/// Asks for approval if the call was not approved with these arguments. Returns whether a person changed the
/// arguments.
async fn ask(
    reason: Option<String>,
    cx: &ToolContext,
    definition: &ToolDefinition,
    args: &mut Args,
) -> ToolResult<bool> {
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
    match cx.answer_to(own, front, Open::Waits).await {
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
        Ok(_) | Err(Unanswered::Failed(_) | Unanswered::Late(_) | Unanswered::NotNow) => Err(refused(None)),
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

/// A rule that panics refuses the call.
fn rule_panicked(cx: &ToolContext, panic: String) -> Exit {
    let text = format!("the approval rule of `{}` panicked: {}", cx.tool_name(), cx.run().hide_text(panic));
    Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Panic))
}

fn panicked(cx: &ToolContext) -> Unanswered {
    tracing::error!(tool = cx.tool_name(), "the approver panicked");
    Unanswered::Failed("the approver panicked")
}

fn refused(reason: Option<String>) -> Exit {
    let text = match reason {
        Some(reason) => format!("Tool execution was not approved: {reason}"),
        None => "Tool execution was not approved.".to_owned(),
    };
    Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Denied))
}
