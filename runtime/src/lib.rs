//! Tools, hooks and agents for language models, checked by the compiler.
//!
//! You annotate functions with [`#[tool]`](macro@tool) and [`#[tool_hook]`](macro@tool_hook), declare agents with
//! [`agent!`], and run them. An agent mixes MCP servers, functions, child agents and built-in tools; one onion
//! of hooks stands around all of them.
//!
//! ```
//! use onionskin::{Args, Next, Script, ScriptedTurn, ToolContext, ToolResult, agent, tool, tool_hook};
//! use serde_json::json;
//!
//! /// Adds one to a number.
//! #[tool]
//! fn add_one(
//!     /// The number to add one to.
//!     x: i64,
//! ) -> i64 {
//!     x + 1
//! }
//!
//! /// Marks every result.
//! #[tool_hook]
//! async fn audit(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
//!     let mut output = next.run(args).await?;
//!     output.push_text(format!(" [{}]", ctx.tool_name()));
//!     Ok(output)
//! }
//!
//! agent! {
//!     /// Does sums.
//!     pub Clerk {
//!         instruction: "Do the sums that you are asked for with your tools.",
//!         function_tools: [add_one],
//!         tool_hooks: [audit],
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! // A script in the model's place; with feature `genai`, `GenaiModel` asks a real one.
//! let model = Script::turns([
//!     ScriptedTurn::call("add_one", json!({ "x": 41 })),
//!     ScriptedTurn::say("It is {last}."),
//! ]);
//! let output = Clerk::builder().model(model).run("What is 41 + 1?").await.unwrap();
//! assert_eq!(output.text, "It is 42 [add_one].");
//! # });
//! ```
//!
//! # Where things are
//!
//! | | |
//! |---|---|
//! | Tools | [`macro@tool`], [`Tool`], [`Strict`](trait@Strict), [`ToolDefinition`], [`ToolOutput`], [`ContentBlock`], [`DynTool`] |
//! | Tools as values | [`ToolSpec`], [`call!`], module [`spec`] |
//! | What a call knows | [`ToolContext`], [`Args`], [`State`], [`SessionState`], [`Secret`], [`Inject`], [`Progress`], [`RunContext`] |
//! | How a call ends | [`ToolResult`], [`Exit`], [`ToolError`], [`ErrorKind`] |
//! | Hooks | [`macro@tool_hook`], [`Hook`], [`Next`], [`TypedNext`], the ready-made ones in [`hooks`] |
//! | Guardrails | [`macro@guardrail`], [`InputGuardrail`], [`OutputGuardrail`], [`Approver`], [`Cache`] |
//! | Agents | [`agent!`], [`Agent`], [`AgentBuilder`], [`App`], [`AgentTool`], [`BuildError`] |
//! | Runs | [`AgentHandle`], [`Session`], [`RunStream`], [`Event`], [`RunOutput`], [`Limits`], [`RunError`] |
//! | Models | [`Model`], [`Script`], `GenaiModel` (feature `genai`) |
//! | MCP servers | module `mcp` (feature `mcp`, on by default) |
//! | Built-in tools | module `builtin` (feature `shell`) |
//! | Ready toolboxes | module `toolboxes` (features `knowledge-base`, `web-search`) |
//! | Tools in the forms of providers, MCP and prompts | module [`export`] |
//! | Steps of a run | [`Journal`], [`StepId`], [`MemoryJournal`] |
//! | Tests | module [`testing`], [`ToolCaller`], [`Script`] |
//!
//! # Features
//!
//! - `mcp` (default): MCP servers over stdio.
//! - `preserve_order` (default): JSON objects keep their keys in the order in which they were written. Parameters are in declared
//!   order wherever a tool is shown: that of the function, of a struct's fields, of an imported schema. It turns on `serde_json`'s
//!   feature of the same name, which holds for the whole program. Without it keys have the alphabet's order; what is written of a
//!   function as text or as a list (`params`, `signature`, `docstring`, `required`) has the function's all the same.
//! - `mcp-server`: tools as routes of an rmcp server.
//! - `genai`: real models through the genai crate.
//! - `shell`: the built-in tool `shell.execute`, on Unix.
//! - `yaml`: scripted models from YAML files.
//! - `script`: tools written as Rhai scripts.
//! - `knowledge-base`: the toolbox `KnowledgeBase`, documents in `SQLite`.
//! - `web-search`: the toolbox `WebSearch`.
//! - `chrono04`, `uuid1`, `url2`: types of these crates in strict tools; they turn on schemars' features of the same names.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(all(feature = "shell", not(unix)))]
compile_error!("the feature `shell` of onionskin needs a Unix system");

mod agent;
mod args;
#[cfg(feature = "shell")]
pub mod builtin;
pub mod checks;
mod content;
mod context;
mod error;
pub mod export;
pub mod hooks;
#[cfg(any(feature = "genai", feature = "web-search"))]
mod http;
mod journal;
mod life;
#[cfg(feature = "mcp")]
pub mod mcp;
mod model;
mod object;
mod onion;
mod output;
mod secret;
pub mod spec;
mod strict;
pub mod testing;
mod tool;
#[cfg(any(feature = "knowledge-base", feature = "web-search"))]
pub mod toolboxes;

// The macros name this crate by its path, also in its own tests and examples.
extern crate self as onionskin;

pub use agent::{
    Agent, AgentBuilder, AgentDeclaration, AgentHandle, AgentRun, AgentTool, App, AppBuilder, BuildError,
    CallOutcome, Event, EventKind, Finish, HistoryMergeTarget, HistorySource, Limit, Limits, RunError,
    RunOutput, RunRequest, RunStream, Session, ToldValue, ToolCallReport,
};
pub use args::{Args, ArgsError};
pub use content::{Audio, ContentBlock, Image, Media, Resource, ResourceLink};
pub use context::{
    AgentInfo, IdempotencyKey, Inject, Progress, RunContext, SessionState, State, StateError, Team,
    ToolContext, ToolSource,
};
pub use error::{Abort, ErrorKind, Exit, Stop, ToolError, ToolResult};
pub use journal::{InDoubt, Journal, JournalError, MemoryJournal, StepExec, StepId, StepKind, StepWork};
pub use life::{
    Approval, ApprovalRequest, Approver, Cache, DynInputGuardrail, DynOutputGuardrail, InputGuardrail,
    InputGuardrails, OutputGuardrail, OutputGuardrails,
};
#[cfg(feature = "genai")]
pub use model::GenaiModel;
pub use model::{
    Message, Model, ModelDelta, ModelError, ModelRequest, ModelResponse, RequestParams, Script, ScriptError,
    ScriptedCall, ScriptedTurn, StopReason, ToolCall, ToolDeclaration, ToolResultMessage, Usage,
};
pub use onion::{ArgsOf, Forked, Hook, Next, OutputOf, ToolCaller, TypedNext, TypedTool};
#[doc = include_str!("docs/strict.md")]
pub use onionskin_macros::Strict;
#[doc = include_str!("docs/agent.md")]
pub use onionskin_macros::agent;
#[doc = include_str!("docs/guardrail.md")]
pub use onionskin_macros::guardrail;
#[doc = include_str!("docs/tool.md")]
pub use onionskin_macros::tool;
#[doc = include_str!("docs/tool_hook.md")]
pub use onionskin_macros::tool_hook;
#[doc = include_str!("docs/toolbox.md")]
pub use onionskin_macros::toolbox;
pub use output::ToolOutput;
pub use secret::{Secret, Sensitive};
pub use spec::ToolSpec;
pub use strict::Strict;
pub use tokio_util::sync::CancellationToken;
pub use tool::table::NameClash;
// Beside the attribute, as serde has its traits beside its derives: one `use` brings both.
pub use tool::ToolboxTools as toolbox;
pub use tool::{
    Annotations, DynTool, Effect, ExampleError, NameProblem, Tool, ToolDefinition, ToolExample, Toolbox,
};

/// What hooks and tools may take and return: the traits that the compiler names when a type does not fit.
pub mod forms {
    #[doc(hidden)]
    pub use crate::__private0::{
        Function, ToolboxPart, can_be_shared, keyed, reader, recover, strict, strict_fields, strict_reader,
    };
    pub use crate::__private0::{Seconds, Text};
    pub use crate::context::{InjectArgs, InjectContext, InjectName};
    pub use crate::life::{
        CacheKey, GuardedOutput, InputReturn, NeedsApproval, OutputGiven, OutputReturn, SeenArgs,
    };
    pub use crate::onion::{
        AfterOwned, AfterReturn, AfterTarget, AroundReturn, BeforeReturn, SharedByCalls, TypedArgs,
        TypedReturn,
    };
    pub use crate::strict::StrictFields;
    pub use crate::tool::{
        BothStates, ErrorText, FitsState, FitsTool, FromText, Make, SentToCalls, SharedToolbox, ToolArg,
        ToolParameter, ToolReturn, Works, WorksOn,
    };
}

/// What the macros write. Not part of the public interface: the name holds the patch version, so that a
/// macro and a runtime of different versions fail loudly.
#[doc(hidden)]
pub mod __private0;
