//! [`Secret`]: a value that is never shown, and the redaction of secrets in a program's output.
//!
//! A session knows the secrets that the agent's state lists ([`VisitSecrets`](trait@VisitSecrets)), that are
//! in a bound value (`#[bind(..)]`), that an update of the state adds
//! ([`State::update`](crate::State::update)), that are set
//! ([`SessionState::set_secret`](crate::SessionState::set_secret)), and that the program registers
//! ([`ToolContext::conceal`](crate::ToolContext::conceal), `conceal` of the builders). Each session also
//! knows the values of environment variables of the program that are named like keys, such as
//! `OPENAI_API_KEY` and `GH_TOKEN`, and have 16 bytes or more. Each session has one [`Redactor`] for the
//! secrets that it knows. It is applied where a text leaves the session:
//!
//! - results of tools: before a hook, the journal or the model sees them, and again after the hooks
//! - requests to models, and their answers and errors
//! - events
//! - the answer or the error of a run, and the reason of an abort
//! - the messages of panics and the texts of requests for approval
//! - logs and outputs of sources of tools, which get it with
//!   [`RunContext::redactor`](crate::RunContext::redactor)

#[doc = include_str!("docs/visit_secrets.md")]
pub use onionskin_macros::VisitSecrets;

pub use onionskin_definitions::secret::{
    Redact, Redactor, Secret, Sensitive, StreamRedactor, VisitSecrets, is_key,
};
