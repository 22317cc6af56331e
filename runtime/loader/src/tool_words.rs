//! Tools in the words of a workflow.

use std::sync::Arc;

use onionskin_cards::{Card, Item};
use onionskin_core::definition::ToolWords;

use crate::entry::Step;

/// The step that adds a tool, with what the workflow of the card says of it.
pub(crate) fn worded(card: &Card, tool: &Item, step: Step) -> Step {
    let Some(used) = card.tool_use(tool).filter(|used| used.says_more()) else { return step };
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
    Arc::new(move |agent| agent.worded(words.clone(), |agent| step(agent)))
}

/// The name that models see of a tool, in place of its own one.
pub(crate) fn given_name(card: &Card, tool: &Item) -> Option<Arc<str>> {
    Some(card.tool_use(tool)?.name.as_ref()?.value.as_str().into())
}
