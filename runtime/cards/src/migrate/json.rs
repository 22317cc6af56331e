//! A YAML tree as JSON. The keys keep their order.

use std::fmt::Write as _;

use crate::yaml::{Node, Scalar, Value};

/// The text of a file.
pub(super) fn render(node: &Node) -> String {
    let mut text = String::new();
    write(node, 0, &mut text);
    text.push('\n');
    text
}

/// The tree has a bounded depth.
fn write(node: &Node, depth: usize, into: &mut String) {
    match &node.value {
        Value::Scalar(scalar) => write_scalar(scalar, into),
        Value::List(items) => group(['[', ']'], items, depth, into, |item, into| {
            write(item, depth + 1, into);
        }),
        Value::Map(entries) => group(['{', '}'], entries, depth, into, |(key, value), into| {
            write_text(&key.text, into);
            into.push_str(": ");
            write(value, depth + 1, into);
        }),
    }
}

fn group<T>(
    [open, close]: [char; 2],
    items: &[T],
    depth: usize,
    into: &mut String,
    mut item: impl FnMut(&T, &mut String),
) {
    into.push(open);
    for (index, each) in items.iter().enumerate() {
        into.push_str(if index == 0 { "\n" } else { ",\n" });
        into.push_str(&"  ".repeat(depth + 1));
        item(each, into);
    }
    if !items.is_empty() {
        into.push('\n');
        into.push_str(&"  ".repeat(depth));
    }
    into.push(close);
}

fn write_scalar(scalar: &Scalar, into: &mut String) {
    if scalar.is_null() {
        into.push_str("null");
    } else if let Some(boolean) = scalar.boolean() {
        into.push_str(if boolean { "true" } else { "false" });
    } else if let Some(number) = scalar.number() {
        _ = write!(into, "{number}");
    } else {
        write_text(&scalar.text, into);
    }
}

fn write_text(text: &str, into: &mut String) {
    _ = write!(into, "{}", serde_json::Value::from(text));
}
