//! The questions of a call to a person.

mod answer;
mod approval;
mod ask;
mod restart;

pub(crate) use answer::{Front, Unanswered};
pub use ask::Ui;
pub(super) use restart::{QuestionNames, Waited};
