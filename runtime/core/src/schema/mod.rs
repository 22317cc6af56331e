//! Schemas, and checks of values against them.
//!
//! Both can come from untrusted sources. Walks take steps from a budget that grows with the value, and stop after 20
//! problems.

mod budget;
mod check;
mod closed;
mod coerce;
mod defaults;
mod found;
mod keys;
mod mistakes;
mod pattern;
mod problem;
mod to_json;
mod unchecked_limits;
mod walkable;

pub use check::check;
pub use check::check_until;
pub(crate) use closed::close;
pub(crate) use coerce::coerce;
pub(crate) use defaults::{fill_defaults, is_left_out};
pub(crate) use keys::{Keys, has_forms};
pub(crate) use mistakes::mistake;
pub use problem::Problem;
pub(crate) use problem::{describe, expected, problem_lines, reason_of, refusal_text};
pub use to_json::to_json;
pub(crate) use unchecked_limits::has_limits;
pub use walkable::unwalkable;
