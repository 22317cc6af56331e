//! Values of JSON as YAML that people read: a text with quotes, such as the arguments of a call, is in single quotes, without escapes.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use serde_saphyr::SingleQuoted;

struct Readable<'a>(&'a Value);

impl Serialize for Readable<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::String(text) if text.contains('"') && !text.contains(needs_escape) => {
                SingleQuoted(text).serialize(serializer)
            }
            Value::Array(items) => serializer.collect_seq(items.iter().map(Readable)),
            Value::Object(fields) => object(fields, serializer),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                self.0.serialize(serializer)
            }
        }
    }
}

/// Whether YAML has a character in double quotes only.
fn needs_escape(mark: char) -> bool {
    mark.is_control() || matches!(mark, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

pub(super) fn value<S: Serializer>(value: &Value, serializer: S) -> Result<S::Ok, S::Error> {
    Readable(value).serialize(serializer)
}

pub(super) fn object<S: Serializer>(fields: &Map<String, Value>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(fields.iter().map(|(name, value)| (name, Readable(value))))
}
