//! The words in the filter of a hook: what each of them names, and the mistake of one that names nothing.

use std::collections::HashSet;

use onionskin_vocabulary::{BuiltIn, nearest};

use super::Card;
use crate::item::{Item, is_path};
use crate::source::Spanned;

/// A tool, a toolbox or a child that a word in the filter of a hook names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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

    /// The mistake in the name of a tool, a child, a toolbox or a built-in tool in a filter. `servers` are the agent's servers.
    pub(super) fn filter_mistake(&self, name: &str, servers: &[&str]) -> Option<String> {
        let words: Vec<String> =
            self.called(name).iter().map(|called| format!("`{}`", called.full_word())).collect();
        match &words[..] {
            [] => {}
            [_] => return None,
            // A hook that sees one of them only would be missing at the others.
            [first @ .., last] => {
                let first = first.join(", ");
                return Some(format!(
                    "`{name}` can be {first} or {last} of this agent; write the ones that you mean in this form"
                ));
            }
        }
        if self.is_built_in(name) || is_of_a_server(name, servers) {
            return None;
        }
        let built_in = self.runtime.iter().map(|tool| &*tool.value);
        let advice = match (
            BuiltIn::first_named(name),
            nearest(name, self.called_names().into_iter().chain(built_in)),
        ) {
            (Some(tool), _) => format!("add it: `runtime: [{}]`", tool.word()),
            (None, Some(near)) => format!("did you mean `{near}`?"),
            (None, None) => {
                let server_names = server_names(name, servers);
                format!("{server_names}a tool that is added when the agent is built is `tool({name})`")
            }
        };
        Some(format!("this agent has no tool `{name}`; {advice}"))
    }

    /// Whether a name in a filter is a tool of one of these servers, and of nothing else that the agent has.
    pub(super) fn is_of_servers(&self, name: &str, servers: &[&str]) -> bool {
        self.called(name).is_empty() && !self.is_built_in(name) && is_of_a_server(name, servers)
    }

    fn is_built_in(&self, name: &str) -> bool {
        self.runtime.iter().any(|tool| BuiltIn::is_named(&tool.value, name))
    }

    /// The names that [`Self::called`] knows.
    fn called_names(&self) -> Vec<&str> {
        let new_name = self.tool_uses.iter().filter_map(|used| used.name.as_ref());
        let last_names = self.callable().into_iter().map(|called| match called {
            Called::Tool(item) | Called::Toolbox(item) => item.last_name(),
            Called::Child(child) => last_name(child),
        });
        last_names.chain(new_name.map(|name| &*name.value)).collect()
    }

    /// The tools, toolboxes and children, each once.
    fn callable(&self) -> Vec<Called<'_>> {
        let (mut all, mut added) = (Vec::new(), HashSet::new());
        let mut add = |called| {
            if added.insert(called) {
                all.push(called);
            }
        };
        self.function_tools.iter().for_each(|tool| add(Called::Tool(&tool.value)));
        self.toolboxes.iter().for_each(|toolbox| add(Called::Toolbox(&toolbox.item.value)));
        self.agents.iter().for_each(|child| add(Called::Child(&child.value)));
        all
    }

    fn has_name(&self, called: Called<'_>, word: &str) -> bool {
        let new_name = |tool| self.tool_use(tool).and_then(|used| used.name.as_ref());
        match called {
            Called::Tool(tool) => tool.last_name() == word || new_name(tool).is_some_and(is(word)),
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

/// The words for a tool that can be one of these servers, if there are any.
fn server_names(name: &str, servers: &[&str]) -> String {
    let names: Vec<_> = servers.iter().take(3).map(|server| format!("`{server}__{name}`")).collect();
    if names.is_empty() || !is_path(name) {
        return String::new();
    }
    format!("a tool of a server has the server's name before it, {}; ", names.join(" or "))
}

/// Whether a tool is one of a server, by its name: `time__get_time`.
fn is_of_a_server(tool: &str, servers: &[&str]) -> bool {
    servers
        .iter()
        .any(|server| tool.strip_prefix(server).and_then(|rest| rest.strip_prefix("__")).is_some_and(is_path))
}
