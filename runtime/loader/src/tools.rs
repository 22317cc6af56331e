//! The tools of a card: their names, and what its workflow says of them.

use std::collections::BTreeMap;

use onionskin_cards::{Card, Item, Toolbox};
use onionskin_core::definition::{ToolWords, wire_name};

/// The tools of an agent, by the names that its model reads.
#[derive(Default)]
pub(crate) struct ToolNames(BTreeMap<String, String>);

impl ToolNames {
    /// Adds a tool that the card names with `word`. Returns the mistake if an earlier tool has its name.
    pub(crate) fn add(&mut self, name: &str, word: &str) -> Option<String> {
        let name = wire_name(name);
        let Some(first) = self.0.get(&*name) else {
            self.0.insert(name.into_owned(), word.to_owned());
            return None;
        };
        Some(format!(
            "the tool `{name}` of `{word}` has the name of a tool of `{first}`: give one of them another name"
        ))
    }
}

/// The prefix of a toolbox's tools.
pub(crate) fn prefix(toolbox: &Toolbox) -> Option<String> {
    toolbox.prefix.as_ref().map(|prefix| prefix.value.clone())
}

/// The name of a toolbox's tool, with the prefix.
pub(crate) fn method_name(toolbox: &Toolbox, tool: &str) -> String {
    toolbox.prefix.as_ref().map_or_else(|| tool.to_owned(), |prefix| format!("{}_{tool}", prefix.value))
}

/// What the workflow of a card says of a tool.
pub(crate) fn tool_words(card: &Card, tool: &Item) -> Option<ToolWords> {
    let used = card.tool_use(tool).filter(|used| used.says_more())?;
    let mut words = ToolWords::new();
    if let Some(name) = &used.name {
        words = words.name(name.value.clone());
    }
    if let Some(text) = &used.description {
        words = words.description(text.value.clone());
    }
    if let (Some(component), Some(mode)) = (&used.component, &used.mode) {
        words = words.component(component.value.clone(), mode.value.into());
    }
    Some(words)
}
