//! JSON without duplicate and reserved keys, because parsers disagree about their values.

use std::collections::HashSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::text::short;

/// The error of a duplicate key.
pub(crate) fn twice<E: Error>(key: &str) -> E {
    E::custom(format_args!("the key `{}` occurs twice", short(key, 100)))
}

/// The prefix of `serde_json`'s private keys. Its `Value` parses the value of such a key as JSON within JSON,
/// so a hook and a tool would see different values.
const RESERVED: &str = "$serde_json::private::";

/// Returns the key, unless parsers disagree about its meaning.
fn allowed<E: Error>(key: String) -> Result<String, E> {
    if key.starts_with(RESERVED) {
        return Err(E::custom(format_args!("the key `{}` is reserved", short(&key, 100))));
    }
    Ok(key)
}

/// A JSON value without duplicate or reserved keys at any depth.
///
/// ```
/// use onionskin_definitions::json::Unique;
///
/// let Unique(value) = serde_json::from_str(r#"{"a": 1}"#)?;
/// assert_eq!(value["a"], 1);
/// assert!(serde_json::from_str::<Unique>(r#"{"a": {"b": 1, "b": 2}}"#).is_err());
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug)]
pub struct Unique(
    /// The value.
    pub Value,
);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueVisitor).map(Self)
    }
}

struct UniqueVisitor;

impl<'de> DeserializeSeed<'de> for UniqueVisitor {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    /// CBOR's `null`.
    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = seq.next_element_seed(Self)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            let key = allowed(key)?;
            if object.contains_key(&key) {
                return Err(twice(&key));
            }
            let value = map.next_value_seed(Self)?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

/// Validates a JSON value as [`Unique`] does for arguments, without building it.
pub(crate) struct Sound;

/// The maximum nesting depth of arguments. Stored runs add some levels, and `serde_json` accepts 127.
pub(crate) const ARGUMENT_LEVELS: u8 = 100;

/// The maximum nesting of an argument's value, in the object around it.
const DEPTH: u8 = ARGUMENT_LEVELS - 1;

impl<'de> Deserialize<'de> for Sound {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        SoundVisitor(DEPTH).deserialize(deserializer)
    }
}

/// The number of further levels.
#[derive(Clone, Copy)]
struct SoundVisitor(u8);

impl SoundVisitor {
    fn inside<E: Error>(self) -> Result<Self, E> {
        self.0.checked_sub(1).map(Self).ok_or_else(|| E::custom("it nests too deeply"))
    }
}

impl<'de> DeserializeSeed<'de> for SoundVisitor {
    type Value = Sound;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Sound, D::Error> {
        deserializer.deserialize_any(self)
    }
}

macro_rules! sound {
    ($($visit:ident: $scalar:ty),+) => {$(
        fn $visit<E>(self, _: $scalar) -> Result<Sound, E> {
            Ok(Sound)
        }
    )+};
}

impl<'de> Visitor<'de> for SoundVisitor {
    type Value = Sound;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    sound! { visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str }

    fn visit_unit<E>(self) -> Result<Sound, E> {
        Ok(Sound)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Sound, A::Error> {
        let inside = self.inside()?;
        while seq.next_element_seed(inside)?.is_some() {}
        Ok(Sound)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Sound, A::Error> {
        let inside = self.inside()?;
        let mut keys = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            let key = allowed(key)?;
            map.next_value_seed(inside)?;
            if let Some(key) = keys.replace(key) {
                return Err(twice(&key));
            }
        }
        Ok(Sound)
    }
}
