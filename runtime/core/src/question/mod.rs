//! Questions for a person, their answers, and runs that are paused until the answers are there.
//!
//! A call asks a person if its tool needs [approval](crate::approval), if it runs elsewhere, or if its function asks
//! ([`ToolContext::ask`](crate::ToolContext::ask)). Either an [`Answerer`] answers while the run waits, or the run ends as a
//! [`Paused`] value, and [`AgentHandle::resume`](crate::AgentHandle::resume) continues it later with the answers.

mod answer;
mod answerer;
mod component;
mod dialogue;
mod error;
mod line;
mod paused;
mod questions;
mod resumption;
mod sealed;
mod terminal;
mod value;

pub use answer::{Answer, AnswerType};
pub use answerer::Answerer;
pub(crate) use answerer::DynAnswerer;
pub use component::UiComponent;
pub use dialogue::Dialogue;
pub use error::{AnswerError, AskError};
pub use paused::Paused;
pub(crate) use paused::{PausedRun, Use};
pub(crate) use questions::{Given, Questions};
pub(crate) use resumption::{Recording, Resumption};
pub use sealed::{SealError, SealKey};
pub use terminal::Terminal;
pub(crate) use value::Asked;
pub use value::{Question, QuestionKind};
