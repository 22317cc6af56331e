//! Hooks that act on tools with `effect = pure` only, where they would do nothing.

use onionskin_cards::{Called, Card, Filter, Hook, Kind, Problem, Target};

use crate::find::Finder;

/// The mistakes of such a hook: the tools in its filter for which it does nothing; without a filter, that all tools are scripts.
pub(crate) fn mistakes(
    card: &Card,
    hook: &Hook,
    filter: Option<&Filter>,
    finder: &Finder<'_>,
) -> Vec<Problem> {
    let item = &hook.item.value;
    let Some(filter) = filter else {
        let message = format!(
            "`{item}` keeps no result of this agent, because a script cannot say that it changes nothing: remove the hook"
        );
        let problem = Problem { message, span: hook.item.span.clone() };
        return has_only_scripts(card).then_some(problem).into_iter().collect();
    };
    let mut problems = Vec::new();
    for target in filter.targets.iter().filter(|_| !filter.except) {
        let Target::Name(name) = &target.value else { continue };
        for called in card.called(name) {
            let Called::Tool(tool) = called else { continue };
            if finder.item(card, tool, Kind::Tool).is_none_or(|tool| tool.is_pure_tool()) {
                continue;
            }
            let why = if tool.is_script() {
                "a script cannot say that it changes nothing"
            } else {
                "it has no `effect = pure`"
            };
            let message =
                format!("`{item}` keeps no result of `{name}`, because {why}: remove it from the filter");
            problems.push(Problem { message, span: target.span.clone() });
        }
    }
    problems
}

fn has_only_scripts(card: &Card) -> bool {
    card.servers.is_empty()
        && card.toolboxes.is_empty()
        && card.agents.is_empty()
        && card.runtime.is_empty()
        && !card.function_tools.is_empty()
        && card.function_tools.iter().all(|tool| tool.value.is_script())
}
