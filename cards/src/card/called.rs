//! What a word in the filter of a hook names.

use super::Card;
use crate::source::Spanned;
use crate::use_of::Item;

/// A tool, a toolbox or a child that a word in the filter of a hook names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Called<'c> {
    /// A tool of `function_tools`.
    Tool(&'c Item),
    /// A toolbox, under each of its prefixes.
    Toolbox(&'c Item),
    /// A child, as `agents` names it.
    Child(&'c str),
}

impl Called<'_> {
    /// The word that names nothing else: the item as its list has it. A child that is a card has the name of its tool, because its own name is
    /// the last part of others.
    pub fn full_word(&self) -> String {
        match self {
            Self::Tool(item) | Self::Toolbox(item) => item.to_string(),
            Self::Child(child) if child.contains("::") => (*child).to_owned(),
            Self::Child(child) => format!("tool(agent__{child})"),
        }
    }
}

impl Card {
    /// What a word in the filter of a hook names: an item as its list has it, or else all items whose name ends so, and the tools that a workflow
    /// calls so. Without mistakes there is at most one.
    pub fn called(&self, word: &str) -> Vec<Called<'_>> {
        let all = self.callable();
        let item = Item::read(word, "tools.rs:add_one").map(|item| item.to_string());
        let word = item.as_deref().unwrap_or(word);
        let full: Vec<_> =
            all.iter().copied().filter(|called| word.contains(':') && called.full_word() == word).collect();
        if !full.is_empty() {
            return full;
        }
        all.into_iter().filter(|called| self.has_name(*called, word)).collect()
    }

    /// The names that [`Self::called`] knows.
    pub(super) fn called_names(&self) -> Vec<&str> {
        let given = self.tool_uses.iter().filter_map(|used| used.name.as_ref());
        let last_names = self.callable().into_iter().map(|called| match called {
            Called::Tool(item) | Called::Toolbox(item) => item.last_name(),
            Called::Child(child) => last_name(child),
        });
        last_names.chain(given.map(|name| &*name.value)).collect()
    }

    /// The tools, toolboxes and children, each once.
    fn callable(&self) -> Vec<Called<'_>> {
        let mut all = Vec::new();
        let mut add = |called| {
            if !all.contains(&called) {
                all.push(called);
            }
        };
        self.function_tools.iter().for_each(|tool| add(Called::Tool(&tool.value)));
        self.toolboxes.iter().for_each(|toolbox| add(Called::Toolbox(&toolbox.item.value)));
        self.agents.iter().for_each(|child| add(Called::Child(&child.value)));
        all
    }

    fn has_name(&self, called: Called<'_>, word: &str) -> bool {
        let given = |tool| self.tool_use(tool).and_then(|used| used.name.as_ref());
        match called {
            Called::Tool(tool) => tool.last_name() == word || given(tool).is_some_and(is(word)),
            Called::Toolbox(toolbox) => toolbox.last_name() == word,
            Called::Child(child) => last_name(child) == word,
        }
    }
}

fn is(word: &str) -> impl Fn(&Spanned<String>) -> bool {
    move |name| name.value == word
}

fn last_name(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}
