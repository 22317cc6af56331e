//! The words that a workflow has for a tool, beyond its code.

use onionskin_vocabulary::agent::UiMode;

use crate::item::Item;
use crate::source::Spanned;

/// What a workflow says of an agent's tool beyond its code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolUse {
    /// The tool.
    pub item: Spanned<Item>,
    /// The name for the model, in place of the function's.
    pub name: Option<Spanned<String>>,
    /// The description, in place of the function's documentation.
    pub description: Option<Spanned<String>>,
    /// The component that shows it. UI tools have one, and others not.
    pub component: Option<Spanned<String>>,
    /// Where the component is shown.
    pub mode: Option<Spanned<UiMode>>,
}

impl ToolUse {
    /// Whether it says more than that the agent has the tool.
    pub fn says_more(&self) -> bool {
        self.name.is_some() || self.description.is_some() || self.component.is_some()
    }
}
