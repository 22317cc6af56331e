//! A deserialiser that reads a secret of the session's state into a `Secret` only.

use std::fmt;

use serde::de::{Deserializer, Error, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Value;

use super::value::NAME;

/// A secret that can only be deserialised as a [`Secret`](super::Secret).
pub struct OnlyAsSecret<'v>(pub &'v Value);

/// The reason why a secret could not be read.
#[derive(Debug)]
pub enum NotAsSecret {
    /// The target type would expose it.
    Exposed,
    /// The secret has another type.
    Other,
}

impl fmt::Display for NotAsSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exposed => "it is a secret",
            Self::Other => "it is of another type",
        })
    }
}

impl std::error::Error for NotAsSecret {}

impl Error for NotAsSecret {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self::Other
    }
}

impl<'de> Deserializer<'de> for OnlyAsSecret<'_> {
    type Error = NotAsSecret;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, NotAsSecret> {
        Err(NotAsSecret::Exposed)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotAsSecret> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, NotAsSecret> {
        if name != NAME {
            return Err(NotAsSecret::Exposed);
        }
        visitor.visit_newtype_struct(self.0.clone()).map_err(|_| NotAsSecret::Other)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct enum identifier ignored_any
    }
}
