//! What is wrong with an argument, in words for a model.

use std::fmt;

use serde_json::Value;

/// One thing that is wrong with the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(super) path: String,
    reason: String,
    /// The schema has nothing against the arguments, and what reads them has.
    is_of_reader: bool,
    /// Nobody reads what stands there.
    is_unknown: bool,
}

impl Problem {
    pub(crate) fn at(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { path: path.into(), reason: reason.into(), is_of_reader: false, is_unknown: false }
    }

    /// What reads the arguments says this of them, perhaps with a value in its words.
    pub(crate) fn of_reader(reason: impl Into<String>) -> Self {
        Self { is_of_reader: true, ..Self::root(reason) }
    }

    pub(crate) fn is_of_reader(&self) -> bool {
        self.is_of_reader
    }

    pub(crate) fn is_unknown(&self) -> bool {
        self.is_unknown
    }

    pub(crate) fn root(reason: impl Into<String>) -> Self {
        Self::at("", reason)
    }

    /// The parameter that it is about, and what follows its name in the path.
    pub(crate) fn parameter(&self) -> (&str, &str) {
        let end = self.path.find(['.', '[']).unwrap_or(self.path.len());
        self.path.split_at(end)
    }

    /// Whether it is about this parameter, whose name may hold any character.
    pub(crate) fn is_about(&self, name: &str) -> bool {
        let rest = self.path.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    }

    /// The same about another path.
    pub(crate) fn moved(&self, path: impl Into<String>) -> Self {
        Self::at(path, self.reason.clone())
    }

    pub(crate) fn is_root(&self) -> bool {
        self.path.is_empty()
    }

    pub(crate) fn missing(path: impl Into<String>, expected: &str) -> Self {
        Self::at(path, format!("missing; expected {expected}"))
    }

    pub(crate) fn unknown<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Self {
        Self::unknown_at(name, name, names)
    }

    pub(super) fn unknown_at<'n>(
        path: impl Into<String>,
        name: &str,
        names: impl Iterator<Item = &'n str>,
    ) -> Self {
        let names: Vec<_> = names.collect();
        let mut reason = "unknown argument".to_owned();
        match nearest(name, names.iter().copied()) {
            Some(near) => reason.push_str(&format!("; did you mean `{near}`?")),
            None if names.is_empty() => reason.push_str("; it takes none"),
            None => {
                let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
                reason.push_str(&format!("; it takes {}", names.join(", ")));
            }
        }
        Self { is_unknown: true, ..Self::at(path, reason) }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.reason)
        } else {
            write!(f, "`{}`: {}", self.path, self.reason)
        }
    }
}

/// The name that somebody who wrote `name` most likely meant.
pub(crate) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    // Comparing takes time with the length; nobody mistypes a name this long.
    let name = if name.len() > 200 { "" } else { name };
    names
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}

/// A value in words: `the string "abc"`.
pub(crate) fn describe(value: &Value) -> String {
    let short = |text: String| match text.char_indices().nth(40) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text,
    };
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the string {}", short(format!("{text:?}"))),
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// What a schema wants, in words.
pub(crate) fn expected(schema: &Value) -> String {
    if let Some(options) = schema["enum"].as_array() {
        return format!("one of {}", options.iter().map(Value::to_string).collect::<Vec<_>>().join(", "));
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(options) = schema[key].as_array() {
            let mut words: Vec<_> = options.iter().map(expected).collect();
            words.dedup();
            return words.join(" or ");
        }
    }
    let word = |kind: &str| match kind {
        "integer" => "an integer",
        "number" => "a number",
        "string" => "a string",
        "boolean" => "true or false",
        "array" => "a list",
        "object" => "an object",
        "null" => "null",
        _ => "a value",
    };
    match &schema["type"] {
        Value::String(kind) => word(kind).to_owned(),
        Value::Array(kinds) => {
            kinds.iter().filter_map(Value::as_str).map(word).collect::<Vec<_>>().join(" or ")
        }
        _ => "a value".to_owned(),
    }
}
