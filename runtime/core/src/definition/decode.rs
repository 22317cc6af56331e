//! Decodes the values of argument text to typed parameters: `scan` finds and reads them in the usual texts. This code is
//! not generic over tools: a hundred tools with strings and integers share two instances of it.

use std::borrow::Cow;
use std::fmt;

use serde::de::Visitor;
use serde_json::Value;

use super::definition::{Defined, ToolDefinition};
use super::param::{Param, Raw, ToolArg, optional};
use super::parse::parse_repaired;
use super::refusal::arguments_error;
use super::scan::{Span, from_part, from_text, scan};
use crate::args::Args;
use crate::error::{Exit, ToolResult};
use crate::json::{self, Literals};
use crate::schema::{Problem, check, coerce, expected, has_limits};

/// Reads all arguments of a call.
///
/// # Errors
/// Returns an error if they do not fit. The error names every invalid argument.
#[doc(hidden)]
#[inline(never)]
pub fn read<V: Values>(
    tool: &'static Defined,
    readers: &V::Readers,
    args: &mut Args,
    spans: &mut [Span],
) -> ToolResult<V> {
    match Slots::split(tool.get(), args, spans) {
        Ok(slots) => V::read(&slots, 0, readers),
        Err(exit) => Err(exit),
    }
}

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
        let problems = match scan(definition.params, args.settle(), spans) {
            Some(()) => None,
            None => {
                let problems = parse_repaired(definition.params, args, spans);
                (!problems.is_empty()).then_some(problems)
            }
        };
        // A result that a cold function makes would be written to memory and read again at every call.
        match problems {
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
            None if optional::<T>() => serde_json::from_str("null").ok(),
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

/// Checks the arguments of a tool that a macro generated. Other definitions accept all.
///
/// # Errors
/// Returns an error if they do not fit. The error names every invalid argument.
pub(crate) fn check_args(definition: &ToolDefinition, args: &Args) -> ToolResult<()> {
    let count = definition.params.len();
    if count == 0 {
        return Ok(());
    }
    let mut args = args.clone();
    let mut spans = vec![None; count];
    let slots = Slots::split(definition, &mut args, &mut spans)?;
    let problems: Vec<_> = (0..count).flat_map(|index| slots.problems(index)).collect();
    if problems.is_empty() { Ok(()) } else { Err(Exit::Tool(arguments_error(&definition.name, &problems))) }
}

/// The decoder and the schema of a parameter's type.
///
/// `#[tool]` names a parameter's type once, in the call that makes its reader. So an unsupported type is one error, at
/// the type.
pub struct Reader<T> {
    param: Param,
    optional: fn() -> bool,
    /// Deserialises a part of a text.
    from_part: fn(&str, (usize, usize)) -> Result<T, serde_json::Error>,
    from_value: fn(Value) -> Result<T, serde_json::Error>,
    default: Option<fn() -> T>,
}

/// The reader of a type.
pub const fn reader<T: for<'a> ToolArg<'a>>() -> Reader<T> {
    Reader {
        param: Param::new::<T>(""),
        optional: optional::<T>,
        from_part: |text, part| from_part(text, part),
        from_value: |value| T::deserialize(value),
        default: None,
    }
}

impl<T> Reader<T> {
    /// Sets the default of a missing value.
    #[must_use]
    pub const fn or(mut self, default: fn() -> T) -> Self {
        self.default = Some(default);
        self
    }

    /// A required parameter of this type, without description or limits.
    pub const fn param(&self, name: &'static str) -> Param {
        Param { name, ..self.param }
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

/// Values of several types and their readers. All tools with the same parameter types share this code.
#[doc(hidden)]
pub trait Values: Send + Sized + 'static {
    type Readers: 'static;

    /// Reads the values, beginning with this slot.
    ///
    /// # Errors
    /// Returns an error if one cannot be read. The error names the problems of all.
    fn read(slots: &Slots<'_, '_>, index: usize, readers: &Self::Readers) -> ToolResult<Self>;
}

impl Values for () {
    type Readers = ();

    #[inline]
    fn read(_: &Slots<'_, '_>, _: usize, (): &()) -> ToolResult<()> {
        Ok(())
    }
}

impl<T: Send + 'static, R: Values> Values for (T, R) {
    type Readers = (&'static Reader<T>, R::Readers);

    #[inline]
    fn read(slots: &Slots<'_, '_>, index: usize, readers: &Self::Readers) -> ToolResult<Self> {
        #[expect(
            clippy::question_mark,
            reason = "`?` brings a conversion of the error for every value of every tool"
        )]
        let value = match slots.read(index, readers.0) {
            Ok(value) => value,
            Err(exit) => return Err(exit),
        };
        match R::read(slots, index + 1, &readers.1) {
            Ok(rest) => Ok((value, rest)),
            Err(exit) => Err(exit),
        }
    }
}
