//! Events: what happens in a run, in order, reported while it happens.
//!
//! A [`RunStream`](crate::run::RunStream) yields them, those of child runs included. Their sum is a [`RunOutput`].

pub use onionskin_tools::event::{
    CallOutcome, Event, EventKind, HookEnd, HookExit, RunOutput, ToolCallReport,
};
/// For the crates of the runtime.
#[doc(hidden)]
pub use onionskin_tools::event::{TurnChange, TurnText};
pub use onionskin_tools::model::{PrefixCause, PrefixChange};
