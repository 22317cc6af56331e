//! What of a request differs from the request before it.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{History, ModelRequest, RequestOption, RequestParams};
use onionskin_definitions::definition::ToolDeclaration;

/// The first part of a request that differs from the request before it. Providers cache a request up to its first
/// change, in this order: the model, the tools, the system prompt, the parameters that some providers read before
/// the messages, and the messages.
///
/// Tools and messages that are appended are no change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum PrefixChange {
    /// Another model is asked.
    Model,
    /// A tool is no longer offered.
    #[non_exhaustive]
    ToolRemoved {
        /// Its name, as the model sees it.
        tool: Arc<str>,
    },
    /// The definition of a tool changed.
    #[non_exhaustive]
    ToolChanged {
        /// Its name, as the model sees it.
        tool: Arc<str>,
    },
    /// A tool is at another place in the list.
    #[non_exhaustive]
    ToolMoved {
        /// Its name, as the model sees it.
        tool: Arc<str>,
    },
    /// The system prompt changed.
    #[non_exhaustive]
    SystemPrompt {
        /// The first part that changed, the name of a `PromptPart`; `None` if the text was changed as a whole.
        part: Option<String>,
    },
    /// A parameter of the request changed: `response_schema`, `tool_choice`, `reasoning_effort` or `extra_body`.
    #[non_exhaustive]
    Parameter {
        /// Its name.
        name: String,
    },
    /// A message changed, or is no longer there.
    #[non_exhaustive]
    Message {
        /// Its index, counted from 0.
        index: usize,
    },
}

impl fmt::Display for PrefixChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Model => f.write_str("another model is asked"),
            Self::ToolRemoved { tool } => write!(f, "the tool `{tool}` is no longer offered"),
            Self::ToolChanged { tool } => write!(f, "the definition of the tool `{tool}` changed"),
            Self::ToolMoved { tool } => write!(f, "the tool `{tool}` is at another place in the list"),
            Self::SystemPrompt { part: Some(part) } => {
                write!(f, "the part `{part}` of the system prompt changed")
            }
            Self::SystemPrompt { part: None } => f.write_str("the system prompt changed"),
            Self::Parameter { name } => write!(f, "the parameter `{name}` changed"),
            Self::Message { index } => write!(f, "message {index} changed"),
        }
    }
}

/// What changed a part of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PrefixCause {
    /// A message hook.
    MessageHook,
    /// A turn hook.
    TurnHook,
    /// A text that became a secret of the session, and is now masked.
    NewSecret,
}

impl fmt::Display for PrefixCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MessageHook => "by a message hook",
            Self::TurnHook => "by a turn hook",
            Self::NewSecret => "because of a new secret",
        })
    }
}

/// A request as it was at each stage, compared with the next one. The messages and the tools are shared with the run.
#[doc(hidden)]
#[derive(Debug)]
pub struct SentRequest {
    /// The provider and the model.
    pub model: String,
    /// The parts of the system prompt, each with the hash of its text.
    pub parts: Vec<(String, u64)>,
    /// The conversation, before message hooks.
    pub conversation: History,
    /// The request before turn hooks.
    pub prompted: ModelRequest,
    /// The request before secrets were removed.
    pub hooked: ModelRequest,
    /// The request that the model gets.
    pub sent: ModelRequest,
}

impl SentRequest {
    /// The first part of a later request that differs from this one, and what changed it.
    pub fn change(&self, later: &Self) -> Option<(PrefixChange, Option<PrefixCause>)> {
        if self.model != later.model {
            return Some((PrefixChange::Model, None));
        }
        let change = change(&self.sent, &later.sent)?;
        Some((self.with_part(change.clone(), later), self.cause(&change, later)))
    }

    /// The stage at which the change appears first.
    fn cause(&self, found: &PrefixChange, later: &Self) -> Option<PrefixCause> {
        let is_here = |one: &ModelRequest, other: &ModelRequest| match found {
            PrefixChange::Model => one.model != other.model,
            PrefixChange::ToolRemoved { .. }
            | PrefixChange::ToolChanged { .. }
            | PrefixChange::ToolMoved { .. } => tool_change(&one.tools, &other.tools).as_ref() == Some(found),
            PrefixChange::SystemPrompt { .. } => one.system != other.system,
            PrefixChange::Parameter { .. } => {
                changed_parameter(&one.params, &other.params).as_ref() == Some(found)
            }
            PrefixChange::Message { index } => one.messages.departs_at(&other.messages) == Some(*index),
        };
        if !is_here(&self.hooked, &later.hooked) {
            return Some(PrefixCause::NewSecret);
        }
        if !is_here(&self.prompted, &later.prompted) {
            return Some(PrefixCause::TurnHook);
        }
        let PrefixChange::Message { index } = found else { return None };
        let is_own = self.conversation.departs_at(&later.conversation) == Some(*index);
        (!is_own).then_some(PrefixCause::MessageHook)
    }

    /// Names the part of the system prompt.
    fn with_part(&self, change: PrefixChange, later: &Self) -> PrefixChange {
        let PrefixChange::SystemPrompt { .. } = change else { return change };
        let (one, other) = (&self.parts, &later.parts);
        let at = (0..one.len().max(other.len())).find(|at| one.get(*at) != other.get(*at));
        let part = at.filter(|_| !one.is_empty()).and_then(|at| other.get(at).or(one.get(at)));
        PrefixChange::SystemPrompt { part: part.map(|(name, _)| name.clone()) }
    }
}

/// The first part that differs.
fn change(one: &ModelRequest, later: &ModelRequest) -> Option<PrefixChange> {
    if one.model != later.model {
        return Some(PrefixChange::Model);
    }
    if let Some(change) = tool_change(&one.tools, &later.tools) {
        return Some(change);
    }
    if one.system != later.system {
        return Some(PrefixChange::SystemPrompt { part: None });
    }
    if let Some(change) = changed_parameter(&one.params, &later.params) {
        return Some(change);
    }
    let index = one.messages.departs_at(&later.messages)?;
    Some(PrefixChange::Message { index })
}

fn tool_change(one: &Arc<[ToolDeclaration]>, later: &Arc<[ToolDeclaration]>) -> Option<PrefixChange> {
    if Arc::ptr_eq(one, later) {
        return None;
    }
    let (_, before) = one.iter().enumerate().find(|(at, tool)| later.get(*at) != Some(tool))?;
    let tool = Arc::clone(&before.name);
    Some(match later.iter().find(|other| other.name == tool) {
        None => PrefixChange::ToolRemoved { tool },
        Some(other) if other == before => PrefixChange::ToolMoved { tool },
        Some(_) => PrefixChange::ToolChanged { tool },
    })
}

fn changed_parameter(one: &RequestParams, later: &RequestParams) -> Option<PrefixChange> {
    let changed = [
        (RequestOption::ResponseSchema, one.response_schema != later.response_schema),
        (RequestOption::ToolChoice, one.tool_choice != later.tool_choice),
        (RequestOption::ReasoningEffort, one.reasoning_effort != later.reasoning_effort),
        (RequestOption::ExtraBody, one.extra_body != later.extra_body),
    ];
    let (option, _) = changed.into_iter().find(|(_, is_changed)| *is_changed)?;
    Some(PrefixChange::Parameter { name: option.to_string() })
}
