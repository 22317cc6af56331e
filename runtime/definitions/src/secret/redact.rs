//! [`Redact`]: removes secrets from a value.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use super::redactor::{Redactor, id};

/// A value that can contain secrets.
///
/// ```
/// use onionskin::secret::{Redact, Redactor};
///
/// /// A line of a log.
/// struct Line {
///     text: String,
/// }
///
/// impl Redact for Line {
///     fn redact(&mut self, redactor: &Redactor) {
///         self.text.redact(redactor);
///     }
/// }
///
/// let mut line = Line { text: "the key is s3cr3t-key".into() };
/// line.redact(&Redactor::new([(b"s3cr3t-key".as_slice(), "[secret]".into())]));
/// assert_eq!(line.text, "the key is [secret]");
/// ```
pub trait Redact {
    /// Replaces each secret that the redactor knows with a mask.
    fn redact(&mut self, redactor: &Redactor);
}

impl Redact for String {
    fn redact(&mut self, redactor: &Redactor) {
        if let Cow::Owned(redacted) = redactor.redact(self.as_str()) {
            *self = redacted;
        }
    }
}

impl Redact for Arc<str> {
    fn redact(&mut self, redactor: &Redactor) {
        if let Cow::Owned(redacted) = redactor.redact(&**self) {
            *self = redacted.into();
        }
    }
}

impl Redact for Value {
    fn redact(&mut self, redactor: &Redactor) {
        if !redactor.shows_in(self) {
            return;
        }
        match self {
            Self::String(text) => text.redact(redactor),
            Self::Number(number) => *self = redactor.redact(number.to_string()).into_owned().into(),
            Self::Array(items) => items.redact(redactor),
            Self::Object(fields) => {
                *fields = std::mem::take(fields)
                    .into_iter()
                    .map(|(name, mut field)| {
                        field.redact(redactor);
                        (redactor.redact(name).into_owned(), field)
                    })
                    .collect();
            }
            Self::Null | Self::Bool(_) => {}
        }
    }
}

impl Redact for Arc<Value> {
    fn redact(&mut self, redactor: &Redactor) {
        if redactor.shows_in(self) {
            Self::make_mut(self).redact(redactor);
        }
    }
}

impl<T: Redact> Redact for [T] {
    fn redact(&mut self, redactor: &Redactor) {
        for item in self {
            item.redact(redactor);
        }
    }
}

impl<T: Redact> Redact for Vec<T> {
    fn redact(&mut self, redactor: &Redactor) {
        self.as_mut_slice().redact(redactor);
    }
}

impl<T: Redact> Redact for Option<T> {
    fn redact(&mut self, redactor: &Redactor) {
        self.as_mut_slice().redact(redactor);
    }
}

impl Redactor {
    /// Replaces the id of a call if it contains a secret. Within this process the replacement of an id is
    /// always the same, so that a result still refers to its call.
    pub fn redact_id(&self, call: &mut Arc<str>) {
        if self.shows(call) {
            *call = format!("call_{:016x}", id(call.as_bytes())).into();
        }
    }

    /// Whether a text or a number of the value contains a secret.
    pub fn shows_in(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.shows(text),
            Value::Number(number) => self.shows(&number.to_string()),
            Value::Array(items) => items.iter().any(|item| self.shows_in(item)),
            Value::Object(fields) => {
                fields.iter().any(|(name, field)| self.shows(name) || self.shows_in(field))
            }
            Value::Null | Value::Bool(_) => false,
        }
    }
}
