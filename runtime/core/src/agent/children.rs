//! How an agent runs its children.

use std::time::Duration;

/// The messages that a child starts with when its parent calls it: the values of `history_source` in `agent!`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum HistorySource {
    /// `none`: the child gets its input only.
    #[default]
    None,
    /// `child`: the messages that earlier calls of the child left in this session with [`HistoryMergeTarget::Child`].
    Child,
    /// `orchestrator`: a copy of the conversation of the parent so far, without the message that makes the call.
    Orchestrator,
    /// `messages`: the messages that the child was built with
    /// ([`AgentBuilder::messages_for`](super::AgentBuilder::messages_for)).
    Messages,
}

/// Where the conversation of a child goes when its call ends: the values of `history_merge_target` in `agent!`.
/// Conversations are merged in call order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum HistoryMergeTarget {
    /// `none`: it is dropped. The parent gets the answer of the child only.
    #[default]
    None,
    /// `child`: it is appended to the history of the child in this session, for [`HistorySource::Child`].
    Child,
    /// `orchestrator`: it is appended to the conversation of the parent after the results of the turn that made the call.
    Orchestrator,
}

/// How an agent runs its children.
#[derive(Debug, Clone)]
pub(crate) struct Children {
    pub(crate) history_source: HistorySource,
    pub(crate) history_merge_target: HistoryMergeTarget,
    pub(crate) max_parallel: Option<usize>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) max_display_instances: usize,
}

/// The default number of displayed instances of a child agent.
pub(super) const DISPLAY_INSTANCES: usize = 20;
