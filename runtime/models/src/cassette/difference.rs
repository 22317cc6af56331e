//! What differs between a request and a recorded one.

use std::fmt;

use serde_json::Value;

use super::entry::Request;

/// A part of a request that differs from the recorded one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The part: `messages[2].content[0].text`, `tools[add_one].description`.
    pub path: String,
    /// The first line that differs, counted from 1, in a text of several lines.
    pub line: Option<usize>,
    /// The recorded value; for a text of several lines, that line. `None` if the recorded request lacks the part.
    pub recorded: Option<String>,
    /// The value of the request, likewise.
    pub requested: Option<String>,
}

/// The characters before the first difference that a message shows of a long text.
const BEFORE: usize = 40;
/// The characters that a message shows of a value.
const MOST: usize = 240;

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, recorded, requested } = self;
        let place = line.map(|line| format!(", line {line}")).unwrap_or_default();
        let [of_recorded, of_requested] =
            [recorded, requested].map(|text| text.as_deref().unwrap_or_default());
        let same =
            of_recorded.chars().zip(of_requested.chars()).take_while(|(one, other)| one == other).count();
        let [recorded, requested] = [recorded, requested].map(|text| match text {
            Some(text) => excerpt(text, same),
            None => "not there".to_owned(),
        });
        write!(f, "{path}{place}\n    recorded:  {recorded}\n    requested: {requested}")
    }
}

/// The part of a long text around its first difference.
fn excerpt(text: &str, same: usize) -> String {
    let length = text.chars().count();
    if length <= MOST {
        return text.to_owned();
    }
    let start = same.saturating_sub(BEFORE).min(length - MOST);
    let part: String = text.chars().skip(start).take(MOST).collect();
    let before = if start > 0 { ".." } else { "" };
    let after = if start + MOST < length { ".." } else { "" };
    format!("{before}{part}{after}")
}

/// The differences between two requests, in the order of the recorded one.
pub(super) fn compare(recorded: &Request, requested: &Request) -> Vec<Difference> {
    let mut differences = Vec::new();
    each_field(&recorded.fields, &requested.fields, |name, one, other| match (name, one, other) {
        ("tools", Some(Value::Array(one)), Some(Value::Array(other))) => tools(one, other, &mut differences),
        (name, one, other) => values(name, one, other, &mut differences),
    });
    items("messages", &recorded.messages, &requested.messages, &mut differences);
    differences
}

/// Compares the tools by their names.
fn tools(recorded: &[Value], requested: &[Value], differences: &mut Vec<Difference>) {
    let names = |tools: &[Value]| -> Vec<String> {
        tools.iter().map(|tool| tool["name"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let [of_recorded, of_requested] = [recorded, requested].map(names);
    if of_recorded != of_requested {
        let (recorded, requested) = (of_recorded.join(", "), of_requested.join(", "));
        differences.push(Difference {
            path: "tools".to_owned(),
            line: None,
            recorded: Some(recorded),
            requested: Some(requested),
        });
    }
    for (tool, name) in recorded.iter().zip(&of_recorded) {
        if let Some(other) = of_requested.iter().position(|other| other == name) {
            values(&format!("tools[{name}]"), Some(tool), Some(&requested[other]), differences);
        }
    }
}

fn items(path: &str, recorded: &[Value], requested: &[Value], differences: &mut Vec<Difference>) {
    for index in 0..recorded.len().max(requested.len()) {
        values(&format!("{path}[{index}]"), recorded.get(index), requested.get(index), differences);
    }
}

fn values(
    path: &str,
    recorded: Option<&Value>,
    requested: Option<&Value>,
    differences: &mut Vec<Difference>,
) {
    match (recorded, requested) {
        (Some(Value::Object(recorded)), Some(Value::Object(requested))) => {
            each_field(recorded, requested, |name, one, other| {
                values(&format!("{path}.{name}"), one, other, differences);
            });
        }
        (Some(Value::Array(recorded)), Some(Value::Array(requested))) => {
            items(path, recorded, requested, differences);
        }
        (Some(Value::String(recorded)), Some(Value::String(requested)))
            if recorded != requested && (recorded.contains('\n') || requested.contains('\n')) =>
        {
            differences.push(lines(path, recorded, requested));
        }
        (recorded, requested) => {
            if recorded != requested {
                let [recorded, requested] = [recorded, requested].map(|value| value.map(text));
                differences.push(Difference { path: path.to_owned(), line: None, recorded, requested });
            }
        }
    }
}

/// The first line that differs. The end of a line belongs to it.
fn lines(path: &str, recorded: &str, requested: &str) -> Difference {
    let (mut one, mut other) = (recorded.split_inclusive('\n'), requested.split_inclusive('\n'));
    let mut line = 0;
    loop {
        line += 1;
        let (recorded, requested) = (one.next(), other.next());
        if recorded != requested || recorded.is_none() {
            // The texts are equal but for an end of a line.
            let shows_end = recorded.map(str::trim_end) == requested.map(str::trim_end);
            let [recorded, requested] = [recorded, requested].map(|line| {
                line.map(|line| if shows_end { format!("{line:?}") } else { line.trim_end().to_owned() })
            });
            return Difference { path: path.to_owned(), line: Some(line), recorded, requested };
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The fields of both objects: those of the first one, then those that only the other one has.
fn each_field(
    one: &serde_json::Map<String, Value>,
    other: &serde_json::Map<String, Value>,
    mut each: impl FnMut(&str, Option<&Value>, Option<&Value>),
) {
    one.iter().for_each(|(name, value)| each(name, Some(value), other.get(name)));
    let added = other.iter().filter(|(name, _)| !one.contains_key(*name));
    added.for_each(|(name, value)| each(name, None, Some(value)));
}
