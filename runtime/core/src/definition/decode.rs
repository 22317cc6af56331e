//! Decodes the values of argument text to typed parameters. This code is not generic over tools: a hundred tools with
//! strings and integers share two instances of it.

use std::borrow::Cow;
use std::fmt;

use serde::de::Visitor;
use serde_json::{Map, Value};

use super::cut::{Span, cut_args};
use super::definition::ToolDefinition;
use super::param::{Raw, Reader, ToolArg};
use super::plain::from_text;
use crate::args::Args;
use crate::error::{ErrorKind, Exit, ToolError, ToolResult};
use crate::json::{self, Literals};
use crate::output::ToolOutput;
use crate::schema::{Problem, check, coerce, expected, fill_defaults, has_limits, refusal_text};

/// The values of one call, with one slot for each of the tool's parameters.
///
/// A value that cannot be read ends the call with an error that lists all problems of the arguments, so a good call
/// collects no problems. `#[tool]` generates the calls to it. Implement [`crate::Tool`] for a hand-written tool.
#[doc(hidden)]
pub struct Slots<'a, 's> {
    definition: &'s ToolDefinition,
    text: &'a str,
    spans: &'s [Span],
}

impl<'a, 's> Slots<'a, 's> {
    /// Cuts the argument text into the values of a tool's parameters, and stores their ranges in `spans`.
    ///
    /// # Errors
    /// Returns an error if the text is not one JSON object, even after the listed repairs, or if it has unknown
    /// arguments.
    #[inline]
    pub fn split(
        definition: &'s ToolDefinition,
        args: &'a mut Args,
        spans: &'s mut [Span],
    ) -> ToolResult<Self> {
        match cut_args(definition.params, args, spans) {
            None => Ok(Self { definition, text: args.settled(), spans }),
            Some(problems) => Err(Self { definition, text: args.settle(), spans }.refuse(&problems)),
        }
    }

    /// Decodes one parameter.
    ///
    /// # Errors
    /// Returns an error if the value cannot be decoded. The error lists the problems of all parameters.
    #[inline]
    pub fn read<T>(&self, index: usize, reader: &Reader<T>) -> ToolResult<T> {
        if let Some(part) = self.spans[index]
            && let Ok(value) = (reader.from_part)(self.text, part)
            && (!self.is_held() || self.raw(index).is_some_and(|raw| self.fits(index, raw)))
        {
            return Ok(value);
        }
        self.read_rare(index, reader)
    }

    /// Handles missing values, values that can be converted without loss, and values that cannot.
    #[inline(never)]
    fn read_rare<T>(&self, index: usize, reader: &Reader<T>) -> ToolResult<T> {
        let value = match self.given(index) {
            None => match reader.default {
                Some(default) => Some(default()),
                None if (reader.optional)() => (reader.from_part)("null", (0, 4)).ok(),
                None => None,
            },
            Some(raw) => self.coerced(index, raw).and_then(|value| (reader.from_value)(value).ok()),
        };
        value.ok_or_else(|| self.refuse(&[]))
    }

    /// As [`Self::read`], for a type that borrows from the arguments.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn borrow<T: ToolArg<'a>>(&self, index: usize) -> ToolResult<T> {
        let value = match self.raw(index) {
            None if super::schema::optional::<T>() => serde_json::from_str("null").ok(),
            None => None,
            Some(raw) => match from_text(raw) {
                Ok(value) if self.fits(index, raw) => Some(value),
                _ => self.coerced(index, raw).and_then(|value| T::deserialize(value).ok()),
            },
        };
        value.ok_or_else(|| self.refuse(&[]))
    }

    /// Whether the model gave a value for this parameter.
    #[inline]
    pub fn is_given(&self, index: usize) -> bool {
        self.given(index).is_some()
    }

    /// As [`Self::read`], for text: borrowed if it has no escapes.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn text(&self, index: usize) -> ToolResult<Cow<'a, str>> {
        if let Some(raw) = self.raw(index) {
            match serde_json::from_str(raw) {
                Ok(Text(text)) if self.fits(index, raw) => return Ok(text),
                Ok(_) => {}
                Err(_) => {
                    if let Some(Value::String(text)) = self.coerced(index, raw) {
                        return Ok(Cow::Owned(text));
                    }
                }
            }
        }
        Err(self.refuse(&[]))
    }

    /// As [`Self::text`], for optional text.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn optional_text(&self, index: usize) -> ToolResult<Option<Cow<'a, str>>> {
        match self.raw(index) {
            None | Some("null") => Ok(None),
            Some(_) => self.text(index).map(Some),
        }
    }

    #[inline]
    fn raw(&self, index: usize) -> Option<&'a str> {
        let (start, end) = self.spans[index]?;
        self.text.get(start..end)
    }

    /// The text of a value that is present. Some providers require every argument, and models then write `null` for a
    /// missing one. A parameter with a default reads `null` as missing, unless `null` is a value of its type.
    #[inline]
    fn given(&self, index: usize) -> Option<&'a str> {
        self.raw(index).filter(|raw| *raw != "null" || !self.null_is_missing(index))
    }

    #[cold]
    fn null_is_missing(&self, index: usize) -> bool {
        let param = &self.definition.params[index];
        param.default.is_some() && (param.reads)(Raw::Text("null")).is_err()
    }

    fn schema(&self, index: usize) -> &Value {
        &self.definition.input_schema["properties"][self.definition.params[index].name]
    }

    /// Whether a value that its type accepts may still be refused.
    #[inline]
    fn is_held(&self) -> bool {
        // Both in one test, which saves a good call one branch.
        self.definition.limited | self.definition.nested
    }

    #[inline]
    fn fits(&self, index: usize, raw: &str) -> bool {
        !self.is_held() || self.refused(index, raw).is_empty()
    }

    /// The problems of a value that its type accepts: violated limits, keys that the type drops, and forms that the
    /// schema does not show.
    fn refused(&self, index: usize, raw: &str) -> Vec<Problem> {
        let is_limited = !self.definition.params[index].limits.is_empty() || has_limits(self.schema(index));
        let keys = self.definition.keys(index);
        if !is_limited && keys.is_none_or(|keys| keys.know(raw)) {
            return Vec::new();
        }
        let mut problems = self.held(index, &serde_json::from_str(raw).unwrap_or_default());
        // Without limits, the type alone decides which values are valid.
        problems.retain(|problem| is_limited || problem.is_of_form());
        problems
    }

    /// The schema's problems with a value.
    fn held(&self, index: usize, value: &Value) -> Vec<Problem> {
        check(value, self.schema(index), &self.definition.input_schema, self.definition.params[index].name)
    }

    /// Converts a value of another type without loss.
    #[cold]
    fn coerced(&self, index: usize, raw: &str) -> Option<Value> {
        let json::Unique(mut value) = serde_json::from_str(raw).ok()?;
        let changed =
            coerce(&mut value, self.schema(index), &self.definition.input_schema, &Literals::of(raw));
        (changed && self.held(index, &value).is_empty()).then_some(value)
    }

    /// The error for the model, with all problems.
    #[cold]
    fn refuse(&self, problems: &[Problem]) -> Exit {
        let mut problems = problems.to_vec();
        // A text that is not an object lacks every parameter; one line says so.
        if !problems.iter().any(Problem::is_root) {
            for index in 0..self.definition.params.len() {
                problems.extend(self.problems(index));
            }
        }
        Exit::Tool(arguments_error(&self.definition.name, &problems))
    }

    /// The problems of one argument.
    fn problems(&self, index: usize) -> Vec<Problem> {
        let param = &self.definition.params[index];
        let Some(raw) = self.given(index) else {
            let missing = || Problem::missing(param.name, &expected(self.schema(index)));
            return if param.required() { vec![missing()] } else { Vec::new() };
        };
        let Err(error) = (param.reads)(Raw::Text(raw)) else { return self.refused(index, raw) };
        let mut value = match serde_json::from_str(raw) {
            Ok(json::Unique(value)) => value,
            Err(error) => return vec![without_place(param.name, &error)],
        };
        let changed =
            coerce(&mut value, self.schema(index), &self.definition.input_schema, &Literals::of(raw));
        let found = self.held(index, &value);
        if !found.is_empty() {
            return found;
        }
        // The schema accepts the value. The type may still reject it.
        let error = if changed { (param.reads)(Raw::Value(value)).err() } else { Some(error) };
        error.iter().map(|error| without_place(param.name, error)).collect()
    }
}

fn without_place(name: &str, error: &serde_json::Error) -> Problem {
    let mut reason = error.to_string();
    if let Some(at) = reason.rfind(" at line ") {
        reason.truncate(at);
    }
    Problem::at(name, reason)
}

/// The refusal of these arguments by a tool of a macro. For other tools it is unknown.
pub(crate) fn refusal(definition: &ToolDefinition, args: &mut Args) -> Option<Exit> {
    let count = definition.params.len();
    if count == 0 {
        return None;
    }
    match Slots::split(definition, args, &mut vec![None; count]) {
        Ok(slots) => {
            let problems: Vec<_> = (0..count).flat_map(|index| slots.problems(index)).collect();
            (!problems.is_empty()).then(|| Exit::Tool(arguments_error(&definition.name, &problems)))
        }
        Err(exit) => Some(exit),
    }
}

/// Refuses arguments whose changes were lost, for a tool that may not read them.
#[inline]
pub(crate) fn refuse_lost(tool: &str, args: &Args) -> ToolResult<()> {
    match args.refused() {
        None => Ok(()),
        Some(error) => Err(Exit::Tool(arguments_error(tool, &[Problem::root(error.to_string())]))),
    }
}

/// The error of a call that did not run because of its arguments.
pub(crate) fn arguments_error(tool: &str, problems: &[Problem]) -> ToolError {
    let mut output = ToolOutput::text(refusal_text(tool, problems));
    output.insert_meta(Refused { tool: tool.into(), problems: problems.into() });
    ToolError::from_output(ErrorKind::Arguments, output)
}

/// The problems of a tool with its arguments, stored beside the text for layers that renamed parameters.
struct Refused {
    tool: Box<str>,
    problems: Box<[Problem]>,
}

/// The problems of a tool with its arguments, if the call ended with them.
pub(crate) fn refused_by<'e>(tool: &str, exit: &'e Exit) -> Option<&'e [Problem]> {
    let Exit::Tool(error) = exit else { return None };
    let refused = error.output().meta::<Refused>()?;
    (error.kind() == ErrorKind::Arguments && *refused.tool == *tool).then_some(&*refused.problems)
}

impl ToolDefinition {
    /// Checks the arguments of a call against the schema, for a hand-written tool. Values are converted if nothing is
    /// lost: `"5"` is read as a number if the schema requires one.
    ///
    /// ```
    /// use onionskin::{Args, ToolDefinition};
    /// use serde_json::json;
    ///
    /// let schema = json!({ "type": "object", "properties": { "x": { "type": "integer" } }, "required": ["x"] });
    /// let tool = ToolDefinition::new("add_one", "Adds one.").with_input_schema(schema);
    /// assert_eq!(tool.fit(&Args::from(r#"{"x": "41"}"#)).unwrap()["x"], 41);
    /// let problems = tool.fit(&Args::from("{}")).unwrap_err();
    /// assert!(tool.refuse(&problems).to_text().contains("missing; expected an integer"));
    /// ```
    ///
    /// # Errors
    /// Returns all problems.
    pub fn fit(&self, args: &Args) -> Result<Map<String, Value>, Vec<Problem>> {
        let object = args.as_object().map_err(|error| vec![Problem::root(error.to_string())])?;
        let schema = &*self.input_schema;
        let mut value = Value::Object(object.clone());
        let mut problems = check(&value, schema, schema, "");
        // `"5"` is converted to 5 as for functions, only if the schema requires it.
        if !problems.is_empty() && coerce(&mut value, schema, schema, &args.literals()) {
            problems = check(&value, schema, schema, "");
        }
        match value {
            Value::Object(object) if problems.is_empty() => Ok(object),
            _ => Err(problems),
        }
    }

    /// The error of a call that did not run because of its arguments. It lists all problems, so that the model can
    /// correct all of them at once.
    pub fn refuse(&self, problems: &[Problem]) -> ToolError {
        arguments_error(&self.name, problems)
    }
}

/// Whether the arguments have keys that are not in the tool's schema, or a form that it does not show.
pub(crate) fn has_other_form(definition: &ToolDefinition, args: &Args) -> bool {
    let schema = &*definition.input_schema;
    args.as_object().is_ok_and(|object| {
        check(&Value::Object(object.clone()), schema, schema, "").iter().any(Problem::is_of_form)
    })
}

/// Converts arguments to a tool's types as decoding does, so that earlier readers see what the tool gets. Values that
/// cannot be converted without loss are unchanged: decoding refuses them.
pub(crate) fn bring_into_types(definition: &ToolDefinition, args: &mut Args) {
    let bound = args.unbind();
    let schema = &*definition.input_schema;
    if let Ok(object) = args.as_object() {
        let mut value = Value::Object(object.clone());
        let coerced = coerce(&mut value, schema, schema, &args.literals());
        if let Value::Object(mut read) = value
            && (fill_defaults(&mut read, bound.as_deref().unwrap_or(schema)) || coerced)
            && let Ok(object) = args.as_object_mut()
        {
            *object = read;
        }
    }
    if let Some(schema) = bound {
        args.bind(&schema);
    }
}

/// Text that is borrowed if possible.
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
