//! The settings of a declaration.

use std::time::Duration;

use onionskin_definitions::definition::Effect;
use onionskin_definitions::setters;
use onionskin_tools::model::RequestParams;

use crate::agent::limits::Limits;
use crate::agent::parts::settings::{HistoryMergeTarget, HistorySource, Lock, PromptOrder, Settings};

use super::AgentDeclaration;

/// Replaces all settings of an agent.
pub fn with_settings(mut agent: AgentDeclaration, settings: Settings) -> AgentDeclaration {
    agent.parts.settings = settings;
    agent
}

impl AgentDeclaration {
    setters! {
        /// Sets the order of the parts of the system prompt. A [`Prompt::order`](crate::prompt::Prompt::order) takes
        /// precedence. Default: [`PromptOrder::Standard`].
        prompt_order(order: PromptOrder) => parts.settings.prompt_order = order;

        /// Sets how to handle tools that differ from the [`server_snapshot`](Self::server_snapshot), as `lock` in
        /// `agent!` does. With [`Lock::Strict`], building fails for an MCP server that differs from the snapshot
        /// or is not in it, and tools that a server adds or changes later are left out. Default:
        /// [`Lock::Report`], differences are only reported.
        lock(lock: Lock) => parts.settings.lock = lock;

        /// Makes this agent the entry agent of an [`App`](crate::agent::App).
        default_agent(is_default: bool) => parts.settings.is_default = is_default;

        /// Sets the name of the model, which is passed in
        /// [`ModelRequest::model`](crate::model::ModelRequest::model).
        model(name: &str) => parts.settings.model = Some(name.into());

        /// Sets the name of the model that reads the typed answer out of the text of the agent's model: the agent's
        /// model is asked under this name, unless [`parse_with`](Self::parse_with) sets another one. Building fails for
        /// an agent without [`output`](Self::output) ([`BuildError::Contradiction`](crate::BuildError::Contradiction)).
        parser_model(name: &str) => parts.settings.parser_model = Some(name.into());

        /// Sets the system prompt of the model that reads the typed answer. If that model does not support schemas of
        /// answers, the schema is added to it. Building fails for an agent without such a model
        /// ([`BuildError::Contradiction`](crate::BuildError::Contradiction)).
        parser_model_prompt(text: &str) => parts.settings.parser_model_prompt = Some(text.into());

        /// Sets the model parameters, such as the temperature.
        request_params(params: RequestParams) => parts.settings.request_params = params;

        /// Sets the limits of one run.
        limits(limits: Limits) => parts.settings.limits = limits;

        /// Sets the messages that the agent's children start with. Default: none.
        history_source(source: HistorySource) => parts.settings.history_source = source;

        /// Sets where the conversations of the agent's children are merged. Default: nowhere.
        history_merge_target(target: HistoryMergeTarget) => parts.settings.history_merge_target = target;

        /// Sets the maximum number of concurrent tool calls of a run, the calls of a hand-written agent included. The
        /// builder rejects 0. Default: no limit.
        max_parallel(calls: usize) => parts.settings.max_parallel = Some(calls);

        /// Sets the maximum time of the run of a child. Then its call ends with a tool error of kind
        /// [`Timeout`](crate::ErrorKind::Timeout). The builder rejects zero. Default: no limit.
        child_timeout(timeout: Duration) => parts.settings.child_timeout = Some(timeout);

        /// Sets how many runs of each child are shown; later runs have `shown: false` in
        /// [`EventKind::RunStarted`](crate::event::EventKind::RunStarted). The builder rejects 0. Default: 20.
        max_display_instances(instances: usize) => parts.settings.max_display_instances = instances;

        /// Sets whether a failed call of this agent as a tool may be repeated. Default: [`Effect::Once`], because its tools
        /// may have acted before it failed; no retry repeats such a call.
        effect(effect: Effect) => parts.settings.effect = effect;
    }
}
