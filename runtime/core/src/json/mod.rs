//! JSON texts and values beyond `serde_json`: numbers of any length, many levels, rejected duplicate keys, repairs, stored values, and texts that are
//! still being written.

mod change_texts;
mod depth;
mod digits;
mod number_literals;
mod object;
mod partial;
mod repair;
mod stored;
mod unique;

pub(crate) use change_texts::change_texts;
pub(crate) use depth::{levels, levels_of, read_deep};
pub(crate) use digits::{exact_text, rounded_number, rounded_text, to_text};
pub(crate) use number_literals::{
    Literals, exact_value, holds_long_numbers, is_rounded, rounds_any, same_number, with_digits,
};
pub(crate) use object::{present, remove};
pub(crate) use partial::partial_value;
pub(crate) use repair::repair;
pub(crate) use stored::{Problem, Unread, problem_of, read_stored};
pub use unique::Unique;
pub(crate) use unique::{ARGUMENT_LEVELS, Sound, twice};
