//! Questions for a person, their answers, and runs that pause until they have answers.

mod answer;
mod answerer;
mod caller_request;
mod component;
mod dialogue;
mod error;
mod paused;
mod questions;
mod resumption;
mod sealed;
mod terminal;
mod value;

pub use answer::{Answer, AnswerType};
pub use answerer::Answerer;
pub use answerer::DynAnswerer;
pub use caller_request::CallerRequest;
pub use component::UiComponent;
pub use dialogue::Dialogue;
pub use error::{AnswerError, AskError};
pub use paused::Paused;
pub use paused::PausedRun;
pub use paused::Use;
pub(crate) use paused::step_has_secret;
pub(crate) use questions::{ProvidedAnswer, Questions};
pub use resumption::{Recording, Resumption};
pub use sealed::{SealError, SealKey};
pub use terminal::Terminal;
pub(crate) use value::QuestionParts;
pub use value::{Question, QuestionKind};
