//! The mistakes that a hand-written loop can make with its run.

use std::sync::Arc;

use onionskin_definitions::secret::{Redact, Redactor};
use onionskin_tools::model::ToolCall;

/// A mistake of a hand-written loop: [`AgentRun`](crate::run::AgentRun) did nothing, and the conversation is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MisuseError {
    /// The newest message has a tool call without a result.
    #[error(
        "the call `{call_id}` of the tool `{tool}` has no result yet: run the calls of the answer with `call_tools`, or append a \
         result for each of them, before you continue"
    )]
    #[non_exhaustive]
    OpenCall {
        /// The id of the first such call.
        call_id: Arc<str>,
        /// The name of its tool.
        tool: Arc<str>,
    },
    /// The newest message has no call with this id.
    #[error("the newest answer has no open call `{call_id}`: pass calls of the newest answer of the model")]
    #[non_exhaustive]
    UnknownCall {
        /// The id.
        call_id: Arc<str>,
    },
    /// The call has a result or is running.
    #[error("the call `{call_id}` already has its result or is running: each call has one result")]
    #[non_exhaustive]
    AnsweredCall {
        /// The id.
        call_id: Arc<str>,
    },
    /// A call has another name or other arguments than in the conversation.
    #[error(
        "the call `{call_id}` differs from the call in the conversation: pass it unchanged; for other arguments use `call_tool`, and \
         append its result"
    )]
    #[non_exhaustive]
    ChangedCall {
        /// The id.
        call_id: Arc<str>,
    },
    /// A call of an appended message has no id, or the id of another call of the conversation.
    #[error(
        "the appended call `{call_id}` of the tool `{tool}` needs an id that is unique in the conversation: set another id"
    )]
    #[non_exhaustive]
    UsedId {
        /// The id.
        call_id: Arc<str>,
        /// The name of its tool.
        tool: Arc<str>,
    },
    /// An appended message is empty.
    #[error(
        "the appended message is empty, and providers refuse empty messages: add a text, or do not append it"
    )]
    EmptyMessage,
    /// The model was asked to answer an empty conversation.
    #[error(
        "the conversation is empty: append the input, `run.append(run.user_message(input))?`, before you ask the model"
    )]
    EmptyConversation,
    /// The model was asked, but the conversation lacks the attachments of the input.
    #[error(
        "the input has attachments, but the conversation lacks them: append the input with `run.append(run.user_message(input))?`"
    )]
    MissingAttachments,
    /// The model was asked, or a message was appended, while the model was writing its answer.
    #[error(
        "the model is writing an answer to this conversation: wait for it; a conversation has one turn at a time"
    )]
    AskInProgress,
    /// [`Ask::only_tools`](crate::run::Ask::only_tools) names a tool that the agent does not have.
    #[error("the agent has no tool `{tool}` to offer{near}")]
    #[non_exhaustive]
    UnknownTool {
        /// The name.
        tool: String,
        /// The advice: a similar name, or empty.
        near: String,
    },
}

impl MisuseError {
    pub(in crate::agent) fn open(call: &ToolCall) -> Self {
        Self::OpenCall { call_id: Arc::clone(&call.id), tool: Arc::clone(&call.name) }
    }
}

impl Redact for MisuseError {
    fn redact(&mut self, redactor: &Redactor) {
        match self {
            Self::OpenCall { call_id, tool } | Self::UsedId { call_id, tool } => {
                redactor.redact_id(call_id);
                tool.redact(redactor);
            }
            Self::UnknownCall { call_id }
            | Self::AnsweredCall { call_id }
            | Self::ChangedCall { call_id } => {
                redactor.redact_id(call_id);
            }
            Self::UnknownTool { tool, .. } => tool.redact(redactor),
            Self::EmptyMessage | Self::EmptyConversation | Self::MissingAttachments | Self::AskInProgress => {
            }
        }
    }
}
