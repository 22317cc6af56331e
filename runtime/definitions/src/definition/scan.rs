//! Splits the argument text into the values of a tool's parameters. For plain text, which models usually
//! write, this costs a fraction of a deserialiser. Other text (with a key that is unknown, escaped or
//! duplicate, or with anything that is not JSON) is left to `parse`, which accepts it or reports its
//! problems. `decode` deserialises the values.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::decode::{Slots, Span, Values};
use super::definition::ToolDefinition;
use super::param::Param;
use super::parse::parse_repaired;
use super::static_tool::Defined;
use crate::args::Args;
use crate::error::ToolResult;
use crate::json::Sound;

/// Reads all arguments of a call: splits the text, and decodes the values.
///
/// # Errors
/// Returns an error if they do not fit. The error names every invalid argument.
#[inline(never)]
pub fn read<V: Values>(
    tool: &'static Defined,
    args: &mut Args,
    spans: &mut [Span],
    defaults: V::Defaults,
) -> ToolResult<V> {
    match Slots::split(tool.get(), args, spans) {
        Ok(slots) => V::read(&slots, 0, defaults),
        Err(exit) => Err(exit),
    }
}

impl<'a, 's> Slots<'a, 's> {
    /// Splits the argument text into the values of a tool's parameters, and stores their ranges in `spans`.
    ///
    /// # Errors
    /// Returns an error if the text is not one JSON object, even after the listed repairs, or if it has
    /// unknown arguments.
    #[inline]
    pub fn split(
        definition: &'s ToolDefinition,
        args: &'a mut Args,
        spans: &'s mut [Span],
    ) -> ToolResult<Self> {
        let problems = match scan(definition.params, args.flush(), spans) {
            Some(()) => None,
            None => {
                let problems = parse_repaired(definition.params, args, spans);
                (!problems.is_empty()).then_some(problems)
            }
        };
        // If a cold function returned the result, every call would write it to memory and read it again.
        match problems {
            None => Ok(Self { definition, text: args.flushed_text(), spans }),
            Some(problems) => Err(Self { definition, text: args.flush(), spans }.refuse(&problems)),
        }
    }
}

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

/// The parameter of a key, whose opening quote was consumed. Models write arguments in the order of the
/// schema, so the next parameter is tried first. Names are compared byte by byte: they are short, and a call
/// of `memcmp` costs more than it saves.
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

/// The end of a value that `scalar` does not handle: a list, an object, a fraction or a string with escapes.
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
            // Most texts are wrong from the first token on; a frame around the value makes more of them
            // matter.
            accepted += texts.iter().filter(|text| quick(&format!("{{\"x\":{text}}}")).is_some()).count();
            accepted += texts.iter().filter(|text| quick(text).is_some()).count();
        }
        assert!(accepted > 300, "{accepted} texts were accepted");
    }
}
