//! Questions for a person, their answers, and runs that are paused until the answers are there.
//!
//! A call asks a person if its tool needs [approval](crate::approval), if it runs elsewhere, or if its function asks
//! ([`ToolContext::ask`](crate::ToolContext::ask)). Either an [`Answerer`] answers while the run waits, or the run ends as a
//! [`Paused`] value, and [`AgentHandle::resume`](crate::AgentHandle::resume) continues it later with the answers.

pub use onionskin_tools::question::{
    Answer, AnswerError, AnswerType, Answerer, AskError, Dialogue, Paused, Question, QuestionKind, SealError,
    SealKey, Terminal, UiComponent,
};
