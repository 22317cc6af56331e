//! The problems with arguments, worded for a model. The texts are short, however long the argument is.
//!
//! All texts about wrong arguments are here, except those about text that is not one JSON object, in `args`
//! and `json`.

use std::fmt;

use serde_json::Value;

use super::closed::field_names;
use super::union::Marks;
use crate::text::{first_of, nearest, short};

/// A problem with a value: a path in it, and the reason, worded for a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub(super) path: String,
    reason: String,
    /// Whether the schema accepts the arguments and the code that reads them rejects them.
    is_of_reader: bool,
    /// Whether the key has no field.
    is_unknown: bool,
}

impl Problem {
    /// A problem at a path: `limit`, `filter.words[0]`.
    pub fn at(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { path: path.into(), reason: reason.into(), is_of_reader: false, is_unknown: false }
    }

    /// An error of the code that reads the arguments. It may show a value.
    pub fn from_reader(reason: impl Into<String>) -> Self {
        Self { is_of_reader: true, ..Self::root(reason) }
    }

    /// Whether the code that reads the arguments reported it.
    pub fn is_of_reader(&self) -> bool {
        self.is_of_reader
    }

    pub(crate) fn is_unknown(&self) -> bool {
        self.is_unknown
    }

    /// Rewords the problem for a value that is not the arguments of a call.
    #[must_use]
    pub fn for_value(mut self) -> Self {
        if let Some(rest) = self.reason.strip_prefix(UNKNOWN).filter(|_| self.is_unknown) {
            self.reason = format!("unknown key{rest}");
        }
        self
    }

    /// A problem with the value as a whole.
    pub fn root(reason: impl Into<String>) -> Self {
        Self::at("", reason)
    }

    /// The name of the parameter, and the rest of the path.
    pub fn parameter(&self) -> (&str, &str) {
        let end = self.path.find(['.', '[']).unwrap_or(self.path.len());
        self.path.split_at(end)
    }

    /// Whether the problem is about this parameter, whose name may contain any character.
    pub(crate) fn is_about(&self, name: &str) -> bool {
        let rest = self.path.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    }

    /// The parameter that the problem is about: the longest name that matches, because names may contain
    /// dots.
    pub fn longest_of<'n>(&self, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
        names.filter(|name| self.is_about(name)).max_by_key(|name| name.len())
    }

    /// The same problem at another path.
    #[must_use]
    pub fn moved(&self, path: impl Into<String>) -> Self {
        Self { path: path.into(), ..self.clone() }
    }

    pub(crate) fn is_root(&self) -> bool {
        self.path.is_empty()
    }

    pub(crate) fn missing(path: impl Into<String>, expected: &str) -> Self {
        Self::at(path, format!("missing; expected {expected}"))
    }

    /// A key that is not in the schema, with the most similar name that is.
    pub fn unknown<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Self {
        Self::unknown_at(name, name, names)
    }

    /// The value has another type, or is not one of the allowed values.
    pub(super) fn mismatch(path: String, schema: &Value, value: &Value) -> Self {
        Self::at(path, format!("expected {}, found {}", expected(schema), describe(value)))
    }

    /// The field distinguishes the options of a union, and its value matches none of them.
    pub(super) fn no_option(path: String, values: &[&Value], found: Option<&Value>) -> Self {
        let wanted = one_of(values);
        match found {
            Some(found) => Self::at(path, format!("expected {wanted}, found {}", describe(found))),
            None => Self::missing(path, &wanted),
        }
    }

    /// The object has the key of no option of a union, or the keys of several.
    pub(super) fn no_key<'n>(path: String, names: &[&str], given: impl Iterator<Item = &'n str>) -> Self {
        let given: Vec<_> = given.collect();
        let found = match &given[..] {
            [] => "none".to_owned(),
            given => first_of(given.iter().map(|name| quoted(name)), ", "),
        };
        let near = match &given[..] {
            [only] => nearest(only, names.iter().copied()).map(|near| format!("; did you mean `{near}`?")),
            _ => None,
        };
        let wanted = first_of(names.iter().map(|name| quoted(name)), ", ");
        Self::at(
            path,
            format!("expected one of the keys {wanted}, found {found}{}", near.unwrap_or_default()),
        )
    }

    /// The object has the fields of no option of a union.
    pub(super) fn no_fields(path: String, options: &[&Value]) -> Self {
        let fields = |option: &&Value| {
            let required = option["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let mut names: Vec<_> = required.map(quoted).collect();
            if names.is_empty() {
                names = field_names(option).iter().map(|name| quoted(name)).collect();
            }
            if names.is_empty() {
                "without fields".to_owned()
            } else {
                format!("with {}", first_of(names.into_iter(), ", "))
            }
        };
        let options = first_of(options.iter().map(fields), ", or ");
        Self::at(path, format!("expected an object {options}"))
    }

    /// The number is outside a bound: `at least`, `3`.
    pub(super) fn out_of_range(path: String, bound: &str, limit: &impl fmt::Display, value: &Value) -> Self {
        Self::at(path, format!("expected {bound} {limit}, found {value}"))
    }

    pub(super) fn not_a_multiple(path: String, step: f64, value: &Value) -> Self {
        Self::at(path, format!("expected a multiple of {step}, found {value}"))
    }

    /// The text is too long or too short, or the list or the object has too few or too many `unit`.
    pub(super) fn wrong_count(path: String, bound: &str, limit: u64, unit: &str, count: u64) -> Self {
        Self::at(path, format!("expected {bound} {limit} {unit}, found {count}"))
    }

    pub(super) fn no_match(path: String, pattern: &str, text: &str) -> Self {
        let found = describe(&Value::String(text.to_owned()));
        Self::at(path, format!("expected text that matches {pattern:?}, found {found}"))
    }

    pub(super) fn repeated(path: String) -> Self {
        Self::at(path, "occurs twice in a list whose items must differ")
    }

    /// No value is allowed.
    pub(super) fn not_allowed(path: String) -> Self {
        Self::at(path, "not allowed here; remove it")
    }

    /// The value fits a schema that it must not fit.
    pub(super) fn excluded(path: String, excluded: &Value, value: &Value) -> Self {
        let excluded = excluded.to_string();
        let excluded = short(&excluded, NAME);
        Self::at(path, format!("expected a value that does not fit {excluded}, found {}", describe(value)))
    }

    /// The key requires another key.
    pub(super) fn missing_beside(path: String, beside: &str) -> Self {
        Self::at(path, format!("missing; `{}` needs it", short(beside, NAME)))
    }

    /// The key belongs to a group that is provided or left out as a whole.
    pub(super) fn half(path: String, expected: &str, beside: &str) -> Self {
        Self::at(path, format!("missing beside `{}`; expected {expected}", short(beside, NAME)))
    }

    pub(super) fn unchecked(path: &str) -> Self {
        Self::at(path, "too large or too deeply nested to be checked")
    }

    pub(super) fn unknown_at<'n>(
        path: impl Into<String>,
        name: &str,
        names: impl Iterator<Item = &'n str>,
    ) -> Self {
        let names: Vec<_> = names.collect();
        let mut reason = UNKNOWN.to_owned();
        match nearest(name, names.iter().copied()) {
            Some(near) => reason.push_str(&format!("; did you mean `{near}`?")),
            None if names.is_empty() => reason.push_str("; it takes none"),
            None => {
                let names = names.iter().map(|name| quoted(name));
                reason.push_str(&format!("; it takes {}", first_of(names, ", ")));
            }
        }
        Self { is_unknown: true, ..Self::at(path, reason) }
    }
}

/// The reason for a key without a field.
const UNKNOWN: &str = "unknown argument";

/// The text of a refused call: one line per problem.
pub(crate) fn refusal_text(tool: &str, problems: &[Problem]) -> String {
    format!("Invalid arguments for `{tool}`; it did not run:\n- {}", problem_lines(problems))
}

/// The problems, one per line, with a dash before all but the first.
pub fn problem_lines(problems: &[Problem]) -> String {
    first_of(problems.iter().map(ToString::to_string), "\n- ")
}

/// The message of a deserialisation error, without the position in the text.
pub fn reason_of(error: &serde_json::Error) -> String {
    let mut reason = error.to_string();
    if let Some(at) = reason.rfind(" at line ") {
        reason.truncate(at);
    }
    reason
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = short(&self.reason, REASON);
        if self.path.is_empty() {
            f.write_str(&reason)
        } else {
            write!(f, "`{}`: {reason}", short(&self.path, PATH))
        }
    }
}

/// The maximum number of bytes of a name, a path and a reason.
const NAME: usize = 100;
const PATH: usize = 200;
const REASON: usize = 1000;

/// Describes a value for a message: `the string "abc"`.
pub fn describe(value: &Value) -> String {
    let beginning = |text: String| match text.char_indices().nth(40) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text,
    };
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => format!("the number {}", short(&number.to_string(), NAME)),
        Value::String(text) => format!("the string {}", beginning(format!("{text:?}"))),
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(_) => "an object".to_owned(),
    }
}

fn quoted(name: &str) -> String {
    format!("`{}`", short(name, NAME))
}

/// Lists the values for a message.
fn one_of(values: &[&Value]) -> String {
    let short = |value: &&Value| short(&value.to_string(), NAME).into_owned();
    match values {
        [only] => short(only),
        values => format!("one of {}", first_of(values.iter().map(short), ", ")),
    }
}

/// Describes the values of a schema with options.
fn union(options: &[Value]) -> String {
    let (objects, others): (Vec<&Value>, Vec<&Value>) =
        options.iter().partition(|option| option["properties"].is_object());
    let mut words: Vec<_> = others.iter().map(|option| expected(option)).collect();
    match Marks::find(&objects) {
        Some(Marks::Tag(name, values)) => {
            words.insert(0, format!("an object with `{}`: {}", short(name, NAME), one_of(&values)));
        }
        Some(Marks::Key(names)) => {
            let names = names.iter().map(|name| quoted(name));
            words.push(format!("an object with one of the keys {}", first_of(names, ", ")));
        }
        None => words = options.iter().map(expected).collect(),
    }
    words.dedup();
    first_of(words.into_iter(), " or ")
}

/// Describes the values of a schema, for a message.
pub fn expected(schema: &Value) -> String {
    if let Some(options) = schema["enum"].as_array() {
        return one_of(&options.iter().collect::<Vec<_>>());
    }
    if let Some(value) = schema.get("const") {
        return short(&value.to_string(), NAME).into_owned();
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(options) = schema[key].as_array() {
            return union(options);
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
