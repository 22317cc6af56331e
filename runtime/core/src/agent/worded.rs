//! Tools in the words of one agent.

use std::ops::Range;
use std::sync::Arc;

use super::declaration::AgentDeclaration;
use crate::definition::ToolWords;
use crate::onion::Definitions;
use crate::tool::DynTool;

/// The words for tools of a declaration.
#[derive(Default)]
pub(crate) struct Worded {
    /// By the indices of the compiled tools.
    compiled: Vec<(usize, ToolWords)>,
    /// By the positions of the other ones.
    tools: Vec<(Range<usize>, ToolWords)>,
}

impl Worded {
    pub(super) fn is_empty(&self) -> bool {
        self.compiled.is_empty() && self.tools.is_empty()
    }

    /// The definitions of the compiled tools in these words.
    pub(super) fn compiled(&self, definitions: Definitions) -> Definitions {
        let worded = |(index, definition)| match self
            .compiled
            .iter()
            .find(|(at, _)| *at == index)
            .map(|(_, words)| words)
        {
            Some(words) => (index, Result::map(definition, |definition| words.of(definition))),
            None => (index, definition),
        };
        definitions.into_iter().map(worded).collect()
    }

    /// The words for the tool at this position.
    pub(super) fn tool(&self, position: usize) -> Option<&ToolWords> {
        self.tools.iter().find(|(positions, _)| positions.contains(&position)).map(|(_, words)| words)
    }
}

/// A tool of a declaration, under the name of its type.
pub(super) type DeclaredTool = (&'static str, Arc<dyn DynTool>);

impl AgentDeclaration {
    /// Adds tools, and gives them other words: `add` calls [`Self::tool`] or [`Self::tool_value`]. The tool itself stays as it is, with
    /// its parameters and options, and so do other agents with it.
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
        let (tools, specs) = (self.tools.len(), self.specs.len());
        self = add(self);
        for spec in &mut self.specs[specs..] {
            spec.reword(&words);
        }
        if self.tools.len() > tools {
            self.worded.tools.push((tools..self.tools.len(), words));
        }
        self
    }

    /// As [`Self::worded`], for the compiled tool of this index. `agent!` writes it.
    #[doc(hidden)]
    #[must_use]
    pub fn compiled_words(mut self, index: usize, words: ToolWords) -> Self {
        self.worded.compiled.push((index, words));
        self
    }

    /// Lets each run go on until an answer holds this text: after an answer without it, the model is asked to go on, in the same
    /// conversation and under the same [limits](Self::limits). So a run that never says it ends with
    /// [`RunError::Limit`](crate::RunError::Limit). A tool that ends the run ([`Exit::stop`](crate::Exit::stop)) still does, and the text is
    /// not taken out of the answer.
    ///
    /// An agent whose answers have a type ends with the first that fits, so such an agent is not built
    /// ([`BuildError::UntilTyped`](crate::BuildError::UntilTyped)), and [`RunRequest::run_as`](super::RunRequest::run_as) does not look for
    /// the text.
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
        self.until = Some(text.into());
        self
    }
}
