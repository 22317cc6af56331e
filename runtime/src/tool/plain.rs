//! Finds the values in plain argument text: what models write nearly always, at a fraction of the cost of
//! a deserialiser. Whatever is not plain (a key that is unknown, escaped or there twice, anything that is
//! not JSON) is left to the full reading in `decode`, which accepts it or says what is wrong.

use serde_json::value::RawValue;

use super::decode::Span;
use super::param::Param;

/// Fills `spans` and gives `true` if the text is plain; else `spans` holds nothing of use.
///
/// It accepts only what the full reading accepts, and finds the same spans.
pub(super) fn cut_plain(params: &[Param], text: &str, spans: &mut [Span]) -> bool {
    read(params, text, spans).is_some()
}

fn read(params: &[Param], text: &str, spans: &mut [Span]) -> Option<()> {
    let mut rest = text.as_bytes();
    take(&mut rest, b'{')?;
    if let Some(after) = skip(rest).strip_prefix(b"}") {
        return skip(after).is_empty().then_some(());
    }
    loop {
        take(&mut rest, b'"')?;
        let key = plain_string(&mut rest)?;
        let span = spans.get_mut(params.iter().position(|param| param.name.as_bytes() == key)?)?;
        if span.is_some() {
            return None;
        }
        take(&mut rest, b':')?;
        rest = skip(rest);
        let start = text.len() - rest.len();
        rest = match scalar(rest) {
            Some(after) => after,
            None => any_value(text, start)?,
        };
        *span = Some((start, text.len() - rest.len()));
        rest = skip(rest);
        match rest.split_first()? {
            (b',', after) => rest = after,
            (b'}', after) => return skip(after).is_empty().then_some(()),
            _ => return None,
        }
    }
}

fn skip(mut bytes: &[u8]) -> &[u8] {
    // One comparison settles the usual case.
    while let [..=b' ', ..] = bytes
        && let [b' ' | b'\t' | b'\n' | b'\r', rest @ ..] = bytes
    {
        bytes = rest;
    }
    bytes
}

/// Takes one byte after white space.
fn take(bytes: &mut &[u8], byte: u8) -> Option<()> {
    let (first, rest) = skip(bytes).split_first()?;
    *bytes = rest;
    (*first == byte).then_some(())
}

/// A string without escapes, after its opening quote.
fn plain_string<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let end = bytes.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1F))?;
    let (string, rest) = bytes.split_at(end);
    *bytes = rest.strip_prefix(b"\"")?;
    Some(string)
}

/// What stands after a string without escapes, a whole number or a literal.
fn scalar(bytes: &[u8]) -> Option<&[u8]> {
    let (first, mut rest) = bytes.split_first()?;
    match first {
        b'"' => plain_string(&mut rest).map(|_| rest),
        b'-' => whole(rest),
        b'0'..=b'9' => whole(bytes),
        b't' => rest.strip_prefix(b"rue"),
        b'f' => rest.strip_prefix(b"alse"),
        b'n' => rest.strip_prefix(b"ull"),
        _ => None,
    }
}

/// What stands after the digits of a whole number.
fn whole(digits: &[u8]) -> Option<&[u8]> {
    let mut rest = digits;
    while let [b'0'..=b'9', after @ ..] = rest {
        rest = after;
    }
    let length = digits.len() - rest.len();
    let leading_zero = digits.first() == Some(&b'0') && length > 1;
    let fraction = matches!(rest.first(), Some(b'.' | b'e' | b'E'));
    (length > 0 && !leading_zero && !fraction).then_some(rest)
}

/// What stands after a list, an object, a fraction or a string with escapes.
#[cold]
fn any_value(text: &str, start: usize) -> Option<&[u8]> {
    let mut values = serde_json::Deserializer::from_str(text.get(start..)?).into_iter::<&RawValue>();
    values.next()?.ok()?;
    text.as_bytes().get(start + values.byte_offset()..)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::decode::cut;
    use crate::tool::schema::{optional, schema_of};

    /// The spans by the quick way, which must be those of the full reading, or none.
    fn quick(text: &str) -> Option<[Span; 2]> {
        let params = ["x", "é"].map(|name| Param::new(name, schema_of::<i64>, optional::<i64>));
        let (mut quick, mut full, mut problems) = ([None; 2], [None; 2], Vec::new());
        if !cut_plain(&params, text, &mut quick) {
            return None;
        }
        cut(&params, text, &mut full, &mut problems).unwrap_or_else(|error| panic!("{text}: {error}"));
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
            r#"{x:1}"#,
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
}
