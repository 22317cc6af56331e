//! The agents of a workflow: each has the fields of a card.

use super::card_path;
use super::files::Files;
use crate::card::{Card, of_fields};
use crate::reader::Reader;
use crate::source::Spanned;
use crate::yaml::{Key, Node, Value};

pub(super) fn read(files: &Files, reader: &mut Reader) -> Vec<Card> {
    let part = files.part("agents");
    let example = "\"agents\": { \"Writer\": { \"instruction\": \"..\" } }";
    let Some(node) = part.value else {
        reader.note(&(part.start..part.start), format!("the agents are missing: `{example}`"));
        return Vec::new();
    };
    // A file of its own may have the agents beneath the word `agents`.
    let node = match &node.value {
        Value::Map(entries) => match &entries[..] {
            [(key, value)] if key.text == "agents" => value,
            _ => node,
        },
        _ => node,
    };
    let mut cards: Vec<Card> = Vec::new();
    let mut add = |name: Option<&Key>, fields: &Node, reader: &mut Reader| {
        if let (None, Value::Map(entries)) = (name, &fields.value)
            && !entries.iter().any(|(key, _)| key.text == "name")
        {
            return reader.note(&fields.span, "an agent in a list has a `name`: `\"name\": \"Writer\"`");
        }
        let name = name.map(|name| Spanned::new(name.text.clone(), name.span.clone()));
        let card = match of_fields(&card_path(&files.folder), &files.source, fields, name) {
            Ok((card, problems)) => {
                reader.problems.extend(problems);
                card
            }
            Err(problem) => return reader.problems.push(problem),
        };
        if cards.iter().any(|other| other.name.value == card.name.value) {
            let name = &card.name.value;
            reader.note(
                &card.name.span,
                format!("there is an agent `{name}` already; give this one another name"),
            );
        } else {
            cards.push(card);
        }
    };
    match &node.value {
        Value::Map(entries) => entries.iter().for_each(|(key, fields)| add(Some(key), fields, reader)),
        Value::List(agents) => agents.iter().for_each(|fields| add(None, fields, reader)),
        Value::Scalar(_) => reader.note(&node.span, format!("agents are wanted here: `{example}`")),
    }
    if cards.is_empty() && reader.problems.is_empty() {
        reader.note(&node.span, format!("the workflow has no agent: `{example}`"));
    }
    cards
}
