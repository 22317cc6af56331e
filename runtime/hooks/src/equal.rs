//! Which calls are equal: see [`Call`].

use std::collections::BTreeMap;
use std::sync::Arc;

use onionskin_core::{Args, ToolContext};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

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

/// The arguments as text, with the fields in the order of their names, and as the tool gets them: in its types, with its defaults. Arguments
/// with a number that a value may round stay as they are written, because two such numbers can be one value; so do arguments that are no
/// object.
fn text_of(args: &Args) -> String {
    let written = args.text();
    let Ok(object) = args.as_object() else { return written.to_string() };
    // An object that can be read has a bounded depth.
    let sorted = |json: &str| {
        let mut text = Text { json: String::new(), is_exact: true };
        text.write(json).ok().map(|()| text)
    };
    match sorted(&written) {
        Some(text) if !text.is_exact => text.json,
        // Text that has to be repaired first is not sorted.
        Some(_) | None => {
            let value = object.iter().map(|(name, value)| (name.clone(), plain(value))).collect();
            sorted(&Value::Object(value).to_string()).map_or_else(|| written.to_string(), |text| text.json)
        }
    }
}

/// A value whose whole numbers are written without a fraction.
fn plain(value: &Value) -> Value {
    /// Whole numbers up to it have one floating-point value each.
    const LARGEST: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < LARGEST => {
                serde_json::from_str(&format!("{float:.0}")).unwrap_or_else(|_| value.clone())
            }
            Some(_) | None => value.clone(),
        },
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), plain(value))).collect::<Map<_, _>>().into()
        }
        Value::Null | Value::Bool(_) | Value::String(_) => value.clone(),
    }
}

/// Digits that each value holds.
const DIGITS: usize = 15;

/// A text with its fields in the order of their names.
struct Text {
    json: String,
    /// Whether a value holds each of its numbers.
    is_exact: bool,
}

impl Text {
    fn write(&mut self, json: &str) -> serde_json::Result<()> {
        let json = json.trim_ascii();
        match json.as_bytes().first() {
            Some(b'{') => {
                self.json.push('{');
                for (name, value) in serde_json::from_str::<BTreeMap<String, &RawValue>>(json)? {
                    self.json.push_str(&Value::from(name).to_string());
                    self.json.push(':');
                    self.write(value.get())?;
                    self.json.push(',');
                }
                self.json.push('}');
            }
            Some(b'[') => {
                self.json.push('[');
                for item in serde_json::from_str::<Vec<&RawValue>>(json)? {
                    self.write(item.get())?;
                    self.json.push(',');
                }
                self.json.push(']');
            }
            // One string can be escaped in several ways.
            Some(b'"') => {
                let text = serde_json::from_str::<Value>(json)?;
                // A tool can read it as a number.
                self.is_exact &=
                    text.as_str().is_none_or(|text| text.parse::<f64>().is_err() || is_exact(text));
                self.json.push_str(&text.to_string());
            }
            Some(b'-' | b'0'..=b'9') => {
                self.is_exact &= is_exact(json);
                self.json.push_str(json);
            }
            Some(_) | None => self.json.push_str(json),
        }
        Ok(())
    }
}

/// Whether a value holds a number as it is written.
fn is_exact(number: &str) -> bool {
    !number.contains(['e', 'E']) && number.bytes().filter(u8::is_ascii_digit).count() <= DIGITS
}
