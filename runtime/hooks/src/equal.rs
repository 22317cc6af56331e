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

    pub(crate) fn bytes(&self) -> usize {
        self.parts().iter().map(|part| part.len()).sum()
    }
}

/// The arguments as text, with the fields in the order of their names, and as the tool gets them: after repairs, in its types, with its
/// defaults and all digits. Arguments with two numbers that are one value stay as they are written; so do arguments that are no object.
fn text_of(args: &Args) -> String {
    let mut read = args.clone();
    if read.as_object_mut().is_err() {
        return args.text().to_string();
    }
    read.flush();
    let text = if read.as_object().is_ok() { read.text() } else { args.text() };
    // An object that can be read has a bounded depth. Text that has to be repaired first is not sorted.
    let mut sorted = String::new();
    match write_sorted(&text, &mut sorted) {
        Ok(()) => sorted,
        Err(_) => text.to_string(),
    }
}

/// Writes JSON with its fields in the order of their names.
fn write_sorted(json: &str, sorted: &mut String) -> serde_json::Result<()> {
    let json = json.trim_ascii();
    match json.as_bytes().first() {
        Some(b'{') => {
            sorted.push('{');
            for (name, value) in serde_json::from_str::<BTreeMap<String, &RawValue>>(json)? {
                sorted.push_str(&Value::from(name).to_string());
                sorted.push(':');
                write_sorted(value.get(), sorted)?;
                sorted.push(',');
            }
            sorted.push('}');
        }
        Some(b'[') => {
            sorted.push('[');
            for item in serde_json::from_str::<Vec<&RawValue>>(json)? {
                write_sorted(item.get(), sorted)?;
                sorted.push(',');
            }
            sorted.push(']');
        }
        // One string can be escaped in several ways.
        Some(b'"') => sorted.push_str(&serde_json::from_str::<Value>(json)?.to_string()),
        // A whole number can have a fraction.
        Some(_) | None => sorted.push_str(json.strip_suffix(".0").unwrap_or(json)),
    }
    Ok(())
}
