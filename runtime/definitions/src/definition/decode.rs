//! Decodes the values that `scan` found to typed parameters. This code is not generic over tools: a hundred
//! tools with strings and integers share two instances of it.

use std::borrow::Cow;

use serde::de::Visitor;
use serde::de::value::Error as SilentError;
use serde::{Deserialize, Deserializer, forward_to_deserialize_any};
use serde_json::Value;

use super::definition::ToolDefinition;
use super::param::{Raw, ToolArg, optional};
use crate::error::ToolResult;
use crate::json::with_digits;

/// The range of one parameter's value in the argument text.
pub(crate) type Span = Option<(usize, usize)>;

/// The values of one call, with one slot for each of the tool's parameters.
///
/// An invalid value fails the call with an error that lists all problems of the arguments; only then are
/// problems collected. `#[tool]` generates the calls to it. Implement `Tool` for a hand-written tool.
pub struct Slots<'a, 's> {
    pub(super) definition: &'s ToolDefinition,
    pub(super) text: &'a str,
    pub(super) spans: &'s [Span],
}

impl<'a> Slots<'a, '_> {
    /// Decodes one parameter.
    ///
    /// # Errors
    /// Returns an error if the value cannot be decoded. The error lists the problems of all parameters.
    #[inline]
    pub fn read<T: for<'b> ToolArg<'b>>(&self, index: usize, default: Option<fn() -> T>) -> ToolResult<T> {
        if let Some(part) = self.spans[index]
            && let Ok(value) = from_part(self.text, part)
            && (!self.is_held() || self.raw(index).is_some_and(|raw| self.fits(index, raw)))
        {
            return Ok(value);
        }
        self.read_rare(index, default)
    }

    /// Handles missing values, values of other types, and invalid values.
    #[inline(never)]
    fn read_rare<T: for<'b> ToolArg<'b>>(&self, index: usize, default: Option<fn() -> T>) -> ToolResult<T> {
        let value = match self.provided(index) {
            None => match default {
                Some(default) => Some(default()),
                None if optional::<T>() => from_text("null").ok(),
                None => None,
            },
            // A value would round the digits of a long integer, so the text comes first.
            Some(raw) => with_digits(raw)
                .and_then(|digits| from_text(&digits).ok().filter(|_| self.fits(index, &digits)))
                .or_else(|| self.coerced(index, raw).and_then(|value| T::deserialize(value).ok())),
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

    /// Whether the arguments contain a value for this parameter.
    #[inline]
    pub fn is_given(&self, index: usize) -> bool {
        self.provided(index).is_some()
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

    /// The text of a present value. Some providers require every argument, so models write `null` for a
    /// missing one. A parameter with a default reads `null` as missing, unless `null` is a value of its type.
    #[inline]
    pub(super) fn provided(&self, index: usize) -> Option<&'a str> {
        self.raw(index).filter(|raw| *raw != "null" || !self.null_is_missing(index))
    }

    #[cold]
    fn null_is_missing(&self, index: usize) -> bool {
        let param = &self.definition.params[index];
        param.default.is_some() && (param.reads)(Raw::Text("null")).is_err()
    }

    /// Whether the schema may refuse a value that the type accepts.
    #[inline]
    pub(super) fn is_held(&self) -> bool {
        self.definition.held
    }

    #[inline]
    fn fits(&self, index: usize, raw: &str) -> bool {
        !self.is_held() || self.refused(index, raw).is_empty()
    }
}

/// As [`serde_json::from_str`], faster for whole numbers.
fn from_text<'de, T: Deserialize<'de>>(raw: &'de str) -> Result<T, serde_json::Error> {
    from_part(raw, (0, raw.len()))
}

/// As [`from_text`], for a part of a text. A number's bytes need not be valid UTF-8.
#[inline]
fn from_part<'de, T: Deserialize<'de>>(
    text: &'de str,
    (start, end): (usize, usize),
) -> Result<T, serde_json::Error> {
    match text.as_bytes().get(start..end).and_then(whole_number) {
        Some(value) => Ok(value),
        None => serde_json::from_str(text.get(start..end).unwrap_or_default()),
    }
}

/// The value of a whole number with few digits, if `T` accepts it. The full parser handles all other values.
#[inline]
fn whole_number<'de, T: Deserialize<'de>>(raw: &[u8]) -> Option<T> {
    match raw {
        [b'-', digits @ ..] => match value_of(digits)? {
            // JSON's minus zero is a fraction.
            0 => None,
            number => T::deserialize(Whole(-number)).ok(),
        },
        digits => T::deserialize(Whole(value_of(digits)?)).ok(),
    }
}

#[inline]
fn value_of(digits: &[u8]) -> Option<i64> {
    // Eighteen digits always fit; more may not.
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut number = 0_i64;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        number = number * 10 + i64::from(digit - b'0');
    }
    Some(number)
}

/// A whole number, offered to a type as `serde_json` offers it.
struct Whole(i64);

impl<'de> Deserializer<'de> for Whole {
    type Error = SilentError;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SilentError> {
        match u64::try_from(self.0) {
            Ok(number) => visitor.visit_u64(number),
            Err(_) => visitor.visit_i64(self.0),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SilentError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, SilentError> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq
        tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// Text that is borrowed if possible.
#[derive(Deserialize)]
#[serde(transparent)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// Values of several types. All tools with the same parameter types share this code.
pub trait Values: Sized {
    /// The defaults of missing values, one for each value.
    type Defaults;

    /// Reads the values, beginning with this slot.
    ///
    /// # Errors
    /// Returns an error if one cannot be read. The error names the problems of all.
    fn read(slots: &Slots<'_, '_>, index: usize, defaults: Self::Defaults) -> ToolResult<Self>;
}

impl Values for () {
    type Defaults = ();

    #[inline]
    fn read(_: &Slots<'_, '_>, _: usize, (): ()) -> ToolResult<()> {
        Ok(())
    }
}

#[diagnostic::do_not_recommend]
impl<T: for<'a> ToolArg<'a>, R: Values> Values for (T, R) {
    type Defaults = (Option<fn() -> T>, R::Defaults);

    #[inline]
    fn read(slots: &Slots<'_, '_>, index: usize, defaults: Self::Defaults) -> ToolResult<Self> {
        #[expect(
            clippy::question_mark,
            reason = "`?` brings a conversion of the error for every value of every tool"
        )]
        let value = match slots.read(index, defaults.0) {
            Ok(value) => value,
            Err(exit) => return Err(exit),
        };
        match R::read(slots, index + 1, defaults.1) {
            Ok(rest) => Ok((value, rest)),
            Err(exit) => Err(exit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_read_as_serde_json_reads_them() {
        fn same<T: for<'de> Deserialize<'de> + PartialEq + std::fmt::Debug>(raw: &str) -> bool {
            let quick = whole_number::<T>(raw.as_bytes());
            let full = serde_json::from_str::<T>(raw);
            match quick {
                Some(value) => assert_eq!(Some(value), full.ok(), "{raw}"),
                None => return false,
            }
            true
        }
        #[derive(Debug, PartialEq, Deserialize)]
        struct Id(u32);
        #[derive(Debug, PartialEq, Deserialize)]
        #[serde(untagged)]
        enum Either {
            Number(i64),
            Text(String),
        }
        #[derive(Debug, PartialEq, Deserialize)]
        enum Unit {
            #[serde(rename = "1")]
            One,
        }
        for raw in ["0", "1", "41", "-7", "300", "-129", "123456789012345678", "-123456789012345678"] {
            assert!(same::<i64>(raw) && same::<f64>(raw) && same::<i128>(raw), "{raw}");
            assert!(same::<Option<Either>>(raw) && same::<serde_json::Value>(raw), "{raw}");
            let _ = (same::<u8>(raw), same::<i8>(raw), same::<f32>(raw), same::<Option<Option<u16>>>(raw));
            assert!(
                !same::<String>(raw) && !same::<bool>(raw) && !same::<Unit>(raw) && !same::<Vec<i64>>(raw)
            );
        }
        assert!(same::<Id>("7") && !same::<Id>("-7"));
        for raw in ["", "-", "-0", "1.0", "1e3", "1 ", "\"1\"", "1234567890123456789"] {
            assert!(!same::<i64>(raw) && !same::<f64>(raw), "{raw}");
        }
    }
}
