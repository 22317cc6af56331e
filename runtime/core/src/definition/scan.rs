//! Finds the values of a tool's parameters in plain argument text, the usual text of models, and reads a value. Both
//! cost a fraction of a deserialiser. All other text (with a key that is unknown, escaped or duplicate, or with anything
//! that is not JSON) is left to `parse`, which accepts it or reports its problems.

use serde::de::Visitor;
use serde::de::value::Error as SilentError;
use serde::{Deserialize, Deserializer, forward_to_deserialize_any};
use serde_json::value::RawValue;

use super::param::Param;
use crate::json::Sound;

/// The range of one parameter's value in the argument text.
pub(crate) type Span = Option<(usize, usize)>;

/// Fills `spans` and returns `Some` if the text is plain; otherwise the content of `spans` is unspecified.
///
/// It accepts only texts that the full parser accepts, and finds the same ranges.
pub(super) fn scan(params: &[Param], text: &str, spans: &mut [Span]) -> Option<()> {
    let bytes = text.as_bytes();
    let mut at = 0;
    if token(bytes, &mut at)? != b'{' {
        return None;
    }
    let mut next = token(bytes, &mut at)?;
    if next == b'}' {
        return is_end(bytes, at);
    }
    for expected in 0.. {
        if next != b'"' {
            return None;
        }
        let index = key(params, expected, bytes, &mut at)?;
        let span = spans.get_mut(index)?;
        if span.is_some() || token(bytes, &mut at)? != b':' {
            return None;
        }
        let first = token(bytes, &mut at)?;
        let start = at - 1;
        if scalar(bytes, &mut at, first).is_none() {
            at = after_value(text, start)?;
        }
        *span = Some((start, at));
        match token(bytes, &mut at)? {
            b',' => next = token(bytes, &mut at)?,
            b'}' => return is_end(bytes, at),
            _ => return None,
        }
    }
    None
}

/// The next byte that is not white space.
#[inline]
fn token(text: &[u8], at: &mut usize) -> Option<u8> {
    let mut byte = *text.get(*at)?;
    // One comparison handles the usual case. A loop in every caller would use too many registers.
    if byte <= b' ' {
        *at = after_space(text, *at);
        byte = *text.get(*at)?;
    }
    *at += 1;
    (byte > b' ').then_some(byte)
}

#[inline(never)]
fn after_space(text: &[u8], mut at: usize) -> usize {
    while text.get(at).is_some_and(|&byte| is_space(byte)) {
        at += 1;
    }
    at
}

#[inline]
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

#[inline]
fn is_end(text: &[u8], at: usize) -> Option<()> {
    text.get(at..)?.iter().all(|&byte| is_space(byte)).then_some(())
}

/// The parameter of a key, whose opening quote was consumed. Models write arguments in the order of the schema, so the
/// next parameter is tried first. Names are compared byte by byte: they are short, and a call of `memcmp` costs more
/// than it saves.
#[inline]
fn key(params: &[Param], expected: usize, text: &[u8], at: &mut usize) -> Option<usize> {
    if let Some(param) = params.get(expected) {
        let (name, rest) = (param.name.as_bytes(), text.get(*at..)?);
        // `#[tool]` rejects names that JSON has to escape.
        if rest.get(name.len()) == Some(&b'"') && name.iter().zip(rest).all(|(a, b)| a == b) {
            *at += name.len() + 1;
            return Some(expected);
        }
    }
    let (found, end) = other_key(params, text, *at)?;
    *at = end;
    Some(found)
}

/// A key that is not the next one in the order of the schema, and its end.
#[inline(never)]
fn other_key(params: &[Param], text: &[u8], start: usize) -> Option<(usize, usize)> {
    let mut at = start;
    string(text, &mut at)?;
    let name = text.get(start..at - 1)?;
    Some((params.iter().position(|param| param.name.as_bytes() == name)?, at))
}

/// Skips a string without escapes, whose opening quote was consumed.
#[inline]
fn string(text: &[u8], at: &mut usize) -> Option<()> {
    loop {
        let byte = *text.get(*at)?;
        *at += 1;
        match byte {
            b'"' => return Some(()),
            b'\\' | 0..=0x1F => return None,
            _ => {}
        }
    }
}

/// Skips a string without escapes, a whole number or a literal, whose first byte was consumed.
#[inline]
fn scalar(text: &[u8], at: &mut usize, first: u8) -> Option<()> {
    match first {
        b'0'..=b'9' => whole(text, at, first),
        b'-' => {
            let first = *text.get(*at)?;
            *at += 1;
            if first.is_ascii_digit() { whole(text, at, first) } else { None }
        }
        b'"' => string(text, at),
        b't' => word(text, at, b"rue"),
        b'f' => word(text, at, b"alse"),
        b'n' => word(text, at, b"ull"),
        _ => None,
    }
}

#[inline]
fn word(text: &[u8], at: &mut usize, word: &[u8]) -> Option<()> {
    let end = *at + word.len();
    let is_there = text.get(*at..end)? == word;
    *at = end;
    is_there.then_some(())
}

/// Skips the other digits of a whole number.
#[inline]
fn whole(text: &[u8], at: &mut usize, first: u8) -> Option<()> {
    let start = *at;
    while text.get(*at).is_some_and(u8::is_ascii_digit) {
        *at += 1;
    }
    match text.get(*at) {
        Some(b'.' | b'e' | b'E') => None,
        _ => (first != b'0' || *at == start).then_some(()),
    }
}

/// The end of a list, an object, a fraction or a string with escapes.
#[cold]
fn after_value(text: &str, start: usize) -> Option<usize> {
    let value = text.get(start..)?;
    // An invalid scalar is refused where it is decoded.
    let end = if value.starts_with(['{', '[']) { end_of::<Sound>(value) } else { end_of::<&RawValue>(value) };
    Some(start + end?)
}

fn end_of<'t, T: Deserialize<'t>>(text: &'t str) -> Option<usize> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<T>();
    values.next()?.ok()?;
    Some(values.byte_offset())
}

/// As [`serde_json::from_str`], faster for whole numbers.
pub(super) fn from_text<'de, T: Deserialize<'de>>(raw: &'de str) -> Result<T, serde_json::Error> {
    from_part(raw, (0, raw.len()))
}

/// As [`from_text`], for a part of a text. A number's bytes need not be valid UTF-8.
#[inline]
pub(super) fn from_part<'de, T: Deserialize<'de>>(
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::parse::parse;

    /// The spans by the quick way, which must be those of the full reading, or none.
    fn quick(text: &str) -> Option<[Span; 2]> {
        let params = ["x", "é"].map(Param::new::<i64>);
        let (mut quick, mut full, mut problems) = ([None; 2], [None; 2], Vec::new());
        scan(&params, text, &mut quick)?;
        parse(&params, text, &mut full, &mut problems).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(problems.is_empty(), "{text}: {problems:?}");
        assert_eq!(quick, full, "{text}");
        Some(quick)
    }

    #[test]
    fn plain_text_is_cut_as_the_full_reading_cuts_it() {
        for text in [
            "{}",
            " {\n} ",
            r#"{"x":41}"#,
            r#"{"é" : "ü" , "x":-0}"#,
            "\t{\"x\":true,\r\n\"é\":null}",
            r#"{"x":[1,{"x":2}],"é":{"x":"}"}}"#,
            r#"{"x":1.5e3,"é":"a\"b\u00e9"}"#,
            r#"{"x":-1.5,"é":false}"#,
            r#"{"x":123456789012345678901234567890}"#,
        ] {
            assert!(quick(text).is_some(), "{text}");
        }
    }

    #[test]
    fn everything_else_is_left_to_the_full_reading() {
        for text in [
            "",
            "{",
            "[]",
            "null",
            r#"{"x":1,}"#,
            r#"{"x":1}}"#,
            r#"{"x":1} x"#,
            r#"{"x":1 2}"#,
            r#"{"x":01}"#,
            r#"{"x":-}"#,
            r#"{"x":1.}"#,
            r#"{"x":truefalse}"#,
            r#"{"x":nul}"#,
            r#"{"x":1,"x":2}"#,
            r#"{"y":1}"#,
            r#"{"\u0078":1}"#,
            r#"{"x":[1,]}"#,
            r#"{"x":"a}"#,
            "{\"x\":\"a\nb\"}",
            r#"{"x"}"#,
            r#"{"x":}"#,
            r"{x:1}",
            r#"{"x":1 "é":2}"#,
        ] {
            assert_eq!(quick(text), None, "{text}");
        }
    }

    /// Every text of a few tokens: the quick way never accepts what the full reading refuses.
    #[test]
    fn no_short_text_is_read_in_two_ways() {
        let tokens =
            ["{", "}", r#""x""#, r#""é""#, ":", ",", "-", "0", "1", ".5", "e1", "[", "]", " ", "null", "\\"];
        let mut texts = vec![String::new()];
        let mut accepted = 0;
        for _ in 0..4 {
            texts = texts
                .iter()
                .flat_map(|text| tokens.iter().map(move |token| format!("{text}{token}")))
                .collect();
            // Most texts are wrong from the first token on; a frame around the value makes more of them matter.
            accepted += texts.iter().filter(|text| quick(&format!("{{\"x\":{text}}}")).is_some()).count();
            accepted += texts.iter().filter(|text| quick(text).is_some()).count();
        }
        assert!(accepted > 300, "{accepted} texts were accepted");
    }

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
