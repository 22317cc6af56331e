//! The questions of a call to a person.

mod answer;
mod approval;
mod ask;
mod names;
mod waits;

pub(crate) use answer::{Front, Unanswered};
pub use ask::Ui;
pub(super) use names::QuestionNames;
pub(super) use waits::Waited;
