//! Number literals of a JSON text. A [`Value`] rounds numbers; these do not.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;

use serde_json::{Number, Value};

/// The number literals of the text from which a value was parsed.
pub struct Literals<'t> {
    text: Cow<'t, str>,
    /// The literals by the bits of their fraction.
    found: OnceCell<HashMap<u64, LiteralPlace>>,
}

/// The literals for one fraction.
struct LiteralPlace {
    /// The position of the first literal.
    at: (usize, usize),
    /// Whether all literals have the same text.
    alike: bool,
    /// Whether each literal equals the number in its value.
    exact: bool,
}

impl<'t> Literals<'t> {
    /// The literals of this JSON. It is parsed on first use.
    pub(crate) fn new(text: impl Into<Cow<'t, str>>) -> Self {
        Self { text: text.into(), found: OnceCell::new() }
    }

    /// For a value that was not parsed from text, whose numbers are exact.
    pub fn none() -> Self {
        Self::new("")
    }

    /// Whether every literal that parses to this number equals it.
    pub(crate) fn is_exact(&self, number: f64) -> bool {
        self.by_fraction().get(&number.to_bits()).is_none_or(|found| found.exact)
    }

    /// The text of a number; `None` if literals with different texts parse to it.
    pub(crate) fn spelling(&self, number: &Number) -> Option<Cow<'_, str>> {
        let bits = number.as_f64().filter(|_| number.is_f64()).map(f64::to_bits);
        match bits.and_then(|bits| self.by_fraction().get(&bits)) {
            None => Some(Cow::Owned(number.to_string())),
            Some(found) if found.alike => self.text.get(found.at.0..found.at.1).map(Cow::Borrowed),
            Some(_) => None,
        }
    }

    fn by_fraction(&self) -> &HashMap<u64, LiteralPlace> {
        self.found.get_or_init(|| {
            let mut found = HashMap::new();
            for literal in number_literals(&self.text) {
                let Some(number) = fraction(literal) else { continue };
                let start = literal.as_ptr().addr() - self.text.as_ptr().addr();
                let exact = !is_rounded(literal);
                let this = LiteralPlace { at: (start, start + literal.len()), alike: true, exact };
                let first = found.entry(number.to_bits()).or_insert(this);
                first.alike &= self.text.get(first.at.0..first.at.1) == Some(literal);
                first.exact &= exact;
            }
            found
        })
    }
}

/// The fraction that a value stores for a literal; `None` for an integer.
fn fraction(literal: &str) -> Option<f64> {
    let is_short = |literal: &str| literal.parse::<i64>().is_ok() || literal.parse::<u64>().is_ok();
    if literal != "-0" && is_short(literal) { None } else { literal.parse().ok() }
}

/// Whether the literal is an integer that a value stores as a fraction.
pub(crate) fn is_long(literal: &str) -> bool {
    // A shorter whole number fits.
    literal.len() > 18 && !literal.contains(['.', 'e', 'E']) && fraction(literal).is_some()
}

/// Whether a value rounds the literal.
pub(crate) fn is_rounded(literal: &str) -> bool {
    // A fraction with at most fifteen digits is not rounded, unless its exponent is out of range.
    if literal.len() <= 15 && !literal.contains(['e', 'E']) {
        return false;
    }
    fraction(literal).is_some_and(|number| decimal(literal) != decimal(&format!("{number:e}")))
}

/// Whether a value rounds any number of a JSON text.
pub fn rounds_any(json: &str) -> bool {
    number_literals(json).any(|literal| is_long(literal) || is_rounded(literal))
}

/// Whether a JSON text has integers that a value stores as fractions.
pub fn holds_long_numbers(json: &str) -> bool {
    json.len() > 18 && number_literals(json).any(is_long)
}

/// Parses JSON. An integer that a value would store as a fraction becomes a string of its digits.
///
/// # Errors
/// Returns an error if the text is not JSON.
pub fn exact_value(json: &str) -> Result<Value, serde_json::Error> {
    if !holds_long_numbers(json) {
        return serde_json::from_str(json);
    }
    let (mut quoted, mut rest) = (String::with_capacity(json.len() + 16), json);
    for literal in number_literals(json).filter(|literal| is_long(literal)) {
        let (before, after) = rest.split_at(literal.as_ptr().addr() - rest.as_ptr().addr());
        quoted.push_str(&format!("{before}\"{literal}\""));
        rest = &after[literal.len()..];
    }
    quoted.push_str(rest);
    serde_json::from_str(&quoted)
}

/// Writes integers beyond `u64` with a fraction or an exponent, such as `1e20`, with all their digits,
/// because a value stores them as fractions, which integer types reject. Returns `None` if there are none.
pub fn with_digits(json: &str) -> Option<String> {
    let (mut written, mut rest) = (String::new(), json);
    for literal in number_literals(json) {
        let Some(digits) = digits_of(literal) else { continue };
        let (before, after) = rest.split_at(literal.as_ptr().addr() - rest.as_ptr().addr());
        written.push_str(before);
        written.push_str(&digits);
        rest = &after[literal.len()..];
    }
    (!written.is_empty()).then(|| written + rest)
}

fn digits_of(literal: &str) -> Option<String> {
    if !literal.contains(['.', 'e', 'E']) {
        return None;
    }
    let (negative, digits, power) = decimal(literal)?;
    let zeros = usize::try_from(power).ok()?;
    // `i128` and `u128` have at most 39 digits, and shorter numbers are read as fractions.
    let is_long = (20..=39).contains(&(digits.len().saturating_add(zeros)));
    is_long.then(|| format!("{}{digits}{}", if negative { "-" } else { "" }, "0".repeat(zeros)))
}

/// Whether two literals are the same number.
pub(crate) fn same_number(one: &str, other: &str) -> bool {
    decimal(one).is_some_and(|one| decimal(other) == Some(one))
}

/// A literal's sign, its digits without zeros at either end, and the power of ten of the last one.
fn decimal(literal: &str) -> Option<(bool, String, i64)> {
    let (number, power) = literal.split_once(['e', 'E']).unwrap_or((literal, "0"));
    // Out of range: no fraction has an exponent this long.
    let power: i64 = power.parse().ok()?;
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let (whole, negative) = whole.strip_prefix('-').map_or((whole, false), |whole| (whole, true));
    let digits = format!("{whole}{part}");
    let digits = digits.trim_start_matches('0');
    let short = digits.trim_end_matches('0');
    if short.is_empty() {
        return Some((false, String::new(), 0));
    }
    let dropped = i64::try_from(digits.len() - short.len()).ok()?;
    let power = power.checked_sub(i64::try_from(part.len()).ok()?)?.checked_add(dropped)?;
    Some((negative, short.to_owned(), power))
}

/// The numbers of a JSON text, outside strings.
pub(crate) fn number_literals(json: &str) -> impl Iterator<Item = &str> {
    let mut rest = json;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start_matches(|c: char| c != '"' && c != '-' && !c.is_ascii_digit());
            if let Some(inside) = rest.strip_prefix('"') {
                rest = after_string(inside);
                continue;
            }
            let end = rest.find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'));
            let (literal, after) = rest.split_at(end.unwrap_or(rest.len()));
            rest = after;
            return (!literal.is_empty()).then_some(literal);
        }
    })
}

/// The text after a string whose opening quote was consumed.
pub(super) fn after_string(mut inside: &str) -> &str {
    loop {
        let Some(at) = inside.find(['"', '\\']) else { return "" };
        let (quote, after) = inside[at..].split_at(1);
        if quote == "\"" {
            return after;
        }
        // The character after a backslash is one byte, or begins hexadecimal digits, which close nothing.
        let mut escaped = after.chars();
        escaped.next();
        inside = escaped.as_str();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t11_a_literal_is_rounded_where_its_value_shows_another_number() {
        for literal in [
            "0",
            "-0",
            "-0.0",
            "1.50",
            "1e5",
            "100E-2",
            "0.1",
            "9007199254740992.0",
            "9007199254740993",
            "1e300",
            "18446744073709551615",
            "100000000000000000000",
            "52.520006599999995",
        ] {
            assert!(!is_rounded(literal), "{literal}");
        }
        for literal in [
            "9007199254740993.0",
            "9007199254740991.6",
            "4503599627370496.1",
            "3.0000000000000000001",
            "1e-400",
            "18446744073709551617",
            "-9223372036854775809",
            "0.10000000000000000555",
            "1e-99999999999999999999",
        ] {
            assert!(is_rounded(literal), "{literal}");
        }
    }

    #[test]
    fn t11_a_long_whole_number_with_an_exponent_gets_its_digits() {
        assert_eq!(
            with_digits(r#"{"a":1e20,"b":["1e20",-12.5E20],"c":1.0}"#).as_deref(),
            Some(r#"{"a":100000000000000000000,"b":["1e20",-1250000000000000000000],"c":1.0}"#)
        );
        for none in ["1e18", "1.5", "100000000000000000000", "1e-20", "1e400", "1e99999999999999999999", "{}"]
        {
            assert_eq!(with_digits(none), None, "{none}");
        }
    }

    #[test]
    fn t11_a_number_is_spelled_as_it_was_written() {
        let literals = Literals::new(r#"{"a":3.10,"b":[3.10,2.0],"c":2.00,"d":"7.50"}"#);
        let spelling = |number: f64| literals.spelling(&Number::from_f64(number).expect("a number"));
        assert_eq!(spelling(3.1).as_deref(), Some("3.10"));
        assert_eq!(spelling(2.0), None, "it is written in two ways");
        assert_eq!(spelling(7.5).as_deref(), Some("7.5"), "it is not there");
        assert_eq!(literals.spelling(&7.into()).as_deref(), Some("7"));
    }
}
