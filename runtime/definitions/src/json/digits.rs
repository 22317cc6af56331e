//! Numbers with more digits than a [`Value`](serde_json::Value) can represent. It rounds them, so they are
//! serialised with the model's digits.

use std::collections::HashMap;
use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use serde_json::{Map, Value};

use super::number_literals::{is_long, is_rounded, number_literals};

/// Serialises the object. A rounded number gets the digits from `source`, the JSON from which the object was
/// parsed.
///
/// # Errors
/// Returns an error if two different numbers of the source round to the same value, and the object still
/// contains that value: the digits are then ambiguous.
pub(crate) fn to_text(object: &Map<String, Value>, source: &str) -> Result<String, String> {
    exact_text(object, source).map_err(|(first, other)| {
        format!("a hook changed them, and it cannot tell {first} from {other}: numbers of so many digits are rounded for hooks")
    })
}

/// Serialises JSON with the digits that the numbers have in the source.
///
/// # Errors
/// Returns two numbers that cannot be distinguished.
pub fn exact_text(json: &impl Serialize, source: &str) -> Result<String, (String, String)> {
    let mut exact = Exact::new(source);
    let mut text = Vec::new();
    let written = json.serialize(&mut Serializer::with_formatter(&mut text, &mut exact));
    match (written, exact.refused) {
        (_, Some(numbers)) => Err(numbers),
        (Ok(()), None) => Ok(String::from_utf8(text).unwrap_or_else(|_| unreachable!("JSON is UTF-8"))),
        (Err(_), None) => unreachable!("a JSON value always serialises"),
    }
}

/// Serialises the object with rounded numbers.
pub(crate) fn rounded_text(object: &Map<String, Value>) -> String {
    serde_json::to_string(object).unwrap_or_else(|_| unreachable!("a JSON value always serialises"))
}

/// The first number of a JSON text that a [`Value`] rounds.
pub(crate) fn rounded_number(json: &str) -> Option<&str> {
    number_literals(json)
        .filter(|literal| is_long(literal))
        .find(|literal| literal.parse::<f64>().is_ok_and(|value| format!("{value:.0}") != *literal))
}

/// Writes JSON as `serde_json` does, except for rounded numbers.
struct Exact<'s> {
    /// The first two different numbers for the bits of each rounded fraction.
    numbers: HashMap<u64, (&'s str, Option<&'s str>)>,
    refused: Option<(String, String)>,
}

impl<'s> Exact<'s> {
    fn new(source: &'s str) -> Self {
        let mut numbers = HashMap::new();
        for literal in long_numbers(source) {
            let Ok(number) = literal.parse::<f64>() else { continue };
            let (first, other) = numbers.entry(number.to_bits()).or_insert((literal, None));
            if other.is_none() && *first != literal {
                *other = Some(literal);
            }
        }
        Self { numbers, refused: None }
    }
}

impl Formatter for &mut Exact<'_> {
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        match self.numbers.get(&value.to_bits()) {
            None => serde_json::ser::CompactFormatter.write_f64(writer, value),
            Some((first, None)) => writer.write_all(first.as_bytes()),
            Some((first, Some(other))) => {
                self.refused = Some(((*first).to_owned(), (*other).to_owned()));
                Err(io::ErrorKind::InvalidData.into())
            }
        }
    }
}

/// The numbers of a JSON text that a value would serialise with other digits.
fn long_numbers(json: &str) -> impl Iterator<Item = &str> {
    number_literals(json).filter(|literal| is_long(literal) || is_rounded(literal))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: &str = "1267650600228229401496703205377";

    #[test]
    fn only_long_and_rounded_numbers_outside_strings_are_found() {
        let json = format!(
            r#"{{"a\"{LONG}": "\\", "b": {LONG}e3, "c": [0.5, 18446744073709551615, -9223372036854775808],
            "d": "\u0041{LONG}", "ü": -9223372036854775809, "e":18446744073709551616}}"#
        );
        let found: Vec<_> = long_numbers(&json).collect();
        assert_eq!(found, [&format!("{LONG}e3"), "-9223372036854775809", "18446744073709551616"]);
    }

    #[test]
    fn a_long_number_that_a_value_holds_exactly_is_not_rounded() {
        assert_eq!(rounded_number("[100000000000000000000, 18446744073709551616]"), None);
        assert_eq!(rounded_number("[1, 100000000000000000001]"), Some("100000000000000000001"));
    }
}
