//! The hooks of a workflow: functions on the messages of its agents.

use onionskin_vocabulary::agent::MessagePlace;

use super::files::Files;
use super::foreign;
use super::names::Names;
use crate::card::{Card, Hook};
use crate::item::{Item, is_path};
use crate::reader::{Field, Reader};
use crate::source::Spanned;
use crate::yaml::{Node, Value};

/// The fields of an entry.
const FIELDS: [&str; 4] = ["hook_type", "hook_agent", "file", "function"];

const EXAMPLE: &str = "{ \"hook_type\": \"update_agent_state\", \"hook_agent\": \"ALL_AGENTS\", \"file\": \"state.rs\", \"function\": \"update_state\" }";

pub(super) fn read(
    files: &Files,
    names: &Names,
    cards: &mut [Option<Card>],
    reader: &mut Reader,
) -> Vec<(Spanned<MessagePlace>, Spanned<Item>)> {
    let mut hooks = Vec::new();
    let Some(node) = files.part("hooks").value else { return hooks };
    let node = node.below("hooks");
    let Value::List(entries) = &node.value else {
        reader.note(&node.span, format!("expected a list of hooks: `\"hooks\": [{EXAMPLE}]`"));
        return hooks;
    };
    let mut present: Vec<(String, Item)> = Vec::new();
    for entry in entries {
        let Some((place, agent, item)) = hook(entry, reader) else { continue };
        let of_agent = (agent.value.clone(), item.value.clone());
        if present.contains(&of_agent) {
            let message = format!("`{}` has this hook already; keep one of the entries", agent.value);
            reader.note(&item.span, message);
            continue;
        }
        present.push(of_agent);
        for index in names.find(&agent, reader) {
            // The hooks of the agent and of all agents are united.
            let Some(card) = &mut cards[index] else { continue };
            if card.message_hooks.iter().any(|known| known.item.value == item.value) {
                continue;
            }
            card.message_hooks.push(Hook { item: item.clone(), with: Vec::new() });
        }
        hooks.push((place, item));
    }
    hooks
}

type HookEntry = (Spanned<MessagePlace>, Spanned<String>, Spanned<Item>);

fn hook(entry: &Node, reader: &mut Reader) -> Option<HookEntry> {
    let Value::Map(fields) = &entry.value else {
        reader.note(&entry.span, format!("expected a hook: `{EXAMPLE}`"));
        return None;
    };
    let (mut place, mut agent, mut file, mut function) = (None, None, None, None);
    let mut present: Vec<&str> = Vec::new();
    for (key, value) in fields {
        let field = Field { key, value };
        present.push(&key.value);
        match &*key.value {
            "hook_type" => place = reader.choice(field),
            "hook_agent" => agent = reader.text(field),
            "file" => file = reader.text(field).and_then(|file| checked_file(file, reader)),
            "function" => {
                function = reader.text(field).filter(|name| {
                    let is_name = is_path(&name.value) && !name.value.contains("::");
                    if !is_name {
                        reader.note(
                            &name.span,
                            "expected the name of a function: `\"function\": \"update_state\"`",
                        );
                    }
                    is_name
                });
            }
            other => {
                let (message, meant) = foreign::unknown("hook field", other, foreign::HOOK, &FIELDS);
                present.extend(meant);
                reader.note(&key.span, message);
            }
        }
    }
    let missing: Vec<_> =
        FIELDS.iter().filter(|field| !present.contains(field)).map(|field| format!("`{field}`")).collect();
    if !missing.is_empty() {
        reader.note(&entry.span, format!("this hook has no {}: `{EXAMPLE}`", missing.join(", ")));
    }
    let (file, function) = (file?, function?);
    let item = Item::in_file(&format!("tools/{}", file.value), &function.value);
    Some((place?, agent?, Spanned::new(item, function.span)))
}

/// A file in the folder `tools`.
fn checked_file(file: Spanned<String>, reader: &mut Reader) -> Option<Spanned<String>> {
    let name = file.value.strip_prefix("tools/").unwrap_or(&file.value);
    let message = match name.rsplit_once('.') {
        Some((stem, "rs" | "rhai")) if is_path(stem) && !stem.contains("::") => {
            let name = name.to_owned();
            return Some(Spanned::new(name, file.span));
        }
        Some((stem, "py")) => {
            format!(
                "`{name}` is Python, which is not run here: write it as a script, `{stem}.rhai`, or in Rust, `{stem}.rs`"
            )
        }
        _ => {
            format!("`{name}` is not a file of Rust or Rhai in the folder `tools`: `\"file\": \"state.rs\"`")
        }
    };
    reader.note(&file.span, message);
    None
}
