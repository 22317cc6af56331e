//! Which calls are equal: see [`Call`].

use std::collections::BTreeMap;
use std::sync::Arc;

use onionskin_core::{Args, ToolContext};
use serde_json::Value;
use serde_json::value::RawValue;

/// A call of a tool by an agent, with its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Call {
    agent: Arc<str>,
    tool: Arc<str>,
    args: String,
}

impl Call {
    pub(crate) fn new(cx: &ToolContext, args: &Args) -> Self {
        Self::with_text(cx, text_of(args))
    }

    /// A call that this text identifies in place of its arguments.
    pub(crate) fn with_text(cx: &ToolContext, args: String) -> Self {
        Self { agent: cx.agent_name().into(), tool: cx.tool_name().into(), args }
    }

    pub(crate) fn parts(&self) -> [&str; 3] {
        [&self.agent, &self.tool, &self.args]
    }
}

/// The arguments as text, with the fields in the order of their names. Numbers stay as they are written, because a value rounds them, and two
/// numbers can be one value. Arguments that are no object are compared as they are written.
fn text_of(args: &Args) -> String {
    let written = args.text();
    let mut text = String::new();
    // An object that can be read has a bounded depth.
    if args.as_object().is_ok() && write(&written, &mut text).is_ok() { text } else { written.to_string() }
}

fn write(json: &str, text: &mut String) -> serde_json::Result<()> {
    let json = json.trim_ascii();
    match json.as_bytes().first() {
        Some(b'{') => {
            text.push('{');
            for (name, value) in serde_json::from_str::<BTreeMap<String, &RawValue>>(json)? {
                text.push_str(&Value::from(name).to_string());
                text.push(':');
                write(value.get(), text)?;
                text.push(',');
            }
            text.push('}');
        }
        Some(b'[') => {
            text.push('[');
            for item in serde_json::from_str::<Vec<&RawValue>>(json)? {
                write(item.get(), text)?;
                text.push(',');
            }
            text.push(']');
        }
        // One string can be escaped in several ways.
        Some(b'"') => text.push_str(&serde_json::from_str::<Value>(json)?.to_string()),
        Some(_) | None => text.push_str(json),
    }
    Ok(())
}
