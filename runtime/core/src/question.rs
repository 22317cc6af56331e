//! Questions for a person, their answers, and runs that are paused until they are answered.
//!
//! A call asks a person if its tool needs [approval](crate::approval) or runs elsewhere, or if its function
//! asks ([`ToolContext::ask`](crate::ToolContext::ask)). Either an [`Answerer`] answers while the run waits,
//! or the run ends as a [`Paused`] value, which [`AgentHandle::resume`](crate::AgentHandle::resume) continues
//! later with the answers.

pub use onionskin_tools::question::{
    Answer, AnswerError, AnswerType, Answerer, AskError, CallerRequest, Dialogue, Paused, Question,
    QuestionKind, SealError, SealKey, Terminal, UiComponent,
};
