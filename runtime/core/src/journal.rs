//! Steps: the effects of a run, named by their position in it, so that a run can be replayed.
//!
//! Each effect of a run on the outside world is a *step*: a model turn, the innermost part of a tool call, a clock
//! reading. The run of a child is not a step; its own steps are, and its failure. All other code, hooks included, is deterministic given the results of the steps. A [`Journal`]
//! records steps and answers them from the record in a later run.

pub use onionskin_tools::journal::{
    InDoubt, Journal, JournalError, JournalErrorKind, MemoryJournal, Step, StepExec, StepId, StepKind,
    StepRecord, StepWork, fingerprint,
};
#[doc(hidden)]
pub use onionskin_tools::journal::{store_value, stored_value};
