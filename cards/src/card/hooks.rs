//! The hooks that a card names.

use super::{Filter, Hook, HookItem};
use crate::item::Item;
use crate::reader::{Field, Reader};
use crate::source::Spanned;
use crate::suggest;
use crate::target::Target;
use crate::yaml::{Key, Node, Value};

/// The places of hooks around turns, which `tool_hooks` may name too.
pub const TURN_PLACES: &[&str] =
    &["before_llm_call", "after_llm_call", "before_tool_call", "after_tool_call", "after_turn_complete"];

/// The parts of a hook that is written as fields.
const PARTS: &[&str] = &["hook", "with", "for", "except"];

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
    pub(super) fn hook_item(&mut self, node: &Node) -> Option<HookItem> {
        if matches!(&node.value, Value::Scalar(scalar) if scalar.text == "..") {
            return Some(HookItem::Rest(Spanned::new((), node.span.clone())));
        }
        let (hook, filter) = self.hook(node, "hooks.rs:audit", true)?;
        Some(HookItem::Hook(hook, filter))
    }

    /// A hook: its name, or fields with its values and its filter.
    pub(super) fn hook(
        &mut self,
        node: &Node,
        example: &str,
        filters: bool,
    ) -> Option<(Hook, Option<Filter>)> {
        let Value::Map(entries) = &node.value else {
            if let Some(parts) = called(node, example) {
                self.note(&node.span, format!("a hook has its values in `with`: write `{{ {parts} }}`"));
                return None;
            }
            return self.item(node, example).map(|item| (Hook { item, with: Vec::new() }, None));
        };
        let (mut item, mut with, mut filter) = (None, Vec::new(), None);
        for (key, value) in entries {
            let field = Field { key, value };
            match &*key.text {
                "hook" if let Some(parts) = called(value, example) => {
                    self.note(&value.span, format!("a hook has its values in `with`: write `{parts}`"));
                    item = Some(None);
                }
                "hook" => item = Some(self.item(value, example)),
                "with" => {
                    let values = self.list(field, "with: [2000]");
                    with = values
                        .iter()
                        .map(|value| Spanned::new(value.to_json(), value.span.clone()))
                        .collect();
                }
                "for" | "except" if filters => {
                    if filter.is_some() {
                        self.note(&key.span, "a hook has one filter: `for`, or `except`");
                    }
                    filter = Some(self.filter(field));
                }
                // The hook under another key, such as its name.
                _ if entries.iter().all(|(key, _)| key.text != "hook")
                    && let Value::Scalar(scalar) = &value.value
                    && scalar.text.contains(':')
                    && Item::read(&scalar.text, example).is_ok() =>
                {
                    self.note(
                        &key.span,
                        format!("the key of a hook is `hook`: write `hook: {}`", shown(&scalar.text)),
                    );
                    item = Some(None);
                }
                _ => {
                    let parts = if filters { PARTS } else { &PARTS[..2] };
                    self.note(&key.span, suggest::unknown("part of a hook", &key.text, parts));
                }
            }
        }
        match item {
            Some(item) => item.map(|item| (Hook { item, with }, filter)),
            None => {
                self.note(&node.span, format!("this names no hook: `{{ hook: {example} }}`"));
                None
            }
        }
    }

    fn filter(&mut self, field: Field<'_>) -> Filter {
        let word = field.name();
        let items = self.list(field, &format!("{word}: [add_one]"));
        if items.is_empty() && matches!(field.value.value, Value::List(_)) {
            self.note(&field.place(), format!("`{word}: []` names nothing; name tools, or leave it out"));
        }
        let mut targets = Vec::new();
        for item in items {
            let Some(name) = self.name(item, &format!("{word}: [add_one]")) else { continue };
            match Target::read(&name.value) {
                Ok(target) => targets.push(Spanned::new(target, name.span)),
                Err(message) => self.note(&name.span, message),
            }
        }
        Filter { except: word == "except", targets }
    }

    /// Hooks around turns, by their places.
    pub(super) fn turn_hooks_by_place(
        &mut self,
        entries: &[(Key, Node)],
    ) -> Vec<(Option<Spanned<&'static str>>, Hook)> {
        let mut hooks = Vec::new();
        for (key, value) in entries {
            let Some(place) = TURN_PLACES.iter().find(|place| **place == key.text) else {
                self.note(&key.span, suggest::unknown("place of a hook", &key.text, TURN_PLACES));
                continue;
            };
            let values = match &value.value {
                Value::List(values) => values.as_slice(),
                _ => std::slice::from_ref(value),
            };
            for value in values {
                if let Some((hook, _)) = self.hook(value, "hooks.rs:watch", false) {
                    hooks.push((Some(Spanned::new(*place, key.span.clone())), hook));
                }
            }
        }
        hooks
    }
}

/// The fields of a hook that is written as in `agent!`: `hooks.rs:short(2000)`.
fn called(node: &Node, example: &str) -> Option<String> {
    let Value::Scalar(scalar) = &node.value else { return None };
    let (name, values) = scalar.text.strip_suffix(')')?.split_once('(')?;
    Item::read(name.trim_end(), example).ok()?;
    let hook = format!("hook: {}", shown(name.trim_end()));
    Some(match values.trim() {
        "" => hook,
        values => format!("{hook}, with: [{values}]"),
    })
}

/// An item as it is written inside of braces.
fn shown(item: &str) -> String {
    if item.starts_with(':') { format!("{item:?}") } else { item.to_owned() }
}
