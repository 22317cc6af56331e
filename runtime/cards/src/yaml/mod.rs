//! YAML as a tree of values with their places.

mod parse;

use std::ops::Range;

pub(crate) use parse::{DEEPEST, MOST_ITEMS, check_name, parse};

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) value: Value,
    pub(crate) span: Range<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Scalar(Scalar),
    List(Vec<Node>),
    Map(Vec<(Key, Node)>),
}

/// A key of a map.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Key {
    pub(crate) text: String,
    pub(crate) span: Range<usize>,
}

/// A value that is neither a list nor a map.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scalar {
    pub(crate) text: String,
    /// Whether it is written without quotes, so that it can be a number, a boolean or nothing.
    pub(crate) is_plain: bool,
}

impl Scalar {
    /// Whether nothing is written, or `null`.
    pub(crate) fn is_null(&self) -> bool {
        self.is_plain && matches!(&*self.text, "" | "~" | "null" | "Null" | "NULL")
    }

    /// The boolean, by the rules of YAML 1.2.
    pub(crate) fn boolean(&self) -> Option<bool> {
        match &*self.text {
            "true" | "True" | "TRUE" if self.is_plain => Some(true),
            "false" | "False" | "FALSE" if self.is_plain => Some(false),
            _ => None,
        }
    }

    /// The number, as JSON has it.
    pub(crate) fn number(&self) -> Option<serde_json::Number> {
        if !self.is_plain
            || !self.text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'))
        {
            return None;
        }
        let text = self.text.strip_prefix('+').unwrap_or(&self.text);
        if let Ok(number) = text.parse::<i64>() {
            return Some(number.into());
        }
        if let Ok(number) = text.parse::<u64>() {
            return Some(number.into());
        }
        let digits = |digits: &str, radix| u64::from_str_radix(digits, radix).ok().map(Into::into);
        match text.split_at_checked(2) {
            Some(("0x", hex)) => digits(hex, 16),
            Some(("0o", octal)) => digits(octal, 8),
            _ => text.parse::<f64>().ok().and_then(serde_json::Number::from_f64),
        }
    }

    /// Whether it is written as a number that JSON does not have: one beyond the range, or a whole one that would be rounded.
    pub(crate) fn is_out_of_range(&self) -> bool {
        let digits = self.text.trim_start_matches(['-', '+']);
        let is_whole = |digits: &str, radix| !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
        let is_number = match digits.split_at_checked(2) {
            Some(("0x", hex)) => is_whole(hex, 16),
            Some(("0o", octal)) => is_whole(octal, 8),
            _ => {
                digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') && digits.parse::<f64>().is_ok()
            }
        };
        self.is_plain
            && is_number
            && match self.number() {
                None => true,
                Some(number) => is_whole(digits, 10) && number.is_f64(),
            }
    }

    /// The text; `None` for a number, a boolean or nothing.
    pub(crate) fn string(&self) -> Option<&str> {
        let is_other = self.is_null() || self.boolean().is_some() || self.number().is_some();
        (!is_other).then_some(&self.text)
    }
}

impl Node {
    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar(scalar) if scalar.is_null())
    }

    /// What is below this word, if the node has no other; otherwise the node itself.
    pub(crate) fn below(&self, word: &str) -> &Self {
        if let Value::Map(entries) = &self.value
            && let [(key, value)] = &entries[..]
            && key.text == word
        {
            return value;
        }
        self
    }

    /// The value as JSON.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Scalar(scalar) => {
                if scalar.is_null() {
                    serde_json::Value::Null
                } else if let Some(boolean) = scalar.boolean() {
                    boolean.into()
                } else if let Some(number) = scalar.number() {
                    number.into()
                } else {
                    scalar.text.clone().into()
                }
            }
            Value::List(items) => items.iter().map(Self::to_json).collect(),
            Value::Map(entries) => {
                let entries = entries.iter().map(|(key, value)| (key.text.clone(), value.to_json()));
                serde_json::Value::Object(entries.collect())
            }
        }
    }
}
