//! The summary of a session as a part of the system prompt.

use super::summary::Summary;
use crate::prompt::PromptSource;
use onionskin_definitions::error::BoxError;
use onionskin_tools::context::RunContext;

/// The summary that [`summarize`](fn@super::summarize) wrote of the session: a source for the prompt's part
/// [`SessionSummary`](crate::prompt::PromptPart::SessionSummary). While the prompt shows it, the messages of a turn do not
/// repeat it. Without a summary of the conversation, the part is left out: also in an agent without the hook, which builds.
///
/// In the turn that makes a new summary, the prompt still has the earlier one, and the messages begin with the new one.
///
/// ```
/// use onionskin::prompt::{Prompt, PromptPart};
/// use onionskin::turn_hooks::{self, SessionSummary};
/// use onionskin::{ScriptedModel, agent};
///
/// agent! {
///     Clerk {
///         instruction: "Answer.",
///         add_session_summary_to_context: true,
///         turn_hooks: [turn_hooks::summarize_above(20_000)],
///     }
/// }
///
/// let prompt = Prompt::new().source(PromptPart::SessionSummary, SessionSummary);
/// let builder = Clerk::builder().model(ScriptedModel::new()).prompt(prompt);
/// # drop(builder);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct SessionSummary;

#[diagnostic::do_not_recommend]
impl PromptSource for SessionSummary {
    async fn text(&self, run: &RunContext) -> Result<Option<String>, BoxError> {
        let summary = Summary::new(run, &run.messages());
        Ok(summary.filter(|summary| summary.messages > 0).map(|summary| summary.text))
    }
}
