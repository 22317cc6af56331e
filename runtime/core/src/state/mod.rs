//! The state of a session: the program's own state by its type, and dynamic values under dotted keys.

mod cell;
mod codec;
mod edit;
mod reads;
mod recorder;
mod session;

pub(crate) use cell::{RestoreState, StateCell, StateHandle};
pub(crate) use codec::StateCodec;
pub use codec::{CodecNone, CodecSome, RecordedType};
pub(crate) use reads::Reads;
pub(crate) use recorder::{Address, Recorded, Recorder, StateChange, repeated};
pub(crate) use session::MOST_PARTS;
pub use session::SessionState;
