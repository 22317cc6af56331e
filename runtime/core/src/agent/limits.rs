//! The limits of one run.

use std::time::Duration;

/// Limits of one run. A child's run counts separately.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Limits {
    /// Maximum number of model turns. Default: 50.
    pub turns: u32,
    /// Maximum number of tool calls. Default: no limit.
    pub tool_calls: Option<u32>,
    /// Maximum number of input and output tokens together. Default: no limit.
    pub tokens: Option<u64>,
    /// Maximum time from start to answer. Default: no limit.
    pub time: Option<Duration>,
    /// Maximum nesting depth of the run. A run that no tool, hook or child began has depth 1. Default: 16. A task that
    /// a tool spawns starts again at 1.
    pub depth: u32,
    /// Maximum number of times that one tool may ask the model to try again. Default: 3.
    pub max_retries: u32,
    /// Maximum time for one answer of the model. Default: 5 minutes.
    pub model_timeout: Duration,
    /// Number of retries of a model request after a transient error. Default: 2.
    pub model_retries: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            turns: 50,
            tool_calls: None,
            tokens: None,
            time: None,
            depth: 16,
            max_retries: 3,
            model_timeout: Duration::from_mins(5),
            model_retries: 2,
        }
    }
}
