//! Tools, hooks, agents and the runtime behind the crate [`onionskin`](https://docs.rs/onionskin). Programs depend on
//! that crate. This crate is for libraries that extend it. Its macros and its examples say `onionskin`, so such a library has
//! this line in its `lib.rs`:
//!
//! ```
//! extern crate onionskin_core as onionskin;
//! ```

#![forbid(unsafe_code)]
// A new variant of an enum must be handled in each `match`.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]
#![cfg_attr(docsrs, feature(doc_cfg))]

/// The rows of a table in the documentation.
macro_rules! rows {
    ($($(#[doc = $about:literal])+ $module:ident $name:ident {
        $(#[doc = $form:literal] #[doc = $doc:expr] $key:ident => $variant:ident,)*
    })*) => { concat!($($("|", $form, " |", $doc, " |\n",)*)*) };
}
use rows;

macro_rules! option_tables {
    ($($(#[doc = $about:literal])+ $name:ident {
        $(#[doc = $forms:literal] #[doc = $does:literal] $key:ident)*
    })*) => {
        /// The section of the documentation with the options of an attribute.
        macro_rules! option_table {$(
            ($name) => { concat!("\n# Options of `", stringify!($name), "`\n\n| option | what it does |\n|---|---|\n", $("|", $forms, " |", $does, " |\n",)*) };
        )*}
        use option_table;
    };
}
onionskin_vocabulary::options!(option_tables);

mod agent;
pub mod approval;
pub mod budget;
pub mod checks;
mod description;
pub mod event;
pub mod forms;
pub mod guardrails;
pub mod hooks;
pub mod journal;
pub mod memory;
mod message_hook;
pub mod message_hooks;
pub mod model;
mod places;
pub mod prompt;
pub mod question;
mod run_hook;
pub mod secret;
pub mod services;
pub mod spec;
pub mod trace;
mod turn_hook;
pub mod turn_hooks;
pub mod typed;

// The macros refer to this crate by its path, also in its own tests and examples.
extern crate self as onionskin;

#[doc(inline)]
pub use onionskin_definitions::{
    Abort, Args, Effect, ErrorKind, Exit, Secret, Stop, Strict, ToolDefinition, ToolError, ToolOutput,
    ToolResult,
};
#[doc(inline)]
pub use onionskin_definitions::{content, export, json, schema, text};

#[doc(inline)]
pub use onionskin_tools::model::Model;
#[doc(inline)]
pub use onionskin_tools::{
    Cache, DynTool, Hook, Inject, Next, Progress, Provided, RunContext, RunOutput, ScriptedModel,
    ScriptedTurn, Session, SessionState, State, Tool, ToolContext, ToolSpec, Toolbox, call,
};

pub use agent::{Agent, AgentHandle, AgentTool, App, BuildError, RunError};
/// The future of the traits that are trait objects, such as [`DynTool`] and [`Journal`](journal::Journal).
#[doc(no_inline)]
pub use futures_util::future::BoxFuture;
#[doc = include_str!("docs/strict.md")]
pub use onionskin_macros::Strict;
#[doc = include_str!("docs/agent.md")]
///
/// | field | meaning |
/// |---|---|
#[doc = onionskin_vocabulary::agent_fields!(rows)]
#[doc = include_str!("docs/agent_fields.md")]
pub use onionskin_macros::agent;
#[doc = include_str!("docs/guardrail.md")]
#[doc = crate::option_table!(guardrail)]
pub use onionskin_macros::guardrail;
#[doc = include_str!("docs/message_hook.md")]
#[doc = crate::option_table!(message_hook)]
pub use onionskin_macros::message_hook;
#[doc = include_str!("docs/run_hook.md")]
#[doc = crate::option_table!(run_hook)]
pub use onionskin_macros::run_hook;
#[doc = include_str!("docs/tool.md")]
#[doc = crate::option_table!(tool)]
#[doc = crate::option_table!(arg)]
pub use onionskin_macros::tool;
#[doc = include_str!("docs/tool_hook.md")]
#[doc = crate::option_table!(tool_hook)]
pub use onionskin_macros::tool_hook;
#[doc = include_str!("docs/toolbox.md")]
#[doc = crate::option_table!(toolbox)]
pub use onionskin_macros::toolbox;
#[doc = include_str!("docs/turn_hook.md")]
#[doc = crate::option_table!(turn_hook)]
pub use onionskin_macros::turn_hook;
#[doc = include_str!("docs/ui_tool.md")]
pub use onionskin_macros::ui_tool;
#[doc = include_str!("docs/workflow.md")]
pub use onionskin_macros::workflow;
// Exported beside the attribute of the same name, so that one `use` imports both.
pub use onionskin_tools::spec::ToolboxTools as toolbox;
pub use tokio_util::sync::CancellationToken;

/// Definitions of tools: the model's view of a tool ([`ToolDefinition`]), its options and its examples.
pub mod definition {
    pub use onionskin_definitions::definition::{
        Annotations, Effect, ExampleError, NameProblem, ServerKind, ToolDeclaration, ToolDefinition,
        ToolExample, ToolSource, ToolWords, UiMode, wire_name,
    };
}

/// The declaration that `agent!` writes, as a value: for agents that are implemented by hand or configured at run time.
pub mod declaration {
    pub use crate::agent::{
        AgentBuilder, AgentDeclaration, AppBuilder, CallFilter, DynAgent, HistoryMergeTarget, HistorySource,
        Limits, Lock, RunFn, TypedAgent,
    };
    pub use crate::description::{AgentDescription, AppDescription, ToolDescription};
    pub use onionskin_tools::context::NameClash;
}

/// How lists construct hooks and guardrails that are written by hand: the types for [`Hook::Made`] and the `Made` of
/// guardrails, and the tools that hooks bring.
pub mod made {
    pub use onionskin_tools::onion::{AtRunTime, ByDefault, FromValues, HookTools, MadeBy};
}

/// One run of an agent: its request, its stream of events, its output, and the context that tools and hooks get.
pub mod run {
    pub use crate::agent::{
        AgentRun, Ask, Limit, MisuseError, RunRequest, RunStream, ToolCallStream, ToolResults, TypedHandle,
        TypedRunOutput, TypedRunStream,
    };
    pub use onionskin_definitions::args::ArgsError;
    pub use onionskin_definitions::output::StructuredContent;
    pub use onionskin_tools::context::{AgentInfo, IdempotencyKey, InjectInRun, StateError, Team};
    pub use onionskin_tools::event::ToolCallReport;
    pub use onionskin_tools::onion::{Forked, ToolCaller};
    pub use onionskin_tools::session::{NoTypedState, SavedSession, SavedSessionError};
}

#[doc = include_str!("docs/run_hooks.md")]
pub mod run_hooks {
    pub use crate::run_hook::{
        CheckTrigger, DeltaFilter, InputCheckError, OutputCheckError, RunAnswer, RunHook, RunInput,
    };
    pub use onionskin_definitions::error::BoxError;
}

/// Stored sessions: conversations under ids of the program, in memory, in a file, or in a store of your own.
pub mod sessions {
    pub use onionskin_tools::search::SearchTooLong;
    pub use onionskin_tools::session::{SessionError, SessionExport, Sessions, StoredSession};
    pub use onionskin_tools::session_store::{
        MemorySessions, SessionInfo, SessionLease, SessionPage, SessionQuery, SessionRecord,
        SessionSelection, SessionStore, SessionStoreError,
    };
}

/// Sources of tools, such as MCP servers.
///
/// A custom source implements [`ToolServer`](servers::ToolServer), which creates a
/// [`ToolProvider`](servers::ToolProvider) for each agent. Pass it to the builder's `server`. A configuration
/// of another type implements [`IntoToolServer`](servers::IntoToolServer); a configuration of several servers
/// implements [`ToolServers`](servers::ToolServers) and is passed to `servers`.
pub mod servers {
    pub use crate::agent::{
        IntoToolServer, ProviderRequest, RunHeader, ServerError, ToolFilter, ToolProvider, ToolServer,
        ToolServers,
    };
    pub use onionskin_definitions::definition::ServerKind;
    pub use onionskin_definitions::error::BoxError;
}

/// UI tools: tools that show a component to a person and wait for the answer. [`macro@ui_tool`] declares one, and
/// [`ToolContext::ui`] shows it.
pub mod ui {
    pub use onionskin_definitions::definition::UiMode;
    #[doc(no_inline)]
    pub use onionskin_macros::ui_tool;
    pub use onionskin_tools::context::Ui;
    pub use onionskin_tools::question::UiComponent;
}

/// The items that macro expansions use. They are not part of the public interface. The module's name contains the patch
/// version, so that a macro and a runtime of different versions fail to compile.
#[doc(hidden)]
pub mod __private0;
