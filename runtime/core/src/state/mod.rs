//! The state of a session: the program's own state by its type, and dynamic values under dotted keys.

mod cell;
mod session;

pub(crate) use cell::{StateCell, StateHandle};
pub(crate) use session::MOST_PARTS;
pub use session::SessionState;
