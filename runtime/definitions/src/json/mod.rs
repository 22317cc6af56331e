//! JSON beyond `serde_json`: numbers of any length, deep nesting, rejected duplicate keys, repairs, stored
//! values, and incomplete texts.

mod change_texts;
mod depth;
mod digits;
mod number_literals;
mod object;
mod partial;
mod repair;
mod stored;
mod unique;

pub use change_texts::change_texts;
pub use depth::{MAX_LEVELS, json_values, levels, levels_of, read_deep};
pub use digits::exact_text;
pub(crate) use digits::{rounded_number, rounded_text, to_text};
pub use number_literals::{Literals, exact_value, holds_long_numbers, rounds_any, with_digits};
pub(crate) use number_literals::{is_rounded, same_number};
pub use object::{present, remove};
pub use partial::partial_value;
pub use repair::repair;
pub use stored::{Problem, Unread, problem_of, read_stored};
pub use unique::Unique;
pub(crate) use unique::{ARGUMENT_LEVELS, Sound, twice};
