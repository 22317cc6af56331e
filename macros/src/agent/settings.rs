//! The entries of `request_params` and `limits`.

use std::time::Duration;

use proc_macro2::Ident;
use syn::{Expr, UnOp};

use super::synonyms;
use crate::diag::Errors;
use crate::number;
use crate::suggest;

/// The way in which an entry becomes a field of the runtime's struct.
#[derive(Clone, Copy)]
pub(super) enum Write {
    /// The value itself.
    Value,
    /// The value in an `Option`.
    Optional,
    /// The value as `Some`, for types without a default.
    Some,
    /// Each of its items, converted.
    List,
    /// A time, in the field of this name.
    Seconds(&'static str),
    /// A time, in the `Option` of this name.
    OptionalSeconds(&'static str),
}

/// The lower bound of an entry that is a number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Least {
    Any,
    Zero,
    MoreThanZero,
}

/// An entry that users can write.
pub(super) struct Setting {
    name: &'static str,
    least: Least,
    write: Write,
}

/// The entries of one field.
pub(super) struct Settings {
    /// The word for an entry in errors.
    what: &'static str,
    all: &'static [Setting],
}

const fn setting(name: &'static str, least: Least, write: Write) -> Setting {
    Setting { name, least, write }
}

pub(super) const REQUEST_PARAMS: Settings = Settings {
    what: "request parameter",
    all: &[
        setting("temperature", Least::Any, Write::Optional),
        setting("top_p", Least::Any, Write::Optional),
        setting("max_tokens", Least::MoreThanZero, Write::Optional),
        setting("seed", Least::Zero, Write::Optional),
        setting("stop_sequences", Least::Any, Write::List),
        setting("tool_choice", Least::Any, Write::Value),
        setting("response_schema", Least::Any, Write::Some),
        setting("extra_body", Least::Any, Write::Value),
    ],
};

pub(super) const LIMITS: Settings = Settings {
    what: "limit",
    all: &[
        setting("turns", Least::MoreThanZero, Write::Value),
        setting("tool_calls", Least::Zero, Write::Optional),
        setting("tokens", Least::MoreThanZero, Write::Optional),
        setting("time_sec", Least::MoreThanZero, Write::OptionalSeconds("time")),
        setting("depth", Least::MoreThanZero, Write::Value),
        setting("max_retries", Least::Zero, Write::Value),
        setting("output_retries", Least::Zero, Write::Value),
        setting("model_timeout_sec", Least::MoreThanZero, Write::Seconds("model_timeout")),
        setting("model_retries", Least::Zero, Write::Value),
    ],
};

/// An entry that was written, and how the expansion writes it.
pub(super) struct GivenSetting<'a> {
    pub(super) key: &'a Ident,
    pub(super) value: &'a Expr,
    pub(super) write: Write,
}

impl Settings {
    pub(super) fn find(&self, name: &str) -> Option<&'static Setting> {
        self.all.iter().find(|setting| setting.name == name)
    }

    pub(super) fn names(&self) -> Vec<&'static str> {
        self.all.iter().map(|setting| setting.name).collect()
    }

    /// Resolves the known entries and reports mistakes.
    pub(super) fn resolve<'a>(
        &self,
        table: &'a [(Ident, Expr)],
        errors: &mut Errors,
    ) -> Vec<GivenSetting<'a>> {
        let mut given: Vec<GivenSetting<'a>> = Vec::new();
        for (key, value) in table {
            let name = key.to_string();
            let Some(setting) = self.find(&name) else {
                let message = if synonyms::is_turns(&name) {
                    synonyms::TURNS.to_owned()
                } else {
                    suggest::unknown(self.what, &name, &self.names())
                };
                errors.push(key.span(), message);
                continue;
            };
            if given.iter().any(|earlier| earlier.key == key) {
                errors.push(key.span(), format_args!("`{name}` is given twice; keep one of them"));
            }
            setting.check(value, errors);
            given.push(GivenSetting { key, value, write: setting.write });
        }
        given
    }
}

impl Setting {
    /// Checks a value that is written as a literal.
    fn check(&self, value: &Expr, errors: &mut Errors) {
        let name = self.name;
        if let Some(error) = number::digits(value).and_then(number::with_unit) {
            errors.add(error);
            return;
        }
        let number = number::literal(value);
        let is_negative = matches!(value, Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)));
        let is_time = matches!(self.write, Write::Seconds(_) | Write::OptionalSeconds(_));
        let is_zero = number.is_some_and(|number| number == 0.0 || (is_time && is_zero_time(number)));
        if matches!((self.write, value), (Write::List, Expr::Lit(_))) {
            errors.at(value, format_args!("a list is wanted here: `{name}: [\"END\"]`"));
        } else if is_negative && self.least != Least::Any {
            errors.at(value, format_args!("`{name}` cannot be less than 0"));
        } else if is_zero && self.least == Least::MoreThanZero {
            errors.at(value, format_args!("`{name}` is more than 0; leave it out for the default"));
        } else if is_time && number.is_some_and(is_beyond_time) {
            errors.at(value, "these are more seconds than a time can hold; leave it out for the default");
        }
    }
}

/// Returns whether nothing of these seconds remains in a `Duration`, which counts nanoseconds.
pub(super) fn is_zero_time(seconds: f64) -> bool {
    seconds <= 0.0 || Duration::try_from_secs_f64(seconds).is_ok_and(|time| time.is_zero())
}

pub(super) fn is_beyond_time(seconds: f64) -> bool {
    Duration::try_from_secs_f64(seconds).is_err()
}
