//! What the crate [`onionskin`](https://docs.rs/onionskin) is made of: tools, hooks, agents and their runtime. Depend on that crate;
//! this one is for crates that extend it and want nothing else.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod agent;
mod approver;
mod args;
pub mod checks;
pub mod content;
mod context;
mod deadline;
mod definition;
mod error;
mod event;
pub mod export;
pub mod hooks;
mod journal;
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
mod typed;

// The macros name this crate by its path, also in its own tests and examples.
extern crate self as onionskin;

pub use agent::{
    Agent, AgentBuilder, AgentDeclaration, AgentHandle, AgentRun, AgentTool, App, AppBuilder, BoxError,
    BuildError, Finish, HistoryMergeTarget, HistorySource, IntoToolServer, Limit, Limits, RunError,
    RunRequest, RunStream, ServerError, ToolProvider, ToolServer, ToolServers,
};
pub use approver::{Approval, ApprovalRequest, Approver};
pub use args::{Args, ArgsError};
pub use content::{Audio, ContentBlock, Image, Media, Resource, ResourceLink};
pub use context::NameClash;
pub use context::{
    AgentInfo, IdempotencyKey, Inject, Progress, RunContext, State, StateError, Team, ToolContext,
};
pub use definition::{
    Annotations, Effect, ExampleError, NameProblem, ToolDefinition, ToolExample, ToolSource,
};
pub use error::{Abort, ErrorKind, Exit, Stop, ToolError, ToolResult};
pub use event::{CallOutcome, Event, EventKind, RunOutput, ToolCallReport};
pub use journal::{InDoubt, Journal, JournalError, MemoryJournal, StepExec, StepId, StepKind, StepWork};
pub use model::{
    History, HistoryIter, Message, Model, ModelDelta, ModelError, ModelRequest, ModelResponse, RequestParams,
    ScriptedCall, ScriptedModel, ScriptedModelError, ScriptedTurn, StopReason, ToolCall, ToolDeclaration,
    ToolResultMessage, Usage,
};
pub use onion::{Forked, Hook, Next, ToolCaller};
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
pub use output::{StructuredContent, ToolOutput};
pub use policy::{
    Cache, DynInputGuardrail, DynOutputGuardrail, InputGuardrail, InputGuardrails, OutputGuardrail,
    OutputGuardrails,
};
pub use secret::{Secret, Sensitive};
pub use session::Session;
pub use spec::ToolSpec;
pub use state::SessionState;
pub use strict::Strict;
pub use tokio_util::sync::CancellationToken;
pub use typed::{ArgsOf, OutputOf, TypedNext, TypedTool};
// Beside the attribute, as serde has its traits beside its derives: one `use` brings both.
pub use spec::ToolboxTools as toolbox;
pub use tool::{DynTool, Tool, Toolbox};

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
