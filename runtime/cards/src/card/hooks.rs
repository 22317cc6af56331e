//! The hooks and guardrails that a card names.

use onionskin_vocabulary::agent::TurnPlace;
use onionskin_vocabulary::{Word as _, unknown};

use super::{Card, Filter, Hook, HookItem};
use crate::item::Item;
use crate::reader::{Field, Reader};
use crate::source::Spanned;
use crate::target::Target;
use crate::yaml::{Key, Node, Value};

/// What an entry of a list is: the word for it, which is the key that names it, and an example.
#[derive(Clone, Copy)]
struct Kind {
    word: &'static str,
    example: &'static str,
    /// Whether it has a filter.
    filters: bool,
}

impl Kind {
    /// A hook without a filter.
    fn hook(example: &'static str) -> Self {
        Self { word: "hook", example, filters: false }
    }
}

/// A list of hooks around calls, or a map of hooks around turns.
pub(super) fn tool_hooks(card: &mut Card, reader: &mut Reader, field: Field<'_>) {
    match &field.value.value {
        Value::Map(entries) => card.turn_hooks.extend(reader.turn_hooks_by_place(entries)),
        Value::Scalar(_) | Value::List(_) => {
            let nodes = reader.list(field, "tool_hooks: [hooks.rs:audit]");
            card.tool_hooks = nodes.iter().filter_map(|node| reader.hook_item(node)).collect();
        }
    }
}

pub(super) fn turn_hooks(card: &mut Card, reader: &mut Reader, field: Field<'_>) {
    match &field.value.value {
        Value::Map(entries) => card.turn_hooks.extend(reader.turn_hooks_by_place(entries)),
        Value::Scalar(_) | Value::List(_) => {
            let hooks = hooks(reader, field, "turn_hooks: [hooks.rs:trim]", "hooks.rs:trim");
            card.turn_hooks.extend(hooks.into_iter().map(|hook| (None, hook)));
        }
    }
}

pub(super) fn hooks(reader: &mut Reader, field: Field<'_>, list: &str, example: &'static str) -> Vec<Hook> {
    let nodes = reader.list(field, list);
    nodes.iter().filter_map(|node| reader.hook(node, Kind::hook(example))).map(|(hook, _)| hook).collect()
}

pub(super) fn guardrails(reader: &mut Reader, field: Field<'_>, list: &str) -> Vec<(Hook, Option<Filter>)> {
    let kind = Kind { word: "guardrail", example: "guardrails.rs:check", filters: true };
    let nodes = reader.list(field, list);
    nodes.iter().filter_map(|node| reader.hook(node, kind)).collect()
}

impl Reader {
    /// A tool, a hook or a type, by its name; `example` is one.
    pub(super) fn item(&mut self, node: &Node, example: &str) -> Option<Spanned<Item>> {
        let name = self.name(node, example)?;
        match Item::read(&name.value, example) {
            Ok(item) => Some(Spanned::new(item, name.span)),
            Err(message) => {
                self.note(&name.span, message);
                None
            }
        }
    }

    /// An item of `tool_hooks`.
    fn hook_item(&mut self, node: &Node) -> Option<HookItem> {
        if matches!(&node.value, Value::Scalar(scalar) if scalar.text == "..") {
            return Some(HookItem::Rest(Spanned::new((), node.span.clone())));
        }
        let kind = Kind { filters: true, ..Kind::hook("hooks.rs:audit") };
        let (hook, filter) = self.hook(node, kind)?;
        Some(HookItem::Hook(hook, filter))
    }

    /// A hook or a guardrail: its name, or fields with its values and its filter.
    fn hook(&mut self, node: &Node, kind: Kind) -> Option<(Hook, Option<Filter>)> {
        let Kind { word, example, filters } = kind;
        let Value::Map(entries) = &node.value else {
            if let Some(parts) = called(node, kind) {
                self.note(&node.span, format!("write the values of a {word} in `with`: `{{ {parts} }}`"));
                return None;
            }
            return self.item(node, example).map(|item| (Hook { item, with: Vec::new() }, None));
        };
        let (mut item, mut with, mut filter) = (None, Vec::new(), None);
        for (key, value) in entries {
            let field = Field { key, value };
            match &*key.value {
                name if name == word
                    && let Some(parts) = called(value, kind) =>
                {
                    self.note(&value.span, format!("write the values of a {word} in `with`: `{parts}`"));
                    item = Some(None);
                }
                name if name == word => item = Some(self.item(value, example)),
                "with" => {
                    let values = self.list(field, "with: [2000]");
                    with = values
                        .iter()
                        .map(|value| Spanned::new(value.to_json(), value.span.clone()))
                        .collect();
                }
                "for" | "except" if filters => {
                    if filter.is_some() {
                        self.note(&key.span, format!("a {word} takes `for` or `except`, not both"));
                    }
                    filter = Some(self.filter(field));
                }
                // It is under another key, such as its name.
                _ if entries.iter().all(|(key, _)| key.value != word)
                    && let Value::Scalar(scalar) = &value.value
                    && scalar.text.contains(':')
                    && Item::read(&scalar.text, example).is_ok() =>
                {
                    self.note(
                        &key.span,
                        format!("the key of a {word} is `{word}`: write `{word}: {}`", shown(&scalar.text)),
                    );
                    item = Some(None);
                }
                _ => {
                    let parts = [word, "with", "for", "except"];
                    let parts = if filters { &parts[..] } else { &parts[..2] };
                    self.note(&key.span, unknown(&format!("{word} key"), &key.value, parts));
                }
            }
        }
        match item {
            Some(item) => item.map(|item| (Hook { item, with }, filter)),
            None => {
                self.note(&node.span, format!("this names no {word}: `{{ {word}: {example} }}`"));
                None
            }
        }
    }

    pub(super) fn filter(&mut self, field: Field<'_>) -> Filter {
        let word = field.name();
        let items = self.list(field, &format!("{word}: [add_one]"));
        if items.is_empty() && matches!(field.value.value, Value::List(_)) {
            self.note(&field.place(), format!("`{word}: []` names nothing; name tools, or remove it"));
        }
        let mut targets = Vec::new();
        for item in items {
            targets.extend(self.target(item, &format!("{word}: [add_one]")));
        }
        Filter { except: word == "except", targets }
    }

    /// The calls of one word.
    pub(super) fn target(&mut self, node: &Node, example: &str) -> Option<Spanned<Target>> {
        let name = self.name(node, example)?;
        match Target::read(&name.value) {
            Ok(target) => Some(Spanned::new(target, name.span)),
            Err(message) => {
                self.note(&name.span, message);
                None
            }
        }
    }

    /// Hooks around turns, by their places.
    fn turn_hooks_by_place(&mut self, entries: &[(Key, Node)]) -> Vec<(Option<Spanned<TurnPlace>>, Hook)> {
        let mut hooks = Vec::new();
        for (key, value) in entries {
            let Some(place) = TurnPlace::from_word(&key.value) else {
                self.note(&key.span, unknown("hook place", &key.value, TurnPlace::WORDS));
                continue;
            };
            let values = match &value.value {
                Value::List(values) => values.as_slice(),
                Value::Map(_) | Value::Scalar(_) => std::slice::from_ref(value),
            };
            for value in values {
                if let Some((hook, _)) = self.hook(value, Kind::hook("hooks.rs:watch")) {
                    hooks.push((Some(Spanned::new(place, key.span.clone())), hook));
                }
            }
        }
        hooks
    }
}

/// The fields of an entry that is written as in `agent!`: `hooks.rs:short(2000)`.
fn called(node: &Node, Kind { word, example, .. }: Kind) -> Option<String> {
    let Value::Scalar(scalar) = &node.value else { return None };
    let (name, values) = scalar.text.strip_suffix(')')?.split_once('(')?;
    Item::read(name.trim_end(), example).ok()?;
    let hook = format!("{word}: {}", shown(name.trim_end()));
    Some(match values.trim() {
        "" => hook,
        values => format!("{hook}, with: [{values}]"),
    })
}

/// An item as it is written inside of braces.
fn shown(item: &str) -> String {
    if item.starts_with(':') { format!("{item:?}") } else { item.to_owned() }
}
