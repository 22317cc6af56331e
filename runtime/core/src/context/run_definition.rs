//! Definitions of tools that depend on the run.

use std::sync::Arc;

use super::run::RunContext;
use crate::definition::{OfRun, ToolDefinition};
use crate::error::BoxError;

type Change = Box<dyn Fn(ToolDefinition, &RunContext) -> Result<ToolDefinition, BoxError> + Send + Sync>;

impl ToolDefinition {
    /// Makes the definition depend on the run: on its user, its session or its id. When a run begins, `change` gets this
    /// definition and the run, and returns the definition for the run, under the same name. The model sees it, and the
    /// arguments of the run's calls are checked against its schema before the tool's own hooks and stages.
    ///
    /// This definition is for everything outside of a run: [`AgentHandle::tool_names`](crate::AgentHandle::tool_names),
    /// exports, direct calls. Tools check their arguments against it too
    /// ([`Tool::fit_args`](crate::Tool::fit_args)), so it has to accept what the definition of each run accepts. A
    /// second call adds a change after the first one.
    ///
    /// An error or a panic of `change`, another name, a limit of zero, or a schema that is not an object's ends the run
    /// before its first turn ([`RunError::ToolDefinition`](crate::RunError::ToolDefinition)). Agents without such tools pay
    /// nothing for it.
    ///
    /// ```
    /// use onionskin::{Agent, ScriptedModel, ScriptedTurn, ToolSpec, agent, tool};
    /// use serde_json::json;
    ///
    /// /// Opens a project.
    /// #[tool]
    /// fn open(project: String) -> String {
    ///     format!("{project} is open")
    /// }
    ///
    /// agent! { Desk { instruction: "Answer." } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let mut open = open::spec();
    /// open.options(|options| {
    ///     *options = options.clone().for_each_run(|definition, run| {
    ///         let projects = match run.user().ok_or("the run has no user")? {
    ///             "ada" => ["engine", "notes"],
    ///             _ => ["guest", "public"],
    ///         };
    ///         let mut schema = (*definition.input_schema).clone();
    ///         schema["properties"]["project"]["enum"] = json!(projects);
    ///         Ok(definition.with_input_schema(schema))
    ///     });
    /// });
    /// let turns = ["engine", "guest"].map(|name| ScriptedTurn::call("open", json!({ "project": name })));
    /// let model = ScriptedModel::turns(turns.into_iter().chain([ScriptedTurn::say("{results}")]));
    /// let desk = Desk::builder().model(model).tool(open).build().await.unwrap();
    /// let output = desk.request("Open them.").user("ada").run().await.unwrap();
    /// assert_eq!(output.tool_calls[0].to_text(), "engine is open");
    /// assert!(output.tool_calls[1].to_text().contains("expected one of"), "{output:?}");
    /// # });
    /// ```
    #[must_use]
    pub fn for_each_run(
        mut self,
        change: impl Fn(Self, &RunContext) -> Result<Self, BoxError> + Send + Sync + 'static,
    ) -> Self {
        let change: Change = match self.of_run.take() {
            None => Box::new(change),
            Some(earlier) => Box::new(move |definition, run| {
                let definition = match changes(&earlier) {
                    Some(earlier) => earlier(definition, run)?,
                    None => definition,
                };
                change(definition, run)
            }),
        };
        self.of_run = Some(OfRun(Arc::new(change)));
        self
    }

    /// Whether each run has its own definition of the tool.
    pub(crate) fn depends_on_run(&self) -> bool {
        self.of_run.is_some()
    }

    /// The definition for a run.
    ///
    /// # Errors
    /// Returns the error of the function that changes it, or an error if the name changed.
    pub(crate) fn for_run(&self, run: &RunContext) -> Result<Self, BoxError> {
        let Some(change) = self.of_run.as_ref().and_then(changes) else { return Ok(self.clone()) };
        let mut changed = change(self.clone(), run)?;
        if changed.name != self.name {
            return Err(format!("it has another name, `{}`; keep the name", changed.name).into());
        }
        if let Some(problem) = changed.no_object() {
            return Err(format!(
                "its schema is not that of an object: {problem}; write `\"type\": \"object\"`"
            )
            .into());
        }
        if let Some(problem) = changed.schema_mistake() {
            return Err(format!("its schema has a mistake: {problem}").into());
        }
        if let Some(setting) = changed.zero() {
            return Err(format!("its `{setting}` is 0, so no call could succeed; leave it out").into());
        }
        // What the runtime knows of the tool itself.
        changed.of_run.clone_from(&self.of_run);
        changed.has_secrets = self.has_secrets;
        changed.starts_inside = self.starts_inside;
        changed.asks = changed.asks.max(self.asks);
        changed.ui = changed.ui.take().or_else(|| self.ui.clone());
        changed.is_of_server = self.is_of_server;
        changed.is_built_in = self.is_built_in;
        Ok(changed)
    }
}

fn changes(of_run: &OfRun) -> Option<&Change> {
    of_run.0.downcast_ref()
}
