//! Descriptions of built agents.

use std::sync::Arc;

use onionskin_definitions::definition::Asks;
use onionskin_tools::context::{RunContext, ToolContext, ToolEntry};

use crate::agent::built::instance::Instance;
use crate::agent::built::tool_list::ListError;
use crate::agent::callers::handle::AgentHandle;
use crate::agent::error::server_error::ServerError;
use crate::agent::parts::Parts;
use crate::description::{AgentDescription, AppDescription, ToolDescription};

use super::app::App;

impl AgentHandle {
    /// Describes the agent for people and programs: its tools with the hooks around each, its children, its
    /// servers. The tools of servers are the current ones.
    ///
    /// # Errors
    /// As [`Self::tool_names`].
    pub fn describe(&self) -> Result<AgentDescription, ServerError> {
        self.0.instance.describe()
    }
}

impl App {
    /// Describes its agents, the entry agent first.
    ///
    /// ```
    /// use onionskin::{App, ScriptedModel, agent, hooks, tool};
    ///
    /// /// Adds one.
    /// #[tool(effect = pure)]
    /// fn add_one(x: i64) -> i64 {
    ///     x + 1
    /// }
    ///
    /// agent! { Clerk { instruction: "Add.", function_tools: [add_one], tool_hooks: [hooks::log, hooks::retry(3)] } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let app = App::builder().agent::<Clerk>().model(ScriptedModel::turns([])).build().await?;
    /// let app = app.describe()?;
    /// assert_eq!(app.agents[0].tools[0].hooks, ["log", "retry"]);
    /// assert!(app.to_markdown().contains("Adds one."));
    /// assert!(app.to_mermaid().starts_with("graph TD"));
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    /// Returns an error if a server panics while it lists its tools.
    pub fn describe(&self) -> Result<AppDescription, ServerError> {
        let entry = self.entry().name();
        let mut agents = vec![self.entry().describe()?];
        for name in self.agents().filter(|name| *name != entry) {
            if let Ok(agent) = self.agent(name) {
                agents.push(agent.describe()?);
            }
        }
        Ok(AppDescription { agents })
    }
}

impl Instance {
    fn describe(&self) -> Result<AgentDescription, ServerError> {
        let table = self.tools.tools(None).map_err(ListError::into_server_error)?.table;
        let tools = table.entries().iter().map(|entry| self.describe_tool(entry)).collect();
        let Parts { description, settings, run_hooks, turn_hooks, .. } = &self.declaration;
        let message_hooks = self.message_hooks();
        // Its resources and prompts have entries of their own.
        let mut servers: Vec<_> = self.tools.servers.iter().map(|server| server.server.to_string()).collect();
        servers.dedup();
        Ok(AgentDescription {
            name: self.name.to_string(),
            description: description.clone(),
            model: settings.model.as_deref().map(str::to_owned),
            answer: self.answer.as_ref().map(|answer| answer.schema().name().to_owned()),
            answer_schema: self.answer.as_ref().map(|answer| answer.output_schema().clone()),
            tools,
            children: self.info.children().map(str::to_owned).collect(),
            servers,
            run_hooks: run_hooks.iter().map(|hook| hook.name().to_owned()).collect(),
            turn_hooks: turn_hooks.iter().map(|hook| hook.name().to_owned()).collect(),
            message_hooks: message_hooks.iter().flat_map(|hooks| hooks.names()).collect(),
        })
    }

    fn describe_tool(&self, entry: &Arc<ToolEntry>) -> ToolDescription {
        let call = ToolContext::new(RunContext::detached(), Arc::clone(entry), Arc::from(""), 0, 0);
        let [mut input_guardrails, of_agent] = self.guardrails.names(&call);
        let mut hooks = self.declaration.hooks_around(&call);
        let (mut output_guardrails, layers) = (Vec::new(), entry.definition.layers);
        if let Some(layers) = layers {
            let add =
                |names: &mut Vec<String>, own: &[&str]| names.extend(own.iter().map(ToString::to_string));
            add(&mut hooks, layers.hooks);
            add(&mut input_guardrails, layers.input_guardrails);
            add(&mut output_guardrails, layers.output_guardrails);
        }
        output_guardrails.extend(of_agent);
        let ui = entry.definition.ui.as_ref();
        ToolDescription {
            name: entry.wire_name.to_string(),
            source: entry.source,
            server: entry.server.as_deref().filter(|_| entry.source.is_server()).map(str::to_owned),
            description: entry.definition.description.to_string(),
            input_schema: (*entry.definition.input_schema).clone(),
            output_schema: entry.definition.output_schema.as_deref().cloned(),
            effect: entry.definition.effect,
            approval: entry.definition.asks == Asks::Approval,
            questions: entry.definition.asks == Asks::More,
            component: ui.map(|ui| ui.component.to_string()),
            mode: ui.map(|ui| ui.mode),
            hooks,
            input_guardrails,
            output_guardrails,
            is_cached: layers.is_some_and(|layers| layers.has_cache),
        }
    }
}
