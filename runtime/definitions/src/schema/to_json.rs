//! Serialises results to JSON. JSON has neither NaN nor infinity: `serde_json` writes `null` instead, which
//! the tool's schema forbids and which the model would read as a missing value.

use std::fmt;

use serde::ser::{
    self, Error as _, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};
use serde::{Serialize, Serializer};

use super::findings::Path;

/// The value as JSON.
///
/// # Errors
/// Returns an error if the value cannot be serialised, or contains a number that JSON cannot represent. The
/// error has the path of the number.
#[inline]
pub fn to_json<T: Serialize + ?Sized>(value: &T) -> Result<String, serde_json::Error> {
    let json = serde_json::to_string(value)?;
    // Few results contain `null`, so few values are searched.
    if json.len() >= 4 && json.contains("null") { finite(value).map(|()| json) } else { Ok(json) }
}

#[cold]
fn finite<T: Serialize + ?Sized>(value: &T) -> Result<(), serde_json::Error> {
    match value.serialize(Finder { path: Path::root("") }) {
        Err(NotFinite(Some(text))) => Err(serde_json::Error::custom(text)),
        _ => Ok(()),
    }
}

/// The message for a number that JSON cannot represent. `None` for any other error, which cannot occur
/// because the value was serialised before.
#[derive(Debug)]
struct NotFinite(Option<String>);

impl fmt::Display for NotFinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_deref().unwrap_or("the value cannot be written"))
    }
}

impl std::error::Error for NotFinite {}

impl ser::Error for NotFinite {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self(None)
    }
}

/// Looks for a number that is not finite.
struct Finder<'p> {
    path: Path<'p>,
}

/// The parts of a value: its items, or its fields.
struct Parts<'p> {
    path: Path<'p>,
    variant: Option<&'static str>,
    index: usize,
    key: String,
}

impl<'p> Parts<'p> {
    fn new(path: Path<'p>, variant: Option<&'static str>) -> Self {
        Self { path, variant, index: 0, key: String::new() }
    }

    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotFinite> {
        let index = self.index;
        self.index += 1;
        match self.variant {
            Some(variant) => value.serialize(Finder { path: self.path.field(variant).item(index) }),
            None => value.serialize(Finder { path: self.path.item(index) }),
        }
    }

    fn field<T: Serialize + ?Sized>(&self, name: &str, value: &T) -> Result<(), NotFinite> {
        match self.variant {
            Some(variant) => value.serialize(Finder { path: self.path.field(variant).field(name) }),
            None => value.serialize(Finder { path: self.path.field(name) }),
        }
    }
}

/// Serialises values that cannot be NaN or infinite.
macro_rules! finite {
    ($($name:ident($($type:ty),*))*) => {$(
        fn $name(self, $(_: $type),*) -> Result<(), NotFinite> {
            Ok(())
        }
    )*};
}

/// The parts of a value, and of a variant.
macro_rules! parts {
    ($($name:ident($($type:ty),*))*) => {$(
        fn $name(self, $(_: $type),*) -> Result<Parts<'p>, NotFinite> {
            Ok(Parts::new(self.path, None))
        }
    )*};
}
macro_rules! parts_of_variant {
    ($($name:ident)*) => {$(
        fn $name(
            self,
            _: &'static str,
            _: u32,
            variant: &'static str,
            _: usize,
        ) -> Result<Parts<'p>, NotFinite> {
            Ok(Parts::new(self.path, Some(variant)))
        }
    )*};
}

impl<'p> Serializer for Finder<'p> {
    type Ok = ();
    type Error = NotFinite;
    type SerializeSeq = Parts<'p>;
    type SerializeTuple = Parts<'p>;
    type SerializeTupleStruct = Parts<'p>;
    type SerializeTupleVariant = Parts<'p>;
    type SerializeMap = Parts<'p>;
    type SerializeStruct = Parts<'p>;
    type SerializeStructVariant = Parts<'p>;

    finite! {
        serialize_bool(bool) serialize_char(char) serialize_str(&str) serialize_bytes(&[u8])
        serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64) serialize_i128(i128)
        serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64) serialize_u128(u128)
        serialize_none() serialize_unit() serialize_unit_struct(&'static str)
        serialize_unit_variant(&'static str, u32, &'static str)
    }

    fn serialize_f32(self, value: f32) -> Result<(), NotFinite> {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Result<(), NotFinite> {
        if value.is_finite() {
            return Ok(());
        }
        let path = self.path.to_string();
        let place = if path.is_empty() { "the result".to_owned() } else { format!("`{path}` of the result") };
        Err(NotFinite(Some(format!(
            "{place} is {value}, which JSON cannot hold: give a number, or an `Option` that is `None`"
        ))))
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), NotFinite> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), NotFinite> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), NotFinite> {
        value.serialize(Finder { path: self.path.field(variant) })
    }

    parts! {
        serialize_seq(Option<usize>) serialize_tuple(usize) serialize_tuple_struct(&'static str, usize)
        serialize_map(Option<usize>) serialize_struct(&'static str, usize)
    }

    parts_of_variant! { serialize_tuple_variant serialize_struct_variant }
}

macro_rules! items {
    ($($trait:ident::$method:ident)*) => {$(
        impl $trait for Parts<'_> {
            type Ok = ();
            type Error = NotFinite;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotFinite> {
                self.item(value)
            }

            fn end(self) -> Result<(), NotFinite> {
                Ok(())
            }
        }
    )*};
}

items! {
    SerializeSeq::serialize_element SerializeTuple::serialize_element SerializeTupleStruct::serialize_field
    SerializeTupleVariant::serialize_field
}

macro_rules! fields {
    ($($trait:ident)*) => {$(
        impl $trait for Parts<'_> {
            type Ok = ();
            type Error = NotFinite;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), NotFinite> {
                self.field(name, value)
            }

            fn end(self) -> Result<(), NotFinite> {
                Ok(())
            }
        }
    )*};
}

fields! { SerializeStruct SerializeStructVariant }

impl SerializeMap for Parts<'_> {
    type Ok = ();
    type Error = NotFinite;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), NotFinite> {
        self.key = match serde_json::to_value(key) {
            Ok(serde_json::Value::String(key)) => key,
            Ok(key) => key.to_string(),
            Err(_) => String::new(),
        };
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotFinite> {
        self.field(&self.key, value)
    }

    fn end(self) -> Result<(), NotFinite> {
        Ok(())
    }
}
