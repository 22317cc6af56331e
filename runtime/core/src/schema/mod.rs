//! Values and the schemas that they are held against.
//!
//! Both may come from a stranger: walks take steps from a budget that grows with the value, and stop after 20 problems.

mod budget;
mod check;
mod closed;
mod coerce;
mod defaults;
mod finite;
mod found;
mod keys;
mod pattern;
mod problem;
#[cfg(feature = "mcp")]
mod walkable;

#[cfg(feature = "mcp")]
pub(crate) use budget::Stop;
pub use check::check;
#[cfg(feature = "mcp")]
pub(crate) use check::check_until;
pub(crate) use check::has_limits;
pub(crate) use closed::close;
pub(crate) use coerce::coerce;
pub(crate) use defaults::{fill_defaults, is_left_out};
pub(crate) use finite::to_json;
pub(crate) use keys::{Keys, has_forms};
pub use problem::Problem;
pub(crate) use problem::{describe, expected};
#[cfg(feature = "mcp")]
pub(crate) use walkable::unwalkable;
