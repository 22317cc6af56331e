//! Finds the values of a tool's parameters in any argument text, and reports the mistakes in the text. `scan`
//! is the fast path for plain text.

use std::fmt;

use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::decode::Span;
use super::param::Param;
use crate::args::Args;
use crate::json;
use crate::schema::Problem;

/// Fills `spans` from text that is not plain, after the listed repairs if necessary, and returns its
/// problems.
#[cold]
pub(super) fn parse_repaired(params: &[Param], args: &mut Args, spans: &mut [Span]) -> Vec<Problem> {
    let mut problems = Vec::new();
    spans.fill(None);
    if let Some(error) = args.refused() {
        return vec![Problem::root(error.to_string())];
    }
    let Err(first) = parse(params, args.flush(), spans, &mut problems) else { return problems };
    problems.clear();
    spans.fill(None);
    match json::repair(args.flush()) {
        Some(repaired) => {
            args.replace_text(repaired);
            if let Err(error) = parse(params, args.flush(), spans, &mut problems) {
                problems.push(Problem::root(error.to_string()));
            }
        }
        None => problems.push(Problem::root(first.to_string())),
    }
    problems
}

/// Fills `spans` from sound text.
pub(super) fn parse(
    params: &[Param],
    text: &str,
    spans: &mut [Span],
    problems: &mut Vec<Problem>,
) -> Result<(), serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    serde::Deserializer::deserialize_map(&mut deserializer, Fields { params, text, spans, problems })?;
    deserializer.end()
}

struct Fields<'s> {
    params: &'s [Param],
    text: &'s str,
    spans: &'s mut [Span],
    problems: &'s mut Vec<Problem>,
}

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(Key(self.params))? {
            match key {
                Field::Param(index) => {
                    if self.spans[index].is_some() {
                        return Err(json::twice(self.params[index].name));
                    }
                    let raw: &'de RawValue = map.next_value()?;
                    let raw = raw.get();
                    // A text that a hook could not parse as a value must not reach the tool as text.
                    if raw.starts_with(['{', '[']) {
                        serde_json::from_str::<json::Sound>(raw).map_err(A::Error::custom)?;
                    }
                    let start = raw.as_ptr().addr() - self.text.as_ptr().addr();
                    self.spans[index] = Some((start, start + raw.len()));
                }
                Field::Unknown(name) => {
                    map.next_value::<IgnoredAny>()?;
                    let names = self.params.iter().map(|param| param.name);
                    self.problems.push(Problem::unknown(&name, names));
                }
            }
        }
        Ok(())
    }
}

/// Finds the parameter of a key without copying the key.
struct Key<'s>(&'s [Param]);

enum Field {
    Param(usize),
    Unknown(String),
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Field;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Field, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = Field;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of an argument")
    }

    fn visit_str<E>(self, name: &str) -> Result<Field, E> {
        let position = self.0.iter().position(|param| param.name == name);
        Ok(position.map_or_else(|| Field::Unknown(name.to_owned()), Field::Param))
    }
}
