//! Methods of declarations created at run time, for options that `agent!` expresses in its syntax: the place
//! of the builder's hooks, tools as values, other wordings of tools, and the text that ends a run.

use std::sync::Arc;

use super::AgentDeclaration;
use onionskin_definitions::definition::ToolWords;
use onionskin_tools::spec::ToolValue;

impl AgentDeclaration {
    /// Places the dynamic hooks, which the builder adds, inside the hooks added so far, as `..` in
    /// `tool_hooks`. By default they are outside all declared hooks.
    #[must_use]
    pub fn dynamic_hooks(mut self) -> Self {
        self.parts.outside = self.parts.hooks.len();
        self
    }

    /// Adds a tool value, such as a [`ToolSpec`](crate::ToolSpec), after the other tools. Building fails if
    /// the tool takes another state than the agent's
    /// ([`BuildError::ToolState`](crate::BuildError::ToolState)).
    #[must_use]
    pub fn tool_value(mut self, tool: impl ToolValue) -> Self {
        self.parts.specs.push(tool.tool_value());
        self
    }

    /// Adds tools with other names and descriptions: `add` calls [`Self::tool`] or [`Self::tool_value`]. The
    /// tool's parameters and options are unchanged, and so is the tool in other agents. Building fails if
    /// `add` adds no tool ([`BuildError::Contradiction`](crate::BuildError::Contradiction)).
    ///
    /// ```
    /// use onionskin::declaration::{AgentDeclaration, DynAgent};
    /// use onionskin::definition::ToolWords;
    /// use onionskin::{App, ScriptedModel, ScriptedTurn, tool};
    /// use serde_json::json;
    ///
    /// /// Says a text back.
    /// #[tool]
    /// fn echo(text: String) -> String {
    ///     text
    /// }
    ///
    /// let clerk = DynAgent::new("Clerk", || {
    ///     AgentDeclaration::new()
    ///         .instruction("Talk.")
    ///         .worded(ToolWords::new().name("say"), |agent| agent.tool(echo::default()))
    /// });
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let model = ScriptedModel::turns([ScriptedTurn::call("say", json!({ "text": "Ho." })), ScriptedTurn::say("{last}")]);
    /// let app = App::builder().dyn_agent(&clerk).model(model).build().await.unwrap();
    /// assert_eq!(app.run("Talk.").await.unwrap().text, "Ho.");
    /// # });
    /// ```
    #[must_use]
    pub fn worded(mut self, words: ToolWords, add: impl FnOnce(Self) -> Self) -> Self {
        let (tools, specs) = (self.parts.tools.len(), self.parts.specs.len());
        self = add(self);
        self.parts.worded.adds_nothing |= self.parts.tools.len() == tools && self.parts.specs.len() == specs;
        for spec in &mut self.parts.specs[specs..] {
            spec.reword(&words);
        }
        if self.parts.tools.len() > tools {
            self.parts.worded.tools.push((tools..self.parts.tools.len(), words));
        }
        self
    }

    /// Continues each run until an answer contains this text: after an answer without it, the model is asked
    /// to go on, in the same conversation and under the same [limits](Self::limits). A run whose model never
    /// writes the text ends with [`RunError::Limit`](crate::RunError::Limit). A tool can still end the run
    /// ([`Exit::stop`](crate::Exit::stop)). The text is not removed from the answer.
    ///
    /// A run with a typed answer ends with the first answer that fits: building fails if the agent has an
    /// output type ([`BuildError::Contradiction`](crate::BuildError::Contradiction)), and
    /// [`RunRequest::run_as`](crate::agent::RunRequest::run_as) ignores the text. Building also fails if the
    /// text is empty ([`BuildError::Contradiction`](crate::BuildError::Contradiction)).
    ///
    /// ```
    /// use onionskin::declaration::{AgentDeclaration, DynAgent};
    /// use onionskin::{App, ScriptedModel, ScriptedTurn};
    ///
    /// let clerk = DynAgent::new("Clerk", || AgentDeclaration::new().instruction("Write, then say DONE.").until("DONE"));
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let model = ScriptedModel::turns([ScriptedTurn::say("One line."), ScriptedTurn::say("Another one. DONE")]);
    /// let app = App::builder().dyn_agent(&clerk).model(model).build().await.unwrap();
    /// let output = app.run("Write two lines.").await.unwrap();
    /// assert_eq!((output.text.as_str(), output.turns), ("Another one. DONE", 2));
    /// # });
    /// ```
    #[must_use]
    pub fn until(mut self, text: impl Into<Arc<str>>) -> Self {
        self.parts.until = Some(text.into());
        self
    }
}
