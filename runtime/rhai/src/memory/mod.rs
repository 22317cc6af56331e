//! The memory that a call of a script holds.

// Rhai looks at sizes where a value is made or passed, not at what it is put in, nor at all variables together. So `meter`
// looks at the variables themselves, at their accesses; `size` adds up what they hold; `most` says what one may hold; `shape` reads from the script how
// much stands in no variable; `captured` knows the variables that closures hold.

mod captured;
mod meter;
mod most;
mod shape;
mod size;

pub(super) use meter::{MEMORY, Meter};
pub(super) use most::Most;
pub(super) use shape::Shape;
pub(super) use size::Size;
