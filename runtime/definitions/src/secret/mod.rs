//! [`Secret`]: a value that is never shown, and the redaction of secrets in texts.

// The code of these exits:
// - results: `onion::call_tool`, the policies of tools, direct calls of values, and `TurnCall::run`
// - requests and answers: `AgentRun::ask_model`
// - events: `Events::push`, and `Relay::add` for the events of another run
// - answers and errors of runs: `drive`; the reason of an abort: `RunContext::abort`
// - panics: `onion/panics.rs` and `hook_panicked`; approval: `policy/approval.rs`
// - sources of tools: the shell and MCP servers

mod concealed;
mod encodings;
mod environment;
mod masked;
mod owned;
mod reader;
mod redact;
mod redactor;
mod stream;
mod unvisited;
mod value;
mod visit;

pub use concealed::Concealed;
pub use environment::is_key;
pub use environment::keys as keys_of_environment;
pub use masked::is_masked;
pub use owned::made_during;
pub use reader::{NotAsSecret, OnlyAsSecret};
pub use redact::Redact;
pub use redactor::Redactor;
pub use stream::StreamRedactor;
pub use unvisited::owns_unvisited;
pub use value::texts;
pub use value::{Secret, Sensitive};
pub use visit::VisitSecrets;
pub use visit::{StateVisitor, VisitNone, Visited};
