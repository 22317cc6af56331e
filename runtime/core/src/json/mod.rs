//! JSON texts and values beyond `serde_json`: numbers of any length, rejected duplicate keys, repairs.

mod digits;
mod number_literals;
mod object;
mod repair;
mod unique;

pub(crate) use digits::{rounded_number, rounded_text, to_text};
pub(crate) use number_literals::{Literals, exact_value, holds_long_numbers, rounds_any, same_number};
pub(crate) use object::remove;
pub(crate) use repair::repair;
pub(crate) use unique::{Sound, Unique, twice};
