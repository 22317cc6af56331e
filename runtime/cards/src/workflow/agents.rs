//! The agents of a workflow: each has the fields of a card.

use super::files::Files;
use super::foreign;
use super::names::{ALL_AGENTS, card_path};
use crate::card::{Card, card_from_fields};
use crate::paths::default_name;
use crate::reader::Reader;
use crate::source::Spanned;
use crate::tool_use::ToolUse;
use crate::yaml::{Key, Node, Value};

const EXAMPLE: &str = "\"agents\": { \"Writer\": { \"instruction\": \"..\" } }";

/// An agent before its fields are read.
pub(super) struct AgentEntry<'f> {
    /// What it is called outside of its fields.
    key: Option<&'f Key>,
    fields: &'f Node,
    /// Its name, if it has one.
    pub(super) name: Spanned<String>,
}

/// The agents, without those that have the name of another one.
pub(super) fn entries<'f>(files: &'f Files, reader: &mut Reader) -> Vec<AgentEntry<'f>> {
    if files.is_broken("agents") {
        return Vec::new();
    }
    let part = files.part("agents");
    let Some(node) = part.value else {
        reader.note(&(part.start..part.start), format!("the agents are missing: `{EXAMPLE}`"));
        return Vec::new();
    };
    // A file of its own may have the agents below the word `agents`.
    let node = node.below("agents");
    let all: Vec<(Option<&Key>, &Node)> = match &node.value {
        Value::Map(entries) => entries.iter().map(|(key, fields)| (Some(key), fields)).collect(),
        Value::List(agents) => agents.iter().map(|fields| (None, fields)).collect(),
        Value::Scalar(_) => {
            reader.note(&node.span, format!("expected agents: `{EXAMPLE}`"));
            return Vec::new();
        }
    };
    if all.is_empty() {
        reader.note(&node.span, format!("the workflow has no agent: `{EXAMPLE}`"));
    }
    let mut entries: Vec<AgentEntry<'f>> = Vec::new();
    for (key, fields) in all {
        let Some(name) = name(key, fields) else {
            reader.note(&fields.span, "an agent in a list needs a `name`: `\"name\": \"Writer\"`");
            continue;
        };
        if entries.iter().any(|other| other.name.value == name.value) {
            let message = format!("there is an agent `{}` already; give this one another name", name.value);
            reader.note(&name.span, message);
            continue;
        }
        if name.value == ALL_AGENTS {
            let message = format!(
                "`{ALL_AGENTS}` is the word for all agents in `tools.json` and `hooks.json`; give this agent another name"
            );
            reader.note(&name.span, message);
        }
        entries.push(AgentEntry { key, fields, name });
    }
    entries
}

fn name(key: Option<&Key>, fields: &Node) -> Option<Spanned<String>> {
    let Value::Map(entries) = &fields.value else {
        return Some(key.cloned().unwrap_or_else(|| Spanned::new(String::new(), fields.span.clone())));
    };
    let field = entries.iter().find(|(key, _)| key.value == "name").map(|(_, value)| value);
    match (field, key) {
        (Some(Node { value: Value::Scalar(scalar), span }), _) if scalar.string().is_some() => {
            Some(Spanned::new(scalar.text.clone(), span.clone()))
        }
        (_, Some(key)) => Some(key.clone()),
        // Reading the card gives the mistake in the field.
        (Some(value), None) => Some(Spanned::new(String::new(), value.span.clone())),
        (None, None) => None,
    }
}

/// Reads the agents, each with the tools that the workflow gives it. One that has no fields is `None`.
pub(super) fn read(
    files: &Files,
    entries: &[AgentEntry<'_>],
    tools: Vec<Vec<ToolUse>>,
    reader: &mut Reader,
) -> Vec<Option<Card>> {
    let mut cards = Vec::new();
    for (entry, tools) in entries.iter().zip(tools) {
        let Value::Map(fields) = &entry.fields.value else {
            let message = "expected the fields of an agent: `{ \"instruction\": \"..\" }`";
            reader.note(&entry.fields.span, message);
            cards.push(None);
            continue;
        };
        let (theirs, ours): (Vec<_>, Vec<_>) =
            fields.iter().partition(|(key, _)| foreign::instead(foreign::AGENT, &key.value).is_some());
        for (key, _) in theirs {
            reader.note(&key.span, foreign::instead(foreign::AGENT, &key.value).unwrap_or_default());
        }
        let fields: Vec<_> = ours.into_iter().cloned().collect();
        let (path, start) = (card_path(&files.folder), entry.fields.span.start);
        let by_default = || Spanned::new(default_name(&path).unwrap_or_default(), start..start);
        let name = entry.key.cloned().unwrap_or_else(by_default);
        let (card, problems) = card_from_fields(&path, &files.source, name, &fields, None, tools);
        reader.problems.extend(problems);
        cards.push(Some(card));
    }
    cards
}
