//! From the values in argument text to typed parameters. Nothing here is generic over a tool: a hundred tools of
//! strings and integers share two instances of the decoding.

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
use crate::schema::{Problem, check, coerce, expected, fill_defaults, has_limits};
use crate::text::first_of;

/// The values of one call, one slot for each of a tool's parameters.
///
/// A value that cannot be read ends the call with an error that tells everything that is wrong with the arguments,
/// so the good way needs no list of problems. `#[tool]` writes the calls to it; [`crate::Tool`] is what to
/// implement by hand.
#[doc(hidden)]
pub struct Slots<'a, 's> {
    definition: &'s ToolDefinition,
    text: &'a str,
    spans: &'s [Span],
}

impl<'a, 's> Slots<'a, 's> {
    /// Cuts the argument text into the values of a tool's parameters, each into its place in `spans`.
    ///
    /// # Errors
    /// If the text is not one JSON object, even after the listed repairs, or has arguments that nobody takes.
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
    /// If that cannot be done; the error tells what is wrong with all of them.
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

    /// What is left out, what can be read as the wanted type without loss, and what cannot.
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

    /// As [`Self::read`], for text: borrowed where it holds no escapes.
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

    /// The text of a value that is there. Where a provider requires every argument, `null` stands for one that is
    /// left out: a parameter with a default reads it so, unless `null` is a value of its type.
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

    /// Whether a value that its type reads may be refused all the same.
    #[inline]
    fn is_held(&self) -> bool {
        // Both at once: one branch less for a good call.
        self.definition.limited | self.definition.nested
    }

    #[inline]
    fn fits(&self, index: usize, raw: &str) -> bool {
        !self.is_held() || self.refused(index, raw).is_empty()
    }

    /// What is wrong with a value that its type reads: limits that it does not keep, keys that the type drops, and forms
    /// that the schema does not show.
    fn refused(&self, index: usize, raw: &str) -> Vec<Problem> {
        let is_limited = !self.definition.params[index].limits.is_empty() || has_limits(self.schema(index));
        let keys = self.definition.keys(index);
        if !is_limited && keys.is_none_or(|keys| keys.know(raw)) {
            return Vec::new();
        }
        let mut problems = self.held(index, &serde_json::from_str(raw).unwrap_or_default());
        // Without limits the type alone decides which values it reads.
        problems.retain(|problem| is_limited || problem.is_of_form());
        problems
    }

    /// What the schema says against a value.
    fn held(&self, index: usize, value: &Value) -> Vec<Problem> {
        check(value, self.schema(index), &self.definition.input_schema, self.definition.params[index].name)
    }

    /// A value of another type that can be read as the wanted one without loss.
    #[cold]
    fn coerced(&self, index: usize, raw: &str) -> Option<Value> {
        let json::Unique(mut value) = serde_json::from_str(raw).ok()?;
        let changed =
            coerce(&mut value, self.schema(index), &self.definition.input_schema, &Literals::of(raw));
        (changed && self.held(index, &value).is_empty()).then_some(value)
    }

    /// The error that tells the model everything that is wrong.
    #[cold]
    fn refuse(&self, problems: &[Problem]) -> Exit {
        let mut problems = problems.to_vec();
        // A text that is no object misses everything; one line says so.
        if !problems.iter().any(Problem::is_root) {
            for index in 0..self.definition.params.len() {
                problems.extend(self.problems(index));
            }
        }
        Exit::Tool(arguments_error(&self.definition.name, &problems))
    }

    /// What is wrong with one argument.
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
        // The schema has nothing against the value; the type may have.
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

/// Why a tool of a macro would refuse these arguments; of others only they themselves know.
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

/// Refuses arguments that do not hold what was set in them, for a tool that may not look at them.
#[inline]
pub(crate) fn refuse_lost(tool: &str, args: &Args) -> ToolResult<()> {
    match args.refused() {
        None => Ok(()),
        Some(error) => Err(Exit::Tool(arguments_error(tool, &[Problem::root(error.to_string())]))),
    }
}

/// Text for the model: every wrong field, one a line.
pub(crate) fn arguments_error(tool: &str, problems: &[Problem]) -> ToolError {
    let told = first_of(problems.iter().map(ToString::to_string), "\n- ");
    let text = format!("Invalid arguments for `{tool}`; it did not run:\n- {told}");
    let mut output = ToolOutput::text(text);
    output.insert_meta(Refused { tool: tool.into(), problems: problems.into() });
    ToolError::from_output(ErrorKind::Arguments, output)
}

/// What a tool had against its arguments, kept beside the text for whoever gave it other names.
struct Refused {
    tool: Box<str>,
    problems: Box<[Problem]>,
}

/// What a tool had against its arguments, if that is what a call ended with.
pub(crate) fn refused_by<'e>(tool: &str, exit: &'e Exit) -> Option<&'e [Problem]> {
    let Exit::Tool(error) = exit else { return None };
    let refused = error.output().meta::<Refused>()?;
    (error.kind() == ErrorKind::Arguments && *refused.tool == *tool).then_some(&*refused.problems)
}

impl ToolDefinition {
    /// Holds the arguments of a call against the schema, for a tool that is written by hand. What can be read without loss is
    /// read: `"5"` where a number is wanted.
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
    /// Everything that is wrong with them.
    pub fn fit(&self, args: &Args) -> Result<Map<String, Value>, Vec<Problem>> {
        let object = args.as_object().map_err(|error| vec![Problem::root(error.to_string())])?;
        let schema = &*self.input_schema;
        let mut value = Value::Object(object.clone());
        let mut problems = check(&value, schema, schema, "");
        // `"5"` for 5 is repaired as for functions, and only where the schema wants it.
        if !problems.is_empty() && coerce(&mut value, schema, schema, &args.literals()) {
            problems = check(&value, schema, schema, "");
        }
        match value {
            Value::Object(object) if problems.is_empty() => Ok(object),
            _ => Err(problems),
        }
    }

    /// The error of a call that did not run because of its arguments. It names each problem, so that the model can mend all at
    /// once.
    pub fn refuse(&self, problems: &[Problem]) -> ToolError {
        arguments_error(&self.name, problems)
    }
}

/// Whether the arguments have keys that the tool's schema does not know, or a form that it does not show.
pub(crate) fn has_other_form(definition: &ToolDefinition, args: &Args) -> bool {
    let schema = &*definition.input_schema;
    args.as_object().is_ok_and(|object| {
        check(&Value::Object(object.clone()), schema, schema, "").iter().any(Problem::is_of_form)
    })
}

/// Brings arguments into a tool's types as decoding would, so that whoever looks at them before sees what the tool gets.
/// What cannot be read without loss stays: decoding refuses it.
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
