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

// The code of these exits:
// - results: `onion::call_tool`, the policies of tools, direct calls of values, and `TurnCall::run`
// - requests and answers: `AgentRun::ask_model`
// - events: `Events::push`, and `Relay::add` for the events of another run
// - answers and errors of runs: `drive`; the reason of an abort: `RunContext::abort`
// - panics: `onion/panics.rs` and `hook_panicked`; approval: `policy/approval.rs`
// - sources of tools: the shell and MCP servers

mod concealed;
mod environment;
mod forms;
mod masked;
mod owned;
mod reader;
mod redact;
mod redactor;
mod stream;
mod unvisited;
mod value;
mod visit;

pub(crate) use concealed::Concealed;
pub use environment::is_key;
pub(crate) use environment::keys as keys_of_environment;
pub(crate) use masked::is_masked;
#[doc = include_str!("../docs/visit_secrets.md")]
pub use onionskin_macros::VisitSecrets;
pub(crate) use owned::made_during;
pub(crate) use reader::{NotAsSecret, OnlyAsSecret};
pub use redact::Redact;
pub use redactor::Redactor;
pub use stream::StreamRedactor;
pub(crate) use unvisited::owns_unvisited;
pub(crate) use value::texts;
pub use value::{Secret, Sensitive};
pub use visit::VisitSecrets;
#[doc(hidden)]
pub use visit::{StateVisitor, VisitNone, VisitSome, Visited, VisitedType, VisitorNone, VisitorSome};
