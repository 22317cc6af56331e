//! Which calls are equal.

use std::sync::Arc;

use onionskin_core::{Args, ToolContext};
use serde_json::Value;

/// The digits of a number that a value may have rounded.
const LONG: usize = 16;

/// A call of a tool by an agent, with its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Call {
    agent: Arc<str>,
    tool: Arc<str>,
    args: String,
}

impl Call {
    pub(super) fn new(cx: &ToolContext, args: &Args) -> Self {
        Self { agent: cx.agent_name().into(), tool: cx.tool_name().into(), args: text_of(args) }
    }
}

/// The arguments as text, with the fields in the order of their names. Arguments that have long numbers or are no object are compared as
/// they are written, because two long numbers can be one value.
fn text_of(args: &Args) -> String {
    let written = args.text();
    let has_long =
        written.split(|character: char| !character.is_ascii_digit()).any(|digits| digits.len() >= LONG);
    match args.as_object() {
        Ok(object) if !has_long => {
            let mut text = String::new();
            write(&Value::Object(object.clone()), &mut text);
            text
        }
        Ok(_) | Err(_) => written.to_string(),
    }
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| *name);
            text.push('{');
            for (name, value) in fields {
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                write(value, text);
                text.push(',');
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for item in items {
                write(item, text);
                text.push(',');
            }
            text.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            text.push_str(&value.to_string());
        }
    }
}
