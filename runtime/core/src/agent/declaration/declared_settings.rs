//! The settings of a declaration.

use std::time::Duration;

use onionskin_definitions::definition::Effect;
use onionskin_tools::model::RequestParams;

use crate::agent::limits::Limits;
use crate::agent::parts::settings::{HistoryMergeTarget, HistorySource, Lock, Settings};

use super::AgentDeclaration;

/// Replaces all settings of an agent.
pub fn with_settings(mut agent: AgentDeclaration, settings: Settings) -> AgentDeclaration {
    agent.parts.settings = settings;
    agent
}

impl AgentDeclaration {
    /// Sets how to handle tools that differ from the [`server_snapshot`](Self::server_snapshot), as `lock` in
    /// `agent!` does. With [`Lock::Strict`], building fails for an MCP server that differs from the snapshot
    /// or is not in it, and tools that a server adds or changes later are left out. Default:
    /// [`Lock::Report`], differences are only reported.
    #[must_use]
    pub fn lock(mut self, lock: Lock) -> Self {
        self.parts.settings.lock = lock;
        self
    }

    /// Makes this agent the entry agent of an [`App`](crate::agent::App).
    #[must_use]
    pub fn default_agent(mut self, is_default: bool) -> Self {
        self.parts.settings.is_default = is_default;
        self
    }

    /// Sets the name of the model, which is passed in
    /// [`ModelRequest::model`](crate::model::ModelRequest::model).
    #[must_use]
    pub fn model(mut self, name: &str) -> Self {
        self.parts.settings.model = Some(name.into());
        self
    }

    /// Sets the model parameters, such as the temperature.
    #[must_use]
    pub fn request_params(mut self, params: RequestParams) -> Self {
        self.parts.settings.request_params = params;
        self
    }

    /// Sets the limits of one run.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.parts.settings.limits = limits;
        self
    }

    /// Sets the messages that the agent's children start with. Default: none.
    #[must_use]
    pub fn history_source(mut self, source: HistorySource) -> Self {
        self.parts.settings.history_source = source;
        self
    }

    /// Sets where the conversations of the agent's children are merged. Default: nowhere.
    #[must_use]
    pub fn history_merge_target(mut self, target: HistoryMergeTarget) -> Self {
        self.parts.settings.history_merge_target = target;
        self
    }

    /// Sets the maximum number of concurrent tool calls of a run, the calls of a hand-written agent included. The
    /// builder rejects 0. Default: no limit.
    #[must_use]
    pub fn max_parallel(mut self, calls: usize) -> Self {
        self.parts.settings.max_parallel = Some(calls);
        self
    }

    /// Sets the maximum time of the run of a child. Then its call ends with a tool error of kind
    /// [`Timeout`](crate::ErrorKind::Timeout). The builder rejects zero. Default: no limit.
    #[must_use]
    pub fn child_timeout(mut self, timeout: Duration) -> Self {
        self.parts.settings.child_timeout = Some(timeout);
        self
    }

    /// Sets how many runs of each child are shown; later runs have `shown: false` in
    /// [`EventKind::RunStarted`](crate::event::EventKind::RunStarted). The builder rejects 0. Default: 20.
    #[must_use]
    pub fn max_display_instances(mut self, instances: usize) -> Self {
        self.parts.settings.max_display_instances = instances;
        self
    }

    /// Sets whether a failed call of this agent as a tool may be repeated. Default: [`Effect::Once`], because its tools
    /// may have acted before it failed; no retry repeats such a call.
    #[must_use]
    pub fn effect(mut self, effect: Effect) -> Self {
        self.parts.settings.effect = effect;
        self
    }
}
