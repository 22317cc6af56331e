//! From argument text to typed parameters. Nothing here is generic over a tool: a hundred tools of
//! strings and integers share two instances of the decoding.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::check::{self, Problem};
use super::coerce::coerce;
use super::definition::ToolDefinition;
use super::param::{Param, Reader, ToolArg};
use super::plain::{cut_plain, from_text};
use crate::args::{self, Args};
use crate::error::{ErrorKind, Exit, ToolError};
use crate::output::ToolOutput;

/// Where the value of one parameter stands in the argument text.
pub(super) type Span = Option<(usize, usize)>;

/// The values of one call, one slot for each of a tool's parameters, and everything that is wrong with them.
///
/// `#[tool]` writes the calls to it; [`crate::Tool`] is what to implement by hand.
#[doc(hidden)]
pub struct Slots<'a, const N: usize> {
    definition: &'a ToolDefinition,
    params: &'static [Param],
    text: &'a str,
    spans: [Span; N],
    problems: Vec<Problem>,
}

impl<'a, const N: usize> Slots<'a, N> {
    /// Cuts the argument text into the values of `params`.
    pub fn split(definition: &'a ToolDefinition, params: &'static [Param; N], args: &'a mut Args) -> Self {
        let mut spans = [None; N];
        let plain = cut_plain(params, args.settle(), &mut spans);
        let problems = if plain { Vec::new() } else { cut_repaired(params, args, &mut spans) };
        let text = args.settle();
        Self { definition, params, text, spans, problems }
    }

    /// Decodes one parameter; `None` if that cannot be done, which is then noted.
    pub fn take<T: ToolArg<'a>>(&mut self, index: usize) -> Option<T> {
        let Some(raw) = self.raw(index) else {
            return match serde_json::from_str("null") {
                Ok(value) if super::schema::optional::<T>() => Some(value),
                _ => {
                    self.missing(index);
                    None
                }
            };
        };
        match from_text(raw) {
            Ok(value) if self.within_limits(index, raw) => Some(value),
            Ok(_) => None,
            Err(error) => {
                let coerced = self.coerced(index, raw, &error)?;
                T::deserialize(coerced).map_err(|error| self.refuse_value(index, &error)).ok()
            }
        }
    }

    /// As [`Self::take`], with a reader of the type.
    #[inline]
    pub fn read<T>(&mut self, index: usize, reader: &Reader<T>) -> Option<T> {
        let Some(raw) = self.raw(index) else {
            let nothing = if (reader.optional)() { (reader.from_text)("null").ok() } else { None };
            if nothing.is_none() {
                self.missing(index);
            }
            return nothing;
        };
        match (reader.from_text)(raw) {
            Ok(value) if self.within_limits(index, raw) => Some(value),
            Ok(_) => None,
            Err(error) => {
                let coerced = self.coerced(index, raw, &error)?;
                (reader.from_value)(coerced).map_err(|error| self.refuse_value(index, &error)).ok()
            }
        }
    }

    /// Whether the model gave a value for this parameter.
    pub fn is_given(&self, index: usize) -> bool {
        self.spans[index].is_some()
    }

    /// As [`Self::take`], for text: borrowed where it holds no escapes.
    pub fn take_str(&mut self, index: usize) -> Option<Cow<'a, str>> {
        let Some(raw) = self.raw(index) else {
            self.missing(index);
            return None;
        };
        match serde_json::from_str(raw) {
            Ok(Text(text)) if self.within_limits(index, raw) => Some(text),
            Ok(_) => None,
            Err(error) => self.coerced(index, raw, &error)?.as_str().map(|text| Cow::Owned(text.to_owned())),
        }
    }

    /// As [`Self::take_str`], for optional text.
    pub fn take_optional_str(&mut self, index: usize) -> Option<Option<Cow<'a, str>>> {
        match self.raw(index) {
            None | Some("null") => Some(None),
            Some(_) => self.take_str(index).map(Some),
        }
    }

    /// Whether nothing was wrong.
    pub fn is_sound(&self) -> bool {
        self.problems.is_empty()
    }

    /// The error that tells the model everything that was wrong.
    #[cold]
    pub fn refuse(self) -> Exit {
        Exit::Tool(arguments_error(&self.definition.name, &self.problems))
    }

    fn raw(&self, index: usize) -> Option<&'a str> {
        let (start, end) = self.spans[index]?;
        self.text.get(start..end)
    }

    fn schema(&self, index: usize) -> &Value {
        &self.definition.input_schema["properties"][self.params[index].name]
    }

    #[cold]
    fn missing(&mut self, index: usize) {
        // A text that is no object misses everything; one line says so.
        if !self.problems.iter().any(Problem::is_root) {
            let expected = check::expected(self.schema(index));
            self.problems.push(Problem::missing(self.params[index].name, &expected));
        }
    }

    fn within_limits(&mut self, index: usize, raw: &str) -> bool {
        if !self.definition.limited {
            return true;
        }
        if self.params[index].limits.is_empty() && !check::has_limits(self.schema(index)) {
            return true;
        }
        let value: Value = serde_json::from_str(raw).unwrap_or_default();
        self.note(index, &value)
    }

    /// Notes what the schema says against a value; `true` if that is nothing.
    fn note(&mut self, index: usize, value: &Value) -> bool {
        let found =
            check::check(value, self.schema(index), &self.definition.input_schema, self.params[index].name);
        let sound = found.is_empty();
        self.problems.extend(found);
        sound
    }

    /// A value of another type that can be read as the wanted one without loss; else notes why not.
    #[cold]
    fn coerced(&mut self, index: usize, raw: &str, error: &serde_json::Error) -> Option<Value> {
        let mut value = match serde_json::from_str(raw) {
            Ok(args::Unique(value)) => value,
            Err(error) => {
                self.refuse_value(index, &error);
                return None;
            }
        };
        let changed = coerce(&mut value, self.schema(index), &self.definition.input_schema);
        if !self.note(index, &value) {
            return None;
        }
        if !changed {
            self.refuse_value(index, error);
            return None;
        }
        Some(value)
    }

    /// The schema has nothing against the value, the type has.
    #[cold]
    fn refuse_value(&mut self, index: usize, error: &serde_json::Error) {
        let mut reason = error.to_string();
        if let Some(at) = reason.rfind(" at line ") {
            reason.truncate(at);
        }
        self.problems.push(Problem::at(self.params[index].name, reason));
    }
}

/// Text for the model: every wrong field, one a line.
pub(crate) fn arguments_error(tool: &str, problems: &[Problem]) -> ToolError {
    let mut text = format!("Invalid arguments for `{tool}`; it did not run:");
    for problem in problems {
        text.push_str(&format!("\n- {problem}"));
    }
    ToolError::from_output(ErrorKind::Arguments, ToolOutput::text(text))
}

/// Cuts text that is not plain, after the listed repairs if need be, and tells what is wrong with it.
#[cold]
fn cut_repaired(params: &[Param], args: &mut Args, spans: &mut [Span]) -> Vec<Problem> {
    let mut problems = Vec::new();
    spans.fill(None);
    if let Some(error) = args.refused() {
        return vec![Problem::root(error.to_string())];
    }
    let Err(first) = cut(params, args.settle(), spans, &mut problems) else { return problems };
    problems.clear();
    spans.fill(None);
    match args::repair(args.settle()) {
        Some(repaired) => {
            *args = Args::from(repaired);
            if let Err(error) = cut(params, args.settle(), spans, &mut problems) {
                problems.push(Problem::root(error.to_string()));
            }
        }
        None => problems.push(Problem::root(first.to_string())),
    }
    problems
}

pub(super) fn cut(
    params: &[Param],
    text: &str,
    spans: &mut [Span],
    problems: &mut Vec<Problem>,
) -> Result<(), serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    serde::Deserializer::deserialize_map(&mut deserializer, Cut { params, text, spans, problems })?;
    deserializer.end()
}

struct Cut<'s> {
    params: &'s [Param],
    text: &'s str,
    spans: &'s mut [Span],
    problems: &'s mut Vec<Problem>,
}

impl<'de> Visitor<'de> for Cut<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(Key(self.params))? {
            match key {
                Found::Param(index) => {
                    if self.spans[index].is_some() {
                        let name = self.params[index].name;
                        return Err(A::Error::custom(format_args!("the key `{name}` stands twice")));
                    }
                    let raw: &'de RawValue = map.next_value()?;
                    let raw = raw.get();
                    // What a hook could not read as a value, the tool must not read as text.
                    if raw.starts_with(['{', '[']) {
                        serde_json::from_str::<args::Sound>(raw).map_err(A::Error::custom)?;
                    }
                    let start = raw.as_ptr().addr() - self.text.as_ptr().addr();
                    self.spans[index] = Some((start, start + raw.len()));
                }
                Found::Unknown(name) => {
                    map.next_value::<IgnoredAny>()?;
                    let names = self.params.iter().map(|param| param.name);
                    self.problems.push(Problem::unknown(&name, names));
                }
            }
        }
        Ok(())
    }
}

/// Finds the parameter that a key names without copying the key.
struct Key<'s>(&'s [Param]);

enum Found {
    Param(usize),
    Unknown(String),
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Found;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Found, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = Found;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of an argument")
    }

    fn visit_str<E>(self, name: &str) -> Result<Found, E> {
        let position = self.0.iter().position(|param| param.name == name);
        Ok(position.map_or_else(|| Found::Unknown(name.to_owned()), Found::Param))
    }
}

/// Text that borrows where it can.
struct Text<'a>(Cow<'a, str>);

impl<'de> serde::Deserialize<'de> for Text<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }
}
