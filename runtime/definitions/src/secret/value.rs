//! The type [`Secret`]: masked in all output, wiped when it is dropped.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use zeroize::Zeroize;

use super::owned::made;

/// The text that is shown in place of a secret.
pub(crate) const MASK: &str = "[secret]";

/// The name under which `Secret` is deserialised, so that a deserialiser recognises it.
pub(crate) const NAME: &str = "onionskin::Secret";

/// A value that is never shown. `Debug` and `Display` are masked. It implements neither `Serialize` nor
/// `JsonSchema`, so it can be neither the result of a tool nor a parameter that the model fills. It is wiped
/// from memory when it is dropped.
///
/// Derive [`VisitSecrets`](trait@super::VisitSecrets) for the state of an agent that contains a secret. Its
/// sessions then redact the secret in all output. A tool gets it from the agent's or the session's state with
/// `#[bind(..)]`. The book describes which leaks are found.
///
/// ```
/// use onionskin::secret::VisitSecrets;
/// use onionskin::{Secret, tool};
///
/// #[derive(Clone, VisitSecrets)]
/// struct Config {
///     key: Secret<String>,
/// }
///
/// /// Asks the service.
/// #[tool(state = Config)]
/// fn ask(question: String, #[bind(key)] key: &Secret<String>) -> String {
///     format!("{question} ({} characters of key)", key.expose().len())
/// }
///
/// let config = Config { key: Secret::new("hunter2".to_owned()) };
/// assert_eq!(format!("{:?} {}", config.key, config.key), "[secret] [secret]");
/// ```
///
/// A struct with a secret that derives `Serialize` chooses its serialised form: nothing, with
/// `#[serde(skip_serializing)]`, or the mask:
///
/// ```
/// use onionskin::Secret;
///
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct Config {
///     #[serde(serialize_with = "Secret::masked")]
///     key: Secret<String>,
/// }
///
/// let config: Config = serde_json::from_str(r#"{"key": "hunter2"}"#).unwrap();
/// assert_eq!(config.key.expose(), "hunter2");
/// assert_eq!(serde_json::to_string(&config).unwrap(), r#"{"key":"[secret]"}"#);
/// ```
pub struct Secret<T> {
    value: T,
    /// Wipes a `T`. It is stored so that the struct needs no bound on `T`.
    wipe: fn(&mut T),
    each: Each<T>,
}

/// [`Sensitive::each`] of a type.
type Each<T> = fn(&T, &mut dyn FnMut(&[u8]));

impl<T: Sensitive> Secret<T> {
    /// Wraps a value. This does not add it to a session: see [`VisitSecrets`](trait@super::VisitSecrets) and
    /// `ToolContext::conceal`.
    pub fn new(value: T) -> Self {
        made(|see| value.each(see));
        Self { value, wipe: T::wipe, each: T::each }
    }
}

impl<T> Secret<T> {
    /// Borrows the value. Copies of it are not protected: pass it directly to the code that needs it, and
    /// keep no copy.
    pub const fn expose(&self) -> &T {
        &self.value
    }

    /// Passes each secret text of the value to `visit`.
    pub(super) fn each(&self, visit: &mut dyn FnMut(&[u8])) {
        (self.each)(&self.value, visit);
    }

    /// Serialises the mask: for `#[serde(serialize_with = "Secret::masked")]`.
    ///
    /// # Errors
    /// Returns an error if the serialiser fails.
    pub fn masked<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(MASK)
    }
}

/// Has no implementation, so no secret is `Serialize`: with a bound that fails, rustc says what to write.
#[diagnostic::on_unimplemented(
    message = "a `Secret` cannot be serialized",
    label = "serializes a `Secret`",
    note = "write `#[serde(skip_serializing)]` on the field, or `#[serde(serialize_with = \"Secret::masked\")]` to write a mask in its place"
)]
pub trait Unconcealed {}

#[doc(hidden)]
impl<T: Unconcealed> Serialize for Secret<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.masked(serializer)
    }
}

impl<T> Drop for Secret<T> {
    fn drop(&mut self) {
        (self.wipe)(&mut self.value);
    }
}

impl<T: Sensitive + Clone> Clone for Secret<T> {
    fn clone(&self) -> Self {
        Self::new(self.value.clone())
    }
}

impl<T: Sensitive> From<T> for Secret<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl From<&str> for Secret<String> {
    fn from(value: &str) -> Self {
        Self::new(value.to_owned())
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl<T> fmt::Display for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(MASK)
    }
}

/// Deserialises the content. An error does not show the value.
impl<'de, T: Sensitive + Deserialize<'de>> Deserialize<'de> for Secret<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::value::{
            BorrowedBytesDeserializer, BorrowedStrDeserializer, EnumAccessDeserializer,
            MapAccessDeserializer, SeqAccessDeserializer,
        };
        use serde::de::{EnumAccess, Error, IntoDeserializer, MapAccess, SeqAccess};

        /// Deserialises the value from any deserialiser.
        struct Visitor<T>(std::marker::PhantomData<T>);

        /// Deserialises the content for a deserialiser that ignores the type's name.
        fn read<'de, T: Deserialize<'de>, D: Deserializer<'de>>(value: D) -> Result<T, D::Error> {
            // The type's own error may show the value.
            T::deserialize(value).map_err(|_| D::Error::custom("a secret of another type was expected"))
        }

        macro_rules! forward {
            ($($visit:ident: $type:ty),*) => {$(
                fn $visit<E: Error>(self, value: $type) -> Result<T, E> {
                    read(value.into_deserializer())
                }
            )*};
        }

        impl<'de, T: Deserialize<'de>> serde::de::Visitor<'de> for Visitor<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a secret")
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(self, value: D) -> Result<T, D::Error> {
                read(value)
            }

            forward!(visit_bool: bool, visit_i64: i64, visit_i128: i128, visit_u64: u64, visit_u128: u128);
            forward!(visit_f64: f64, visit_str: &str, visit_string: String, visit_bytes: &[u8]);

            fn visit_borrowed_str<E: Error>(self, value: &'de str) -> Result<T, E> {
                read(BorrowedStrDeserializer::new(value))
            }

            fn visit_borrowed_bytes<E: Error>(self, value: &'de [u8]) -> Result<T, E> {
                read(BorrowedBytesDeserializer::new(value))
            }

            fn visit_none<E: Error>(self) -> Result<T, E> {
                read(().into_deserializer())
            }

            fn visit_unit<E: Error>(self) -> Result<T, E> {
                read(().into_deserializer())
            }

            fn visit_some<D: Deserializer<'de>>(self, value: D) -> Result<T, D::Error> {
                read(value)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, values: A) -> Result<T, A::Error> {
                read(SeqAccessDeserializer::new(values))
            }

            fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<T, A::Error> {
                read(MapAccessDeserializer::new(fields))
            }

            fn visit_enum<A: EnumAccess<'de>>(self, variant: A) -> Result<T, A::Error> {
                read(EnumAccessDeserializer::new(variant))
            }
        }

        deserializer.deserialize_newtype_struct(NAME, Visitor(std::marker::PhantomData)).map(Self::new)
    }
}

/// A type that a [`Secret`] can contain. It lists its secret texts, and wipes itself.
///
/// ```
/// use onionskin::Secret;
/// use onionskin::secret::Sensitive;
///
/// struct Login {
///     user: String,
///     password: String,
/// }
///
/// impl Sensitive for Login {
///     fn each(&self, see: &mut dyn FnMut(&[u8])) {
///         self.password.each(see);
///     }
///
///     fn wipe(&mut self) {
///         self.password.wipe();
///     }
/// }
///
/// let login = Secret::new(Login { user: "ada".into(), password: "hunter2".into() });
/// assert_eq!(login.expose().user, "ada");
/// ```
#[diagnostic::on_unimplemented(
    message = "a `Secret` cannot hold `{Self}`",
    label = "does not implement `Sensitive`",
    note = "`Secret` holds `String`, `Box<str>`, `Vec<u8>`, `[u8; N]`, `serde_json::Value` and `Option`s of them; for a type \
            of your own, write `impl onionskin::secret::Sensitive for ..`"
)]
pub trait Sensitive {
    /// Passes every secret text, or byte string, to `visit`.
    fn each(&self, see: &mut dyn FnMut(&[u8]));

    /// Overwrites the value in memory. It is called when the secret is dropped.
    fn wipe(&mut self);
}

/// Returns copies of all texts that `list` passes to its visitor.
pub fn texts(list: impl FnOnce(&mut dyn FnMut(&[u8]))) -> Vec<Vec<u8>> {
    let mut texts = Vec::new();
    list(&mut |text| texts.push(text.to_vec()));
    texts
}

macro_rules! bytes {
    ($($type:ty: $bytes:ident),*) => {$(
        impl Sensitive for $type {
            fn each(&self, see: &mut dyn FnMut(&[u8])) {
                see(self.$bytes());
            }

            fn wipe(&mut self) {
                self.zeroize();
            }
        }
    )*};
}

bytes!(String: as_bytes, Box<str>: as_bytes, Vec<u8>: as_slice);

impl<const N: usize> Sensitive for [u8; N] {
    fn each(&self, see: &mut dyn FnMut(&[u8])) {
        see(self);
    }

    fn wipe(&mut self) {
        self.zeroize();
    }
}

impl<T: Sensitive> Sensitive for Option<T> {
    fn each(&self, see: &mut dyn FnMut(&[u8])) {
        if let Some(value) = self {
            value.each(see);
        }
    }

    fn wipe(&mut self) {
        if let Some(value) = self {
            value.wipe();
        }
    }
}

/// All texts and numbers in it; names of fields are not secret.
impl Sensitive for Value {
    fn each(&self, see: &mut dyn FnMut(&[u8])) {
        match self {
            Value::String(text) => text.each(see),
            Value::Number(number) => see(number.to_string().as_bytes()),
            Value::Array(items) => items.iter().for_each(|item| item.each(see)),
            Value::Object(fields) => fields.values().for_each(|field| field.each(see)),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn wipe(&mut self) {
        match self {
            Value::String(text) => text.wipe(),
            Value::Array(items) => items.iter_mut().for_each(Self::wipe),
            Value::Object(fields) => fields.values_mut().for_each(Self::wipe),
            other => *other = Value::Null,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn t8_what_a_secret_holds_is_wiped() {
        let (mut text, mut bytes, mut fixed) = ("hunter2".to_owned(), b"hunter2".to_vec(), *b"hunter2");
        let mut value = json!({ "a": ["hunter2", 1_234_567], "b": { "c": "hunter2" } });
        text.wipe();
        bytes.wipe();
        fixed.wipe();
        value.wipe();
        assert_eq!((text.as_str(), bytes.as_slice(), fixed), ("", &b""[..], [0; 7]));
        assert_eq!(value, json!({ "a": ["", null], "b": { "c": "" } }));
    }

    #[test]
    fn t8_a_secret_is_wiped_when_it_is_dropped() {
        struct Reported<'t>(&'t std::cell::Cell<bool>);
        impl Sensitive for Reported<'_> {
            fn each(&self, _: &mut dyn FnMut(&[u8])) {}

            fn wipe(&mut self) {
                self.0.set(true);
            }
        }
        let wiped = std::cell::Cell::new(false);
        drop(Secret::new(Reported(&wiped)));
        assert!(wiped.get());
    }

    #[test]
    fn t8_an_error_does_not_show_what_was_read() {
        let error = serde_json::from_str::<Secret<Vec<u8>>>(r#""hunter2""#).unwrap_err();
        assert!(!error.to_string().contains("hunter2") && error.to_string().contains("a secret"), "{error}");
        let read: Vec<Option<Secret<String>>> = serde_json::from_str(r#"["hunter2", null]"#).unwrap();
        assert_eq!(
            format!("{read:?} {:>10}|", read[0].as_ref().unwrap()),
            "[Some([secret]), None]   [secret]|"
        );
    }

    #[test]
    fn t8_a_secret_is_read_from_what_does_not_stop_at_its_name() {
        use serde::de::IntoDeserializer;
        use serde::de::value::{Error, StrDeserializer};

        let value = || -> StrDeserializer<'static, Error> { "hunter2".into_deserializer() };
        assert_eq!(Secret::<String>::deserialize(value()).unwrap().expose(), "hunter2");
        let error = Secret::<Vec<u8>>::deserialize(value()).unwrap_err();
        assert_eq!(error.to_string(), "a secret of another type was expected");
    }
}
