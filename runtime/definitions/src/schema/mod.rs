//! Schemas, and checks of values against them.
//!
//! Both can come from untrusted sources. Walks take steps from a budget that grows with the value, and stop
//! after 20 problems.

mod budget;
mod check;
mod closed;
mod coerce;
mod culprit;
mod defaults;
mod findings;
mod halves;
mod integers;
mod keywords;
mod mistakes;
mod pattern;
mod problem;
mod to_json;
mod unchecked_limits;
mod union;
mod unused;
mod walkable;

pub use check::check;
pub use check::check_until;
pub(crate) use closed::{close, has_forms};
pub use coerce::{coerce, exact_integer};
pub use culprit::culprit;
pub(crate) use defaults::fill_defaults;
pub use defaults::is_left_out;
pub use halves::halves;
pub use integers::format_bounds;
pub use keywords::{Applies, KeywordKind, Subschema, subschemas};
pub(crate) use keywords::{change_subschemas, referenced};
pub use mistakes::mistake;
pub use problem::Problem;
pub(crate) use problem::refusal_text;
pub use problem::{describe, expected, problem_lines, reason_of};
pub use to_json::to_json;
pub(crate) use unchecked_limits::has_limits;
pub use unused::remove_unused;
pub use walkable::unwalkable;
