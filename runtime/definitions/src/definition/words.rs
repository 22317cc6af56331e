//! An agent's own words for a tool.

use std::borrow::Cow;

use super::definition::ToolDefinition;
use super::ui_tool::{UiMode, UiTool};

/// An agent's name, description and component for a tool, which replace those of the tool's definition in
/// this agent only. `AgentDeclaration::worded` takes it.
///
/// ```
/// use onionskin::declaration::AgentDeclaration;
/// use onionskin::definition::ToolWords;
/// use onionskin::tool;
///
/// /// Says a text back.
/// #[tool]
/// fn echo(text: String) -> String {
///     text
/// }
///
/// let words = ToolWords::new().name("say").description("Says a text.");
/// let clerk = AgentDeclaration::new().instruction("Talk.").worded(words, |agent| agent.tool(echo::default()));
/// # let _ = clerk;
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use = "words change nothing until a declaration takes them"]
pub struct ToolWords {
    name: Option<Cow<'static, str>>,
    description: Option<Cow<'static, str>>,
    component: Option<UiTool>,
}

impl ToolWords {
    /// Changes nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the name that models, hooks and events see. If providers reject the name, building the agent
    /// fails (`BuildError::ToolName`).
    pub fn name(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the description for the model.
    pub fn description(mut self, text: impl Into<Cow<'static, str>>) -> Self {
        self.description = Some(text.into());
        self
    }

    /// Sets the component that the tool shows to a person, as [`ToolDefinition::with_component`] does.
    pub fn component(mut self, component: impl Into<Cow<'static, str>>, mode: UiMode) -> Self {
        self.component = Some(UiTool { component: component.into(), mode, page: None });
        self
    }

    /// Returns the definition with these words.
    pub fn apply_to(&self, mut definition: ToolDefinition) -> ToolDefinition {
        if let Some(name) = &self.name {
            definition.name = name.as_ref().into();
        }
        if let Some(text) = &self.description {
            definition.description = text.as_ref().into();
        }
        match &self.component {
            Some(UiTool { component, mode, .. }) => definition.with_component(component.clone(), *mode),
            None => definition,
        }
    }

    /// The name, if these words set one.
    pub fn explicit_name(&self) -> Option<&str> {
        self.name.as_deref()
    }
}
