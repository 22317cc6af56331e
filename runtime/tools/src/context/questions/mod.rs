//! The questions of a call to a person.

mod answer;
mod approval;
mod ask;
mod request;
mod restart;

pub(crate) use answer::{Front, Open, Unanswered};
pub use ask::Ui;
pub(super) use restart::{QuestionNames, Waited};
