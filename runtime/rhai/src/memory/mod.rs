//! The memory that a call of a script holds.

// Rhai checks the size of a value when it is made or passed. It checks neither the value that contains it nor the sum of all
// variables. So `meter` checks the variables when they are accessed. `size` adds up what they hold, `value_limits` has the
// limits of one value, `need` reads from the script how much is held outside of variables, and `captured` knows the variables
// of closures.

mod captured;
mod meter;
mod need;
mod size;
mod value_limits;

pub(super) use meter::{MEMORY, Meter};
pub(super) use need::MemoryNeed;
pub(super) use size::Size;
pub(super) use value_limits::Most;
