//! The filter of a hook, `for: [add_one]`, as a test of calls.

use std::sync::Arc;

use onionskin_cards::{Card, Filter, Spanned, Target};
use onionskin_core::__private0::is_child;
use onionskin_core::ToolContext;
use onionskin_core::declaration::CallFilter;
use onionskin_core::definition::ToolSource;
use onionskin_vocabulary::BuiltIn;
use onionskin_vocabulary::agent::ToolSource as SourceWord;

use crate::registered_item::IsOfToolbox;

/// A test of a call.
pub(crate) enum Test {
    /// A function, by the name that models see.
    Function(Arc<str>),
    Child(String),
    Toolbox(IsOfToolbox, Option<String>),
    Server(String),
    Source(SourceWord),
    /// A tool of a server, by its whole name.
    Remote(String),
    /// A built-in tool, or a family of them.
    BuiltIn(String),
    /// Any tool of this name.
    Named(String),
}

impl Test {
    fn concerns(&self, call: &ToolContext) -> bool {
        match self {
            Self::Function(name) => call.source() == ToolSource::Function && call.tool_name() == &**name,
            Self::Child(name) => is_child(call, name),
            Self::Toolbox(is_of, prefix) => is_of(call, prefix.as_deref()),
            Self::Server(name) => call.source().is_server() && call.server_name() == Some(name.as_str()),
            Self::Source(source) => SourceWord::from(call.source()) == *source,
            Self::Remote(name) => call.source().is_server() && call.tool_name() == name,
            Self::BuiltIn(name) => {
                call.source() == ToolSource::Runtime && BuiltIn::is_named(call.tool_name(), name)
            }
            Self::Named(name) => call.tool_name() == name,
        }
    }
}

/// The filter as a value. `items` finds the tools, toolboxes and children of the card by the last
/// parts of their names.
pub(crate) fn call_filter(card: &Card, filter: &Filter, items: impl Fn(&str) -> Vec<Test>) -> CallFilter {
    if filter.is_everywhere() {
        return CallFilter::everywhere();
    }
    let (tests, names) = tests(card, &filter.targets, items);
    let except = filter.except;
    let concerns = move |call: &ToolContext| tests.iter().any(|test| test.concerns(call)) != except;
    names.into_iter().fold(CallFilter::new(concerns), CallFilter::names)
}

/// The calls of built-in tools that change something, without those that `approval` of the card names.
pub(crate) fn unnamed_changes(card: &Card, items: impl Fn(&str) -> Vec<Test>) -> CallFilter {
    let filters = card.approval.iter().flatten().map(|approval| &approval.filter);
    let (named, _) = tests(card, filters.flat_map(|filter| &filter.targets), items);
    CallFilter::new(move |call: &ToolContext| {
        call.source() == ToolSource::Runtime
            && BuiltIn::from_word(call.tool_name()).is_some_and(BuiltIn::changes_something)
            && !named.iter().any(|test| test.concerns(call))
    })
}

/// The tests of targets, and the names of tools that only servers have.
fn tests<'t>(
    card: &Card,
    targets: impl IntoIterator<Item = &'t Spanned<Target>>,
    items: impl Fn(&str) -> Vec<Test>,
) -> (Vec<Test>, Vec<String>) {
    let (mut tests, mut names) = (Vec::new(), Vec::new());
    for target in targets {
        match &target.value {
            Target::Name(name) => {
                let mut found = items(name);
                if found.is_empty() {
                    found.push(by_name(card, name, &mut names));
                }
                tests.extend(found);
            }
            Target::Server(server) => tests.push(Test::Server(server.clone())),
            Target::Source(source) => tests.push(Test::Source(*source)),
            // A filter with it is none of names.
            Target::Everywhere => {}
            Target::Tool(tool) => {
                names.push(tool.clone());
                tests.push(Test::Named(tool.clone()));
            }
        }
    }
    (tests, names)
}

/// A built-in tool, or a tool of a server.
fn by_name(card: &Card, name: &str, names: &mut Vec<String>) -> Test {
    if card.runtime.iter().any(|tool| BuiltIn::is_named(&tool.value, name)) {
        return Test::BuiltIn(name.to_owned());
    }
    names.push(name.to_owned());
    Test::Remote(name.to_owned())
}
