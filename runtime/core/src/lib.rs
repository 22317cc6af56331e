//! What the crate [`onionskin`](https://docs.rs/onionskin) is made of: tools, hooks, agents and their runtime. Depend on that crate;
//! this one is for crates that extend it and want nothing else.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod agent;
pub mod approval;
mod args;
pub mod checks;
pub mod content;
mod context;
mod deadline;
pub mod definition;
mod error;
pub mod event;
pub mod export;
pub mod hooks;
pub mod journal;
mod json;
pub mod model;
mod onion;
mod output;
mod policy;
pub mod schema;
pub mod secret;
mod session;
pub mod spec;
mod state;
mod strict;
pub mod testing;
pub mod text;
mod tool;
pub mod typed;

// The macros name this crate by its path, also in its own tests and examples.
extern crate self as onionskin;

pub use agent::{Agent, AgentHandle, AgentTool, App, BuildError, RunError};
pub use args::{Args, ArgsError};
pub use context::{Inject, Progress, RunContext, State, ToolContext};
pub use definition::{Effect, ToolDefinition};
pub use error::{Abort, ErrorKind, Exit, Stop, ToolError, ToolResult};
pub use event::RunOutput;
pub use model::{ScriptedModel, ScriptedTurn};
pub use onion::{Hook, Next};
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
pub use policy::Cache;
pub use secret::Secret;
pub use session::Session;
pub use spec::ToolSpec;
// Beside the attribute, as serde has its traits beside its derives: one `use` brings both.
pub use spec::ToolboxTools as toolbox;
pub use state::SessionState;
pub use strict::Strict;
pub use tokio_util::sync::CancellationToken;
pub use tool::{DynTool, Tool, Toolbox};

/// What `agent!` declares, as a value: for agents that are written by hand or set up at run time.
pub mod declaration {
    pub use crate::agent::{
        AgentBuilder, AgentDeclaration, AppBuilder, HistoryMergeTarget, HistorySource, Limits,
    };
    pub use crate::context::NameClash;
}

/// Guardrails: checks of a tool's arguments and of its result.
pub mod guardrails {
    pub use crate::policy::{
        DynInputGuardrail, DynOutputGuardrail, InputGuardrail, InputGuardrails, OutputGuardrail,
        OutputGuardrails,
    };
}

/// One run of an agent: how it is asked for, followed and reported, and what its tools and hooks see of it.
pub mod run {
    pub use crate::agent::{AgentRun, Finish, Limit, RunRequest, RunStream};
    pub use crate::context::{AgentInfo, IdempotencyKey, StateError, Team};
    pub use crate::event::ToolCallReport;
    pub use crate::onion::{Forked, ToolCaller};
    pub use crate::output::StructuredContent;
}

/// Sources of tools, such as MCP servers.
pub mod servers {
    pub use crate::agent::{BoxError, IntoToolServer, ServerError, ToolProvider, ToolServer, ToolServers};
}

/// What hooks and tools may take and return: the traits that the compiler names when a type does not fit.
pub mod forms {
    #[doc(hidden)]
    pub use crate::__private0::{
        Function, ToolboxPart, can_be_shared, keyed, reader, recover, strict, strict_fields, strict_reader,
    };
    pub use crate::__private0::{Seconds, Text};
    pub use crate::context::{InjectArgs, InjectContext, InjectName};
    pub use crate::definition::{ErrorText, FromText, SentToCalls, ToolArg, ToolParameter, ToolReturn};
    pub use crate::onion::{AfterOwned, AfterReturn, AfterTarget, AroundReturn, BeforeReturn, SharedByCalls};
    pub use crate::policy::{
        CacheKey, GuardedOutput, InputReturn, NeedsApproval, OutputGiven, OutputReturn, SeenArgs,
    };
    pub use crate::strict::StrictFields;
    pub use crate::tool::{BothStates, FitsState, FitsTool, Make, SharedToolbox, Works, WorksOn};
    pub use crate::typed::{TypedArgs, TypedReturn};
}

/// What the macros write. Not part of the public interface: the name holds the patch version, so that a
/// macro and a runtime of different versions fail loudly.
#[doc(hidden)]
pub mod __private0;
