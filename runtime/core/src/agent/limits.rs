//! The limits of one run.

use std::time::Duration;

use onionskin_vocabulary::setting_default;
use serde::{Deserialize, Serialize};

use super::seconds;
use onionskin_definitions::error::{ErrorKind, ToolError};
use onionskin_tools::budget::BudgetExceeded;

/// The limits of one run. The run of a child has its own limits and counts separately.
///
/// ```
/// use std::time::Duration;
///
/// use onionskin::declaration::Limits;
///
/// let mut limits = Limits::default();
/// limits.turns = 10;
/// limits.time = Some(Duration::from_secs(60));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Limits {
    /// Maximum number of model turns. A further turn ends the run with [`RunError::Limit`](crate::RunError::Limit).
    #[doc = concat!("Default: ", setting_default!(turns), ".")]
    pub turns: u32,
    /// Maximum number of tool calls. Further calls are refused with a tool error of kind
    /// [`Limit`](crate::ErrorKind::Limit), and the run continues. Calls that a turn hook answers count too. Default: no limit.
    pub tool_calls: Option<u32>,
    /// Maximum number of input and output tokens together. It is checked before each turn, so the last turn
    /// can exceed it. The next turn ends the run with [`RunError::Limit`](crate::RunError::Limit). Default:
    /// no limit.
    pub tokens: Option<u64>,
    /// Maximum time from start to answer, the wait for the session included. Then the run ends with
    /// [`RunError::Limit`](crate::RunError::Limit), or with [`RunError::Busy`](crate::RunError::Busy) if it still
    /// waits, and its calls are dropped. Default: no limit.
    #[serde(rename = "time_sec", with = "seconds::optional")]
    pub time: Option<Duration>,
    /// Maximum nesting depth of the run and its descendants: one more than the number of runs that wait for it. A deeper
    /// run does not begin and fails with [`RunError::Depth`](crate::RunError::Depth). A task that a tool spawns starts again at 1.
    #[doc = concat!("Default: ", setting_default!(depth), ".")]
    pub depth: u32,
    /// Maximum number of turns in which one tool may ask the model to try again
    /// ([`ToolError::retry`](crate::ToolError::retry)). One more ends the run with
    /// [`RunError::Retries`](crate::RunError::Retries).
    #[doc = concat!("Default: ", setting_default!(max_retries), ".")]
    pub max_retries: u32,
    /// Maximum number of times that the model is asked again for an answer that does not fit its type. One more wrong answer ends
    /// the run with [`RunError::WrongAnswer`](crate::RunError::WrongAnswer). Each is a turn.
    #[doc = concat!("Default: ", setting_default!(output_retries), ".")]
    pub output_retries: u32,
    /// Maximum time in which the model sends nothing: no answer, or no further piece of its text, reasoning or calls. More is a transient
    /// error, so `model_retries` applies. An answer that takes ten times as long as a whole is ended, and not asked for again
    /// ([`ModelError::Unended`](crate::model::ModelError::Unended)). `Duration::MAX` sets no limit.
    #[doc = concat!("Default: ", setting_default!(model_timeout_sec), " seconds.")]
    #[serde(rename = "model_timeout_sec", with = "seconds")]
    pub model_timeout: Duration,
    /// Maximum number of times that a model request is repeated after a transient error
    /// ([`ModelError::is_transient`](crate::model::ModelError::is_transient)). The pause between attempts begins at
    /// half a second and doubles, with up to as much again at random; if the provider asks for a delay, that is used,
    /// up to a minute. The pauses are part of the run's time: a request is not repeated if the time is over before.
    #[doc = concat!("Default: ", setting_default!(model_retries), ".")]
    pub model_retries: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            turns: setting_default!(turns),
            tool_calls: None,
            tokens: None,
            time: None,
            depth: setting_default!(depth),
            max_retries: setting_default!(max_retries),
            output_retries: setting_default!(output_retries),
            model_timeout: Duration::from_secs(setting_default!(model_timeout_sec)),
            model_retries: setting_default!(model_retries),
        }
    }
}

impl Limits {
    /// The limit that prevents another turn after these turns and tokens, if any.
    pub(super) fn before_turn(&self, turns: u32, tokens: u64) -> Option<Limit> {
        if turns >= self.turns {
            return Some(Limit::Turns(self.turns));
        }
        self.tokens.filter(|most| tokens >= *most).map(Limit::Tokens)
    }

    /// The error that replaces another tool call after this number of calls, if the limit is reached.
    pub(super) fn refused_call(&self, calls: u32) -> Option<ToolError> {
        let most = self.tool_calls.filter(|most| calls >= *most)?;
        let text = format!("not run: the limit of {most} tool calls is reached");
        Some(ToolError::new(text).with_kind(ErrorKind::Limit))
    }
}

/// The limit that ended a run, with its value in [`Limits`] or in its budget.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Limit {
    /// [`Limits::turns`]: the model called tools in the last turn, so the run needed another one.
    #[error("{0} model turns")]
    Turns(u32),
    /// [`Limits::tokens`], which is checked before each turn.
    #[error("{0} tokens")]
    Tokens(u64),
    /// [`Limits::time`] of this run or of a run that waits for it, or the time that
    /// [`AgentDeclaration::child_timeout`](super::AgentDeclaration::child_timeout) or
    /// [`AgentTool::timeout`](super::AgentTool::timeout) allows.
    #[error("{0:?}")]
    Time(Duration),
    /// A [`Budget`](crate::budget::Budget) of the run or of its callers, which the next request to a model would exceed. The
    /// request was not sent.
    #[error("{0}")]
    Budget(BudgetExceeded),
}
