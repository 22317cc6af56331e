//! The state of a session: the program's typed state, and dynamic values under dotted keys.

mod cell;
mod codec;
mod edit;
mod encode;
mod reads;
mod recorder;
mod session;

pub use cell::{RestoreState, StateCell, StateHandle};
pub use codec::StateCodec;
pub use codec::{PlainState, StateKind};
pub(crate) use reads::Reads;
pub use recorder::Recorded;
pub(crate) use recorder::{Address, Recorder, StateChange, repeated};
pub(crate) use session::MAX_KEY_PARTS;
pub use session::SessionState;
