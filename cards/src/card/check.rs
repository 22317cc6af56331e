//! The mistakes that a card alone shows, beyond the forms of its values.

use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Duration;

use super::{Card, HookItem, Text};
use crate::item::{Item, is_path};
use crate::reader::{Field, Reader};
use crate::ready_hooks;
use crate::source::Spanned;
use crate::suggest;
use crate::target::Target;
use crate::yaml::{Node, Value};

/// The longest name of an agent: its parent calls it as the tool `agent__` plus the name, and providers take 64 characters.
const LONGEST_NAME: usize = 64 - "agent__".len();

/// The built-in tools.
const BUILT_IN: &[&str] = &[
    "shell.execute",
    "human.input",
    "filesystem.read",
    "filesystem.write",
    "filesystem.list",
    "filesystem.edit",
    "filesystem.search",
    "skills.read",
];

pub(super) fn check(card: &Card, has_prompt: bool, reader: &mut Reader) {
    if !has_prompt {
        let name = &card.name.value;
        let message = format!(
            "the agent `{name}` has no instruction: add `instruction: \"..\"`, or a text below the fields"
        );
        reader.note(&card.name.span, message);
    }
    name(&card.name, reader);
    if let Some(model) = card.model.as_ref().filter(|model| model.value.trim().is_empty()) {
        reader.note(&model.span, "`model` is empty: write a name, or leave it out");
    }
    servers(card, reader);
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
    for tool in card.runtime.iter().filter(|tool| !BUILT_IN.contains(&&*tool.value)) {
        reader.note(&tool.span, suggest::unknown("built-in tool", &tool.value, BUILT_IN));
    }
    replaced_prompt(card, reader);
    hooks(card, reader);
    ready_hooks_without_crate(card, reader);
    if let Some(Spanned { value, span }) = &card.child_timeout_sec {
        if is_zero_time(*value) {
            reader.note(span, "`child_timeout_sec` is more than 0; leave it out for no limit");
        } else if Duration::try_from_secs_f64(*value).is_err() {
            reader.note(span, "these are more seconds than a time can hold; leave it out for no limit");
        }
    }
}

/// Paths of ready hooks that begin at no crate. A program could find them by chance only.
fn ready_hooks_without_crate(card: &Card, reader: &mut Reader) {
    let around_calls = card.around_calls().map(|(hook, _)| hook);
    let around_turns = card.turn_hooks.iter().map(|(_, hook)| hook);
    let hooks = around_calls.chain(&card.run_hooks).chain(around_turns).chain(&card.message_hooks);
    for Spanned { value, span } in hooks.map(|hook| &hook.item) {
        let Item::Path(path) = value else { continue };
        if let Some(ready) = ready_hooks::without_crate(path) {
            let message = format!(
                "`{path}` begins at no crate: write `{ready}`, or `crate::{path}` for one of the program's own"
            );
            reader.note(span, message);
        }
    }
}

/// The types of fast-agent's cards, and what to write instead.
pub(super) const OTHER_TYPES: &[(&str, &str)] = &[
    ("chain", "an agent whose `agents` it calls one after the other"),
    ("parallel", "an agent whose `agents` it calls at once"),
    ("router", "an agent that chooses among its `agents`"),
    ("orchestrator", "an agent with `agents`"),
    ("iterative_planner", "an agent with `agents`"),
    ("evaluator_optimizer", "an agent with a `run` of its own"),
    ("smart", "an agent with `agents`"),
    ("MAKER", "an agent with a `run` of its own"),
    ("a2a", "an agent whose `run` calls the other one"),
    ("basic", "`type: agent`"),
    ("custom", "an agent with a `run` of its own"),
];

/// `type: agent`, the only one.
pub(super) fn of_type(reader: &mut Reader, field: Field<'_>) {
    let Some(word) = reader.text(field) else { return };
    if word.value == "agent" {
        return;
    }
    let message = match OTHER_TYPES.iter().find(|(theirs, _)| theirs.eq_ignore_ascii_case(&word.value)) {
        Some((_, here)) => format!("there is no card of the type `{}` here: write {here}", word.value),
        None => {
            format!("there is no card of the type `{}`: write `type: agent`, or leave it out", word.value)
        }
    };
    reader.note(&word.span, message);
}

fn name(name: &Spanned<String>, reader: &mut Reader) {
    let Spanned { value, span } = name;
    if let Some(wrong) = value.chars().find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))) {
        let found = if wrong == ' ' { "a space".to_owned() } else { format!("`{wrong}`") };
        let message = format!(
            "an agent's name holds letters, digits, `_` and `-`, because other agents call it as a tool; this one holds {found}"
        );
        reader.note(span, message);
    } else if value.is_empty() || value.len() > LONGEST_NAME {
        let message = format!(
            "an agent's name has 1 to {LONGEST_NAME} characters, because other agents call it as a tool; this one has {}",
            value.len()
        );
        reader.note(span, message);
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
            let message =
                "a prefix holds letters, digits and `_`, and begins with a letter: `{ archive: kb.rs:Kb }`";
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

fn servers(card: &Card, reader: &mut Reader) {
    let names: Vec<&str> = card.servers.iter().map(|server| &*server.value).collect();
    let servers = card.servers.iter().map(|server| (server.value.clone(), &server.span));
    twice(servers, |name| format!("the server `{name}` is named twice; keep one"), reader);
    for (server, _) in &card.tools {
        undeclared(server, &names, reader);
    }
}

fn undeclared(server: &Spanned<String>, names: &[&str], reader: &mut Reader) {
    let name = &*server.value;
    if names.contains(&name) {
        return;
    }
    let message = match suggest::nearest(name, names.iter().copied()) {
        Some(near) => format!("this agent has no server `{name}`; did you mean `{near}`?"),
        None => format!("this agent has no server `{name}`; add it to `servers`"),
    };
    reader.note(&server.span, message);
}

/// A `system_message` replaces the other parts of the prompt.
fn replaced_prompt(card: &Card, reader: &mut Reader) {
    if card.system_message.is_none() {
        return;
    }
    let texts = [&card.instruction, &card.role, &card.expected_output, &card.additional_context];
    let places = texts.into_iter().flatten().map(|text| match text {
        Text::Written(text) => &text.span,
        Text::Function(function) => &function.span,
    });
    for span in places.chain(card.flags.iter().map(|flag| &flag.span)) {
        let message = "`system_message` replaces the whole prompt, so this has no effect: keep one of them";
        reader.note(span, message);
    }
}

fn hooks(card: &Card, reader: &mut Reader) {
    let mut rests = card.tool_hooks.iter().filter_map(|item| match item {
        HookItem::Rest(place) => Some(&place.span),
        HookItem::Hook(..) => None,
    });
    rests.next();
    for span in rests {
        reader.note(span, "dynamic hooks have one place; `..` is in the list already");
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
    for filter in card.around_calls().filter_map(|(_, filter)| filter) {
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
                        "`for: [everywhere]` is for all calls, and those of the agents below: write it alone";
                    reader.note(&target.span, message);
                }
                Target::Source(_) | Target::Tool(_) | Target::Everywhere => {}
            }
        }
    }
}

/// The values of a limit or a request parameter.
pub(super) fn setting(reader: &mut Reader, name: &'static str, node: &Node) {
    let span = &node.span;
    let number = match &node.value {
        Value::Scalar(scalar) => scalar.number().and_then(|number| number.as_f64()),
        _ => None,
    };
    // `1e3` is a number with a fraction for serde and in Rust.
    let is_written_whole = match &node.value {
        Value::Scalar(scalar) => scalar.number().is_some_and(|number| !number.is_f64()),
        _ => false,
    };
    let is_time = name.ends_with("_sec");
    match name {
        "stop_sequences" => {
            let is_texts = match &node.value {
                Value::List(items) => {
                    items.iter().all(|item| matches!(item.to_json(), serde_json::Value::String(_)))
                }
                _ => false,
            };
            if !is_texts {
                reader.note(span, "a list is wanted here: `stop_sequences: [\"END\"]`");
            }
        }
        "tool_choice" => _ = reader.name(node, "tool_choice: required"),
        "response_schema" | "extra_body" => {
            if !matches!(node.value, Value::Map(_)) {
                reader.note(span, format!("fields are wanted here: `{name}: {{ .. }}`"));
            }
        }
        _ => match number {
            None => {
                let example = if name == "temperature" || name == "top_p" { "0.2" } else { "10" };
                reader.note(span, format!("a number is wanted here: `{name}: {example}`"));
            }
            Some(number) if matches!(name, "temperature" | "top_p") => {
                if !number.is_finite() {
                    reader.note(span, format!("a number is wanted here: `{name}: 0.2`"));
                }
            }
            Some(number) if number < 0.0 => reader.note(span, format!("`{name}` cannot be less than 0")),
            Some(number) if !may_be_zero(name) && (number == 0.0 || is_time && is_zero_time(number)) => {
                reader.note(span, format!("`{name}` is more than 0; leave it out for the default"));
            }
            Some(number) if is_time && Duration::try_from_secs_f64(number).is_err() => {
                reader
                    .note(span, "these are more seconds than a time can hold; leave it out for the default");
            }
            Some(number) if !is_time && (number.fract() != 0.0 || !is_written_whole) => {
                reader.note(span, format!("`{name}` is a whole number: `{name}: 10`"));
            }
            Some(number) => {
                let most = match name {
                    "tokens" | "seed" => u64::MAX,
                    _ => u64::from(u32::MAX),
                };
                #[expect(clippy::cast_precision_loss, reason = "a bound")]
                if !is_time && number > most as f64 {
                    reader.note(span, format!("`{name}` is at most {most}"));
                }
            }
        },
    }
}

/// The numbers for which 0 says something.
fn may_be_zero(name: &str) -> bool {
    matches!(name, "seed" | "tool_calls" | "max_retries" | "output_retries" | "model_retries")
}

fn is_zero_time(seconds: f64) -> bool {
    seconds <= 0.0 || Duration::try_from_secs_f64(seconds).is_ok_and(|time| time.is_zero())
}

fn twice<'s, K: Ord + Clone>(
    named: impl Iterator<Item = (K, &'s Range<usize>)>,
    message: impl Fn(&K) -> String,
    reader: &mut Reader,
) {
    let mut seen = BTreeSet::new();
    for (name, span) in named {
        if !seen.insert(name.clone()) {
            reader.note(span, message(&name));
        }
    }
}
