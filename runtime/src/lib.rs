//! Tools, hooks and agents for language models, checked by the compiler.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(all(feature = "shell", not(unix)))]
compile_error!("the feature `shell` of onionskin needs a Unix system");

mod agent;
mod args;
#[cfg(feature = "shell")]
pub mod builtin;
mod content;
mod context;
mod error;
pub mod hooks;
mod journal;
#[cfg(feature = "mcp")]
pub mod mcp;
mod model;
mod onion;
mod output;
mod record;
mod tool;

// The macros name this crate by its path, also in its own tests and examples.
extern crate self as onionskin;

pub use agent::{
    Agent, AgentBuilder, AgentDeclaration, AgentHandle, AgentRun, App, AppBuilder, BuildError, CallOutcome,
    Event, EventKind, Finish, HistoryMergeTarget, HistorySource, Limit, Limits, RunError, RunOutput,
    RunRequest, RunStream, Session, ToolCallReport,
};
pub use args::{Args, ArgsError};
pub use content::{Audio, ContentBlock, Image, Media, Resource, ResourceLink};
pub use context::{
    AgentInfo, IdempotencyKey, Inject, Progress, RunContext, SessionState, State, StateError, Team,
    ToolContext, ToolSource,
};
pub use error::{Abort, ErrorKind, Exit, Stop, ToolError, ToolResult};
pub use journal::{Journal, JournalError, MemoryJournal, StepExec, StepId, StepKind, StepWork};
#[cfg(feature = "genai")]
pub use model::GenaiModel;
pub use model::{
    Message, Model, ModelDelta, ModelError, ModelRequest, ModelResponse, RequestParams, Script, ScriptError,
    ScriptedCall, ScriptedTurn, StopReason, ToolCall, ToolDeclaration, ToolResultMessage, Usage,
};
pub use onion::{ArgsOf, Forked, Hook, Next, OutputOf, ToolCaller, TypedNext, TypedTool};
#[doc = include_str!("docs/tool.md")]
pub use onionskin_macros::tool;
pub use onionskin_macros::{agent, tool_hook};
pub use output::ToolOutput;
pub use tokio_util::sync::CancellationToken;
pub use tool::table::NameClash;
pub use tool::{Annotations, DynTool, Effect, Tool, ToolDefinition};

/// What hooks and tools may take and return: the traits that the compiler names when a type does not fit.
pub mod forms {
    pub use crate::__private0::Seconds;
    pub use crate::context::{InjectArgs, InjectContext, InjectName};
    pub use crate::onion::{AfterOwned, AfterReturn, AfterTarget, AroundReturn, BeforeReturn, WrittenAs};
    pub use crate::tool::{FitsState, Make};
}

/// What the macros write. Not part of the public interface: the name holds the patch version, so that a
/// macro and a runtime of different versions fail loudly.
#[doc(hidden)]
pub mod __private0;
