//! [`Secret`]: a value that is never shown, and the redaction of secrets in a program's output.
//!
//! A session knows a secret because the agent's state lists it ([`VisitSecrets`](trait@VisitSecrets)), because a value with it
//! is bound (`#[bind(..)]`), because an update of the state made it ([`State::update`](crate::State::update)), because it
//! was set ([`SessionState::set_secret`](crate::SessionState::set_secret)), or because the program named it
//! ([`ToolContext::conceal`](crate::ToolContext::conceal), `conceal` of the builders). Each session knows the values of the program's environment
//! variables that are named like keys, such as `OPENAI_API_KEY` and `GH_TOKEN`, of 16 bytes or more.
//! Each session has one [`Redactor`] for the secrets that it knows. It is applied where a text leaves the session:
//!
//! - results of tools: before a hook, the journal or the model sees them, and once more after the hooks
//! - requests to models, and their answers and errors
//! - events
//! - the answer or the error of a run, and the reason of an abort
//! - the words of a panic, and of a request for approval
//! - logs and outputs of sources of tools, which ask for it: [`RunContext::redactor`](crate::RunContext::redactor)

#[doc = include_str!("docs/visit_secrets.md")]
pub use onionskin_macros::VisitSecrets;

pub use onionskin_definitions::secret::{
    Redact, Redactor, Secret, Sensitive, StreamRedactor, VisitSecrets, is_key,
};
