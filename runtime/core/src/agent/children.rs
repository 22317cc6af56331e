//! How an agent runs its children.

use std::time::Duration;

/// The messages that a child starts with when its parent calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum HistorySource {
    /// Nothing.
    #[default]
    None,
    /// The messages that earlier calls in this session left in the child's own history.
    Child,
    /// The history of the parent.
    Orchestrator,
    /// The messages that the child was built with ([`AgentBuilder::messages_for`](super::AgentBuilder::messages_for)).
    Messages,
}

/// Where the conversation of a child goes when its call ends. Conversations are merged in call order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum HistoryMergeTarget {
    /// Nowhere.
    #[default]
    None,
    /// Into the child's own history in this session.
    Child,
    /// Into the parent's history.
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
