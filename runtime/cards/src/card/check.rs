//! The mistakes that a card alone shows, beyond the forms of its values.

use std::collections::BTreeSet;
use std::ops::Range;

use onionskin_vocabulary::agent::{RequestParam, Setting, TextField, TurnPlace};
use onionskin_vocabulary::server_data::{PatternField, pattern_twice};
use onionskin_vocabulary::{
    BuiltIn, agent_name_mistake, header_name_mistake, header_twice, header_value_mistake, messages, nearest,
    ready_hook_at,
};

use super::{Card, Filter, Hook, HookItem, Text};
use crate::item::{Item, is_path};
use crate::reader::Reader;
use crate::source::Spanned;
use crate::target::Target;

pub(super) fn check(card: &Card, has_prompt: bool, reader: &mut Reader) {
    // A list without items can be one whose items could not be read.
    let is_whole = reader.problems.is_empty();
    if !has_prompt {
        let name = &card.name.value;
        let message = format!(
            "the agent `{name}` has no instruction: add `instruction: \"..\"`, or a text below the fields"
        );
        reader.note(&card.name.span, message);
    }
    if let Some(message) = agent_name_mistake(&card.name.value) {
        reader.note(&card.name.span, message);
    }
    servers(card, is_whole, reader);
    headers(card, reader);
    let tools = card.function_tools.iter().map(|tool| (tool.value.to_string(), &tool.span));
    twice(tools, |_| "this tool is in the list twice; keep one".to_owned(), reader);
    let agents = card.agents.iter().map(|agent| (agent.value.clone(), &agent.span));
    twice(agents, |_| "this agent is in the list twice; keep one".to_owned(), reader);
    let toolboxes = card.toolboxes.iter().map(|toolbox| {
        let prefix = toolbox.prefix.as_ref().map(|prefix| prefix.value.clone());
        ((prefix, toolbox.item.value.to_string()), &toolbox.item.span)
    });
    let message =
        "this toolbox is named twice: keep one, or tell them apart by a prefix: `{ archive: kb.rs:Kb }`";
    twice(toolboxes, |_| message.to_owned(), reader);
    prefixes(card, reader);
    children(card, reader);
    let built_in = card.runtime.iter().map(|tool| (tool.value.clone(), &tool.span));
    twice(built_in, |_| "this tool is in the list twice; keep one".to_owned(), reader);
    for tool in card.runtime.iter().filter(|tool| BuiltIn::from_word(&tool.value).is_none()) {
        reader.note(&tool.span, unknown_built_in(&tool.value));
    }
    tool_choice(card, reader);
    replaced_prompt(card, reader);
    parser(card, is_whole, reader);
    hooks(card, reader);
    hooks_listed_twice(card, reader);
    ready_hooks_without_crate(card, reader);
}

/// The error for a name that no built-in tool has.
fn unknown_built_in(word: &str) -> String {
    let family: Vec<_> = BuiltIn::ALL
        .iter()
        .filter(|tool| tool.family() == word)
        .map(|tool| format!("`{}`", tool.word()))
        .collect();
    if family.len() < 2 {
        return BuiltIn::unknown(word);
    }
    format!("`{word}` has several built-in tools: name those that the agent needs, {}", family.join(", "))
}

/// A word of another framework, or a misspelt one, in place of a choice. The tools of toolboxes and of the program are not known.
fn tool_choice(card: &Card, reader: &mut Reader) {
    const CHOICES: [&str; 3] = ["auto", "none", "required"];
    const OTHERS: [(&str, &str); 4] =
        [("always", "required"), ("any", "required"), ("force", "required"), ("never", "none")];
    let choice = card.request_params.iter().find(|(param, _)| param.value == RequestParam::ToolChoice);
    let Some((word, span)) = choice.and_then(|(_, value)| Some((value.value.as_str()?, &value.span))) else {
        return;
    };
    if CHOICES.contains(&word) || !card.called(word).is_empty() || !card.toolboxes.is_empty() {
        return;
    }
    let other = OTHERS.iter().find(|(other, _)| *other == word).map(|(_, meant)| *meant);
    // `note` is like `none`, and can be a tool.
    if let Some(meant) = other.or_else(|| nearest(word, ["required"])) {
        let message = format!(
            "there is no tool `{word}`, and `tool_choice` is `auto`, `none`, `required` or the name of a tool: did you mean `{meant}`?"
        );
        reader.note(span, message);
    }
}

/// Paths of ready hooks that begin at no crate. A program could find them by chance only.
fn ready_hooks_without_crate(card: &Card, reader: &mut Reader) {
    let around_calls = card.around_calls().map(|(hook, _)| hook);
    let around_turns = card.turn_hooks.iter().map(|(_, hook)| hook);
    let hooks = around_calls.chain(&card.run_hooks).chain(around_turns).chain(&card.message_hooks);
    for Spanned { value, span } in hooks.map(|hook| &hook.item) {
        let Item::Path(path) = value else { continue };
        if let Some(ready) = ready_hook_at(path) {
            let message = format!(
                "`{path}` does not start with a crate: write `{ready}`, or `crate::{path}` for your own"
            );
            reader.note(span, message);
        }
    }
}

/// A prefix is the first part of the names of tools.
fn prefixes(card: &Card, reader: &mut Reader) {
    for prefix in card.toolboxes.iter().filter_map(|toolbox| toolbox.prefix.as_ref()) {
        let is_name = |name: &str| {
            name.starts_with(|first: char| first.is_ascii_alphabetic())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        if !is_name(&prefix.value) {
            let message = "a prefix may contain only letters, digits and `_`, and must begin with a letter: `{ archive: kb.rs:Kb }`";
            reader.note(&prefix.span, message);
        }
    }
}

/// A child is a card, or an agent of the program.
fn children(card: &Card, reader: &mut Reader) {
    for child in card.agents.iter().filter(|child| child.value.contains("::") && !is_path(&child.value)) {
        let message = format!("`{}` is not the path of an agent: `crate::agents::Helper`", child.value);
        reader.note(&child.span, message);
    }
}

fn servers(card: &Card, is_whole: bool, reader: &mut Reader) {
    let names: Vec<&str> = card.servers.iter().map(|server| &*server.value).collect();
    let servers = card.servers.iter().map(|server| (server.value.clone(), &server.span));
    twice(servers, |name| format!("the server `{name}` is named twice; keep one"), reader);
    for field in PatternField::ALL {
        for (server, patterns) in card.patterns(field) {
            undeclared(server, &names, reader);
            // An agent can use a server for its data alone.
            let is_for_data =
                PatternField::DATA.into_iter().any(|other| card.has_patterns(other, &server.value));
            if is_whole && patterns.is_empty() && !(field == PatternField::Tools && is_for_data) {
                reader.note(&server.span, field.no_pattern(&server.value));
            }
            let patterns = patterns.iter().map(|pattern| (&*pattern.value, &pattern.span));
            twice(patterns, |pattern| pattern_twice(pattern), reader);
        }
    }
}

fn headers(card: &Card, reader: &mut Reader) {
    let names: Vec<&str> = card.servers.iter().map(|server| &*server.value).collect();
    for (server, headers) in &card.headers {
        undeclared(server, &names, reader);
        let given = headers.iter().map(|(name, _)| (name.value.to_ascii_lowercase(), &name.span));
        twice(given, |name| header_twice(name), reader);
        for (name, value) in headers {
            if let Some(mistake) = header_name_mistake(&name.value) {
                reader.note(&name.span, mistake);
            }
            if let Some(mistake) = header_value_mistake(&value.value, card.state.is_some()) {
                reader.note(&value.span, mistake);
            }
        }
    }
}

fn undeclared(server: &Spanned<String>, names: &[&str], reader: &mut Reader) {
    let name = &*server.value;
    if names.contains(&name) {
        return;
    }
    let message = match nearest(name, names.iter().copied()) {
        Some(near) => format!("this agent has no server `{name}`; did you mean `{near}`?"),
        None => format!("this agent has no server `{name}`; add it to `servers`"),
    };
    reader.note(&server.span, message);
}

/// A `system_message` replaces the other parts of the prompt.
fn replaced_prompt(card: &Card, reader: &mut Reader) {
    if card.text(TextField::SystemMessage).is_none() {
        return;
    }
    let replaces = |field: TextField| match field {
        TextField::Instructions
        | TextField::Role
        | TextField::ExpectedOutput
        | TextField::AdditionalContext => true,
        // Parents read the description.
        TextField::Description | TextField::SystemMessage => false,
    };
    let texts = card.texts.iter().filter(|(field, _)| replaces(*field));
    let places = texts.map(|(_, text)| match text {
        Text::Template(text) => &text.span,
        Text::Function(function) => &function.span,
    });
    for span in places.chain(card.flags.iter().filter(|(_, on)| on.value).map(|(_, on)| &on.span)) {
        reader.note(span, messages::REPLACED_PROMPT);
    }
}

/// A `parser_model` reads an answer of a type.
fn parser(card: &Card, is_whole: bool, reader: &mut Reader) {
    if let Some(parser) = card.setting(Setting::ParserModel)
        && card.output.is_none()
        && is_whole
    {
        reader.note(&parser.span, messages::PARSER_WITHOUT_OUTPUT);
    }
}

fn hooks(card: &Card, reader: &mut Reader) {
    let mut rests = card.tool_hooks.iter().filter_map(|item| match item {
        HookItem::Rest(place) => Some(&place.span),
        HookItem::Hook(..) => None,
    });
    rests.next();
    for span in rests {
        reader.note(span, messages::SECOND_REST);
    }
    let servers: Vec<&str> = card.servers.iter().map(|server| &*server.value).collect();
    let guardrails = card.input_guardrails.iter().chain(&card.output_guardrails);
    for filter in guardrails.filter_map(|(_, filter)| filter.as_ref()).filter(|filter| filter.is_everywhere())
    {
        for target in &filter.targets {
            let message = "a guardrail checks the calls of its own agent: name it in each agent, without `for: [everywhere]`";
            reader.note(&target.span, message);
        }
    }
    for approval in card.approval.iter().flatten().filter(|approval| approval.filter.is_everywhere()) {
        let message = "an agent asks for its own calls: name them in each agent, without `everywhere`";
        reader.note(&approval.span, message);
    }
    for filter in card.filters() {
        for target in &filter.targets {
            match &target.value {
                Target::Server(server) => {
                    undeclared(&Spanned::new(server.clone(), target.span.clone()), &servers, reader);
                }
                Target::Name(name) => {
                    if let Some(message) = card.filter_mistake(name, &servers) {
                        reader.note(&target.span, message);
                    }
                }
                Target::Everywhere if filter.except || filter.targets.len() > 1 => {
                    let message =
                        "`for: [everywhere]` covers all calls, and those of the agents below: write it alone";
                    reader.note(&target.span, message);
                }
                Target::Source(_) | Target::Tool(_) | Target::Everywhere => {}
            }
        }
    }
}

/// Hooks and guardrails that would run twice. With a filter at each, they can be about different calls.
fn hooks_listed_twice(card: &Card, reader: &mut Reader) {
    type Entry<'c> = (&'c Hook, Option<&'c Filter>, Option<TurnPlace>);
    fn with_filter((hook, filter): &(Hook, Option<Filter>)) -> Entry<'_> {
        (hook, filter.as_ref(), None)
    }
    let tool_hooks = card.tool_hooks.iter().filter_map(|item| match item {
        HookItem::Hook(hook, filter) => Some((hook, filter.as_ref(), None)),
        HookItem::Rest(_) => None,
    });
    let turn_hooks =
        card.turn_hooks.iter().map(|(place, hook)| (hook, None, place.as_ref().map(|place| place.value)));
    let lists: [Vec<Entry<'_>>; 6] = [
        tool_hooks.collect(),
        card.input_guardrails.iter().map(with_filter).collect(),
        card.output_guardrails.iter().map(with_filter).collect(),
        card.run_hooks.iter().map(|hook| (hook, None, None)).collect(),
        turn_hooks.collect(),
        card.message_hooks.iter().map(|hook| (hook, None, None)).collect(),
    ];
    let values = |hook: &Hook| hook.with.iter().map(|value| value.value.clone()).collect::<Vec<_>>();
    let is_same = |(a, a_filter, a_place): &Entry<'_>, (b, b_filter, b_place): &Entry<'_>| {
        (a_filter.is_none() || b_filter.is_none())
            && a_place == b_place
            && a.item.value == b.item.value
            && values(a) == values(b)
    };
    for list in lists {
        for (index, entry) in list.iter().enumerate() {
            if list[..index].iter().any(|earlier| is_same(earlier, entry)) {
                reader.note(&entry.0.item.span, messages::HOOK_TWICE);
            }
        }
    }
}

fn twice<'s, K: Ord + Clone>(
    named: impl Iterator<Item = (K, &'s Range<usize>)>,
    message: impl Fn(&K) -> String,
    reader: &mut Reader,
) {
    let mut known = BTreeSet::new();
    for (name, span) in named {
        if !known.insert(name.clone()) {
            reader.note(span, message(&name));
        }
    }
}
