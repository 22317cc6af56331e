//! What a declaration that is made at run time says with methods, and `agent!` in its own words: the place of the builder's hooks, tools as
//! values, other words for tools, the text that ends a run, and the function in place of the loop.

use std::sync::Arc;

use super::AgentDeclaration;
use onionskin_definitions::definition::ToolWords;
use onionskin_tools::spec::ToolValue;

impl AgentDeclaration {
    /// Sets the place of the dynamic hooks, those that the builder adds: inside of the hooks that were added before, as `..` in
    /// `tool_hooks`. Without it they are outside of all declared ones.
    #[must_use]
    pub fn dynamic_hooks(mut self) -> Self {
        self.parts.outside = self.parts.hooks.len();
        self
    }

    /// Adds a tool that is a value, such as a [`ToolSpec`](crate::ToolSpec), behind the other tools. An agent with another state than the
    /// tool's is not built ([`BuildError::ToolState`](crate::BuildError::ToolState)).
    #[must_use]
    pub fn tool_value(mut self, tool: impl ToolValue) -> Self {
        self.parts.specs.push(tool.tool_value());
        self
    }

    /// Adds tools, and gives them other words: `add` calls [`Self::tool`] or [`Self::tool_value`]. The tool itself stays as it is, with
    /// its parameters and options, and so do other agents with it. An agent is not built if `add` adds no tool
    /// ([`BuildError::WordsWithoutTool`](crate::BuildError::WordsWithoutTool)).
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

    /// Lets each run continue until an answer contains this text: after an answer without it, the model is asked to go on, in the same
    /// conversation and under the same [limits](Self::limits). So a run that never says it ends with
    /// [`RunError::Limit`](crate::RunError::Limit). A tool that ends the run ([`Exit::stop`](crate::Exit::stop)) still does, and the text is
    /// not taken out of the answer.
    ///
    /// An agent whose answers have a type ends with the first that fits, so such an agent is not built
    /// ([`BuildError::UntilTyped`](crate::BuildError::UntilTyped)), and [`RunRequest::run_as`](crate::agent::RunRequest::run_as) does not look for
    /// the text. With an empty text an agent is not built either ([`BuildError::UntilEmpty`](crate::BuildError::UntilEmpty)).
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
