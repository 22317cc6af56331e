//! What the items of a workflow have to be, beyond their kinds. The macros see them in files of Rust, and the loader in what the program
//! registered.

use std::path::Path;

use onionskin_vocabulary::agent::MessagePlace;

use super::Workflow;
use crate::item::Item;
use crate::problem::Problem;
use crate::source::Spanned;

/// What the source of an item shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemFacts {
    /// The other tools and hooks of its file, by their names.
    pub others: Vec<String>,
    /// Whether it is a tool that shows a component of its own.
    pub has_component: bool,
    /// The place that it runs at, if it is a hook on messages at one place.
    pub place: Option<MessagePlace>,
}

impl Workflow {
    /// The mistakes in items without mistakes of their own. `facts` says what can be seen of one; `None` if it cannot be seen.
    pub fn wrong_items(&self, mut facts: impl FnMut(&Item) -> Option<ItemFacts>) -> Vec<Problem> {
        let mut problems = Vec::new();
        for tool in self.deck.cards.iter().flat_map(|card| &card.tool_uses) {
            if tool.component.is_none() && facts(&tool.item.value).is_some_and(|facts| facts.has_component) {
                let message = format!(
                    "`{}` shows a component: move the entry to `ui_tools`, with `component` and `mode`",
                    tool.item.value
                );
                problems.push(at(&tool.item, message));
            }
        }
        for (place, item) in &self.hooks {
            let Some(other) = facts(&item.value).and_then(|facts| facts.place) else { continue };
            if other != place.value {
                let message = format!(
                    "`{}` is a hook of `{other}`, and not of `{}`: write `\"hook_type\": \"{other}\"`",
                    item.value, place.value
                );
                problems.push(at(place, message));
            }
        }
        problems.extend(self.shared_files(&mut facts));
        problems.sort_by_key(|problem| problem.span.start);
        // An entry of `ALL_AGENTS` is an entry of each.
        problems.dedup();
        problems
    }

    /// The files in `tools` that hold several tools or hooks.
    fn shared_files(&self, facts: &mut impl FnMut(&Item) -> Option<ItemFacts>) -> Vec<Problem> {
        let tools = self.deck.cards.iter().flat_map(|card| card.tool_uses.iter().map(|tool| &tool.item));
        let items = tools.chain(self.hooks.iter().map(|(_, item)| item));
        let mut files: Vec<(&str, &Spanned<Item>, Option<Problem>)> = Vec::new();
        for item in items {
            let Item::File { file, name } = &item.value else { continue };
            if Path::new(file).parent() != Some(Path::new("tools")) {
                continue;
            }
            let message = |first: &str, other: &str| {
                let or = if item.value.is_script() {
                    format!(
                        ", or write `private` in front of one that only the others call: `private fn {other}`"
                    )
                } else {
                    String::new()
                };
                format!(
                    "`{file}` holds `{first}` and `{other}`: a file in `tools` holds one tool, UI tool or hook; move one of them to a file \
                     of its own{or}"
                )
            };
            match files.iter_mut().find(|(known, ..)| known == file) {
                Some((_, first, _)) if first.value == item.value => {}
                // The mistake is shown at the second entry.
                Some((_, first, problem)) => {
                    *problem = Some(at(item, message(first.value.last_name(), name)));
                }
                None => {
                    let other = facts(&item.value).and_then(|facts| facts.others.into_iter().next());
                    files.push((file, item, other.map(|other| at(item, message(name, &other)))));
                }
            }
        }
        files.into_iter().filter_map(|(.., problem)| problem).collect()
    }
}

fn at<T>(place: &Spanned<T>, message: String) -> Problem {
    Problem { message, span: place.span.clone() }
}
