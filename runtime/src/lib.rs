//! Tools, hooks and agents for language models, checked by the compiler.
//!
//! You annotate functions with [`#[tool]`](macro@tool) and [`#[tool_hook]`](macro@tool_hook), declare agents with
//! [`agent!`], and run them. An agent mixes MCP servers, functions, child agents and built-in tools; one onion
//! of hooks wraps all calls.
//!
//! ```
//! use onionskin::{Args, Next, ScriptedModel, ScriptedTurn, ToolContext, ToolResult, agent, tool, tool_hook};
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
//! // A scripted model; with feature `genai`, `GenaiModel` asks a real one.
//! let model = ScriptedModel::turns([
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
//! | Tools | [`macro@tool`], [`Tool`], [`Strict`](trait@Strict), [`ToolDefinition`], [`ToolOutput`], [`ContentBlock`](content::ContentBlock), [`DynTool`] |
//! | UI tools | [`macro@ui_tool`], module [`ui`] |
//! | Tools as values | [`ToolSpec`], [`call!`], module [`spec`] |
//! | In a call | [`ToolContext`], [`Args`], [`State`], [`SessionState`], [`Secret`], [`Inject`], [`Progress`], [`RunContext`] |
//! | Results and errors | [`ToolResult`], [`Exit`], [`ToolError`], [`ErrorKind`] |
//! | Hooks | [`macro@tool_hook`], [`Hook`], [`Next`], [`TypedNext`](typed::TypedNext), the ready-made ones in [`hooks`] |
//! | Hooks around runs | [`macro@run_hook`], module [`run_hooks`] |
//! | Hooks around turns | [`macro@turn_hook`], module [`turn_hooks`] |
//! | Hooks on messages | [`macro@message_hook`], module [`message_hooks`] |
//! | Guardrails | [`macro@guardrail`], [`InputGuardrail`](guardrails::InputGuardrail), [`OutputGuardrail`](guardrails::OutputGuardrail), [`Approver`](approval::Approver), [`Cache`] |
//! | Agents | [`agent!`], [`workflow!`], [`Agent`], [`AgentBuilder`](declaration::AgentBuilder), [`App`], [`AgentTool`], [`BuildError`] |
//! | Runs | [`AgentHandle`], [`Session`], [`RunStream`](run::RunStream), [`Event`](event::Event), [`RunOutput`], [`Limits`](declaration::Limits), [`RunError`] |
//! | Models | [`Model`], [`ScriptedModel`], `GenaiModel` (feature `genai`) |
//! | Agents of cards, read at run time | module `loader` (feature `loader`) |
//! | The command line of a program | [`main!`], module `cli` (feature `cli`) |
//! | A2A | module `a2a` (feature `a2a`) |
//! | Agents in editors | module `acp` (feature `acp`) |
//! | MCP servers | module `mcp` (feature `mcp`, on by default) |
//! | Built-in tools | module `builtin` (features `filesystem`, `human-input`, `shell`, `skills`) |
//! | Tools written as scripts | module `rhai` (feature `rhai`) |
//! | Spans and metrics | module `otel` (feature `otel`), module [`trace`] |
//! | Memories | module [`memory`] (its sources: feature `memory`) |
//! | Tools and agents as MCP servers | module `serve` (feature `serve`) |
//! | A store in one `SQLite` file | module `sqlite` (feature `sqlite`) |
//! | Ready toolboxes | module `toolboxes` (features `knowledge-base`, `web-search`) |
//! | Tools in the forms of providers, MCP and prompts | module [`export`] |
//! | Steps of a run | [`Journal`](journal::Journal), [`StepId`](journal::StepId), [`MemoryJournal`](journal::MemoryJournal) |
//! | What runs may spend together | [`Budget`](budget::Budget), [`BudgetStore`](budget::BudgetStore), [`MemoryBudgets`](budget::MemoryBudgets) |
//! | Tests | module `testing` (feature `testing`), [`ToolCaller`](run::ToolCaller), [`ScriptedModel`] |
//!
//! # Features
//!
//! - `guardrails` (default): the ready guardrails.
//! - `hooks` (default): the ready hooks beyond `log`, `timing` and `retry`.
//! - `mcp` (default): MCP servers over stdio.
//! - `mcp-http`: MCP servers that are reached by address, over streamable HTTP.
//! - `mcp-auth`: logins to such servers, by OAuth.
//! - `preserve_order` (default): JSON objects keep the order of their keys, so all lists of a tool's parameters have the declared
//!   order. It turns on `serde_json`'s feature of the same name for the whole program. Without it, keys are in alphabetical order;
//!   `params`, `signature`, `docstring` and `required` keep the order of the function.
//! - `a2a`: agents served over A2A, and remote A2A agents as children.
//! - `cards`: agents that the compiler reads from cards, `agent!(card = "cards/pmo.md")`, and from workflow folders, `workflow!("workflows/Generator")`.
//! - `loader`: agents of cards that the program reads at run time.
//! - `loader-url`: such cards at addresses on the web, where the program allows it.
//! - `cli`: the command line of a program, [`main!`].
//! - `acp`: agents in editors, over the Agent Client Protocol.
//! - `rmcp3`: tools in the types of rmcp 3, and from them.
//! - `mcp-server`: tools as routes of an rmcp server.
//! - `genai`: real models through the genai crate.
//! - `models`: ready models: fallbacks, routers, shared limits, recorded conversations for tests.
//! - `filesystem`: the built-in tools `filesystem.read`, `write`, `list`, `edit` and `search`, on Unix.
//! - `human-input`: the built-in tool `human.input`.
//! - `shell`: the built-in tool `shell.execute`, on Unix.
//! - `skills`: the built-in tool `skills.read`, on Unix.
//! - `otel`: spans and metrics over OTLP, for OpenTelemetry.
//! - `testing`: the testing kit, for tests of tools, hooks and models.
//! - `yaml`: scripted models from YAML files.
//! - `rhai`: tools and hooks written as Rhai scripts.
//! - `serve`: tools and agents as MCP servers, over standard streams and HTTP.
//! - `sqlite`: a store of sessions, budgets and memories in one `SQLite` file.
//! - `memory`: memories of users, agents and all, as sources of prompts with their tools.
//! - `knowledge-base`: the toolbox `KnowledgeBase`, documents in `SQLite`.
//! - `web-search`: the toolbox `WebSearch`.
//! - `chrono04`, `uuid1`, `url2`: types of these crates in strict tools; they turn on schemars' features of the same names.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod features;
mod program;

#[cfg(all(feature = "shell", not(unix)))]
compile_error!("the feature `shell` of onionskin needs a Unix system");

#[cfg(all(feature = "filesystem", not(unix)))]
compile_error!("the feature `filesystem` of onionskin needs a Unix system");

#[cfg(all(feature = "skills", not(unix)))]
compile_error!("the feature `skills` of onionskin needs a Unix system");

#[cfg(feature = "a2a")]
#[doc(inline)]
pub use onionskin_a2a as a2a;
#[cfg(feature = "acp")]
#[doc(inline)]
pub use onionskin_acp as acp;
#[cfg(any(feature = "filesystem", feature = "human-input", feature = "shell", feature = "skills"))]
#[doc(inline)]
pub use onionskin_builtins as builtin;
#[cfg(feature = "cli")]
#[doc(inline)]
pub use onionskin_cli as cli;
#[cfg(not(feature = "filesystem"))]
#[doc(hidden)]
pub use onionskin_core::__onionskin_filesystem;
#[cfg(any(not(feature = "mcp"), feature = "mcp-http"))]
#[doc(hidden)]
pub use onionskin_core::__onionskin_headers;
#[cfg(not(feature = "human-input"))]
#[doc(hidden)]
pub use onionskin_core::__onionskin_human;
#[cfg(not(feature = "genai"))]
#[doc(hidden)]
pub use onionskin_core::__onionskin_model;
#[cfg(not(feature = "shell"))]
#[doc(hidden)]
pub use onionskin_core::__onionskin_shell;
#[cfg(not(feature = "skills"))]
#[doc(hidden)]
pub use onionskin_core::__onionskin_skills;
#[doc(hidden)]
pub use onionskin_core::__private0;
#[doc(no_inline)]
pub use onionskin_core::BoxFuture;
#[doc(inline)]
pub use onionskin_core::{
    Abort, Agent, AgentHandle, AgentTool, App, Args, BuildError, Cache, CancellationToken, DynTool, Effect,
    ErrorKind, Exit, Hook, Inject, Model, Next, Progress, Provided, RunContext, RunError, RunOutput,
    ScriptedModel, ScriptedTurn, Secret, Session, SessionState, State, Stop, Strict, Tool, ToolContext,
    ToolDefinition, ToolError, ToolOutput, ToolResult, ToolSpec, Toolbox, agent, call, guardrail,
    message_hook, run_hook, tool, tool_hook, toolbox, turn_hook, ui_tool, workflow,
};
#[doc(inline)]
pub use onionskin_core::{
    approval, budget, checks, content, declaration, definition, event, export, forms, journal, made,
    message_hooks, model, prompt, question, run, run_hooks, secret, servers, services, sessions, spec, trace,
    turn_hooks, typed, ui,
};
#[cfg(feature = "genai")]
#[doc(inline)]
pub use onionskin_genai as genai;
#[cfg(feature = "loader")]
#[doc(inline)]
pub use onionskin_loader as loader;
#[cfg(feature = "mcp")]
#[doc(inline)]
pub use onionskin_mcp as mcp;
#[cfg(feature = "models")]
#[doc(inline)]
pub use onionskin_models as models;
#[cfg(feature = "otel")]
#[doc(inline)]
pub use onionskin_otel as otel;
#[cfg(feature = "rhai")]
#[doc(inline)]
pub use onionskin_rhai as rhai;
#[cfg(feature = "serve")]
#[doc(inline)]
pub use onionskin_serve as serve;
#[cfg(feature = "sqlite")]
#[doc(inline)]
pub use onionskin_sqlite as sqlite;
#[cfg(any(feature = "knowledge-base", feature = "web-search"))]
#[doc(inline)]
pub use onionskin_toolboxes as toolboxes;

/// Memories: what agents know in later sessions. A [`MemoryStore`](memory::MemoryStore) has them, and the ready sources
/// (feature `memory`) put them into prompts.
///
/// [`VolatileMemories`](memory::VolatileMemories) is a store in memory.
pub mod memory {
    #[doc(inline)]
    pub use onionskin_core::memory::{
        Memory, MemoryError, MemoryOwner, MemoryQuery, MemoryScope, MemoryStore, SearchTooLong,
        VolatileMemories, is_unspaced,
    };
    #[cfg(feature = "memory")]
    #[doc(inline)]
    pub use onionskin_toolboxes::{Culture, Learnings, MemoryHit, UserMemories};
}

/// Guardrails: checks of a tool's arguments before it runs, and of its result; and ready-made ones (feature `guardrails`), which
/// are run hooks too.
///
/// [`macro@guardrail`] makes a guardrail of a function; the traits are for those that are written by hand. A tool lists its
/// guardrails in `#[tool(input_guardrails = [..])]`. The `input_guardrails` and `output_guardrails` of an agent check the calls of
/// all its tools, whatever their source.
pub mod guardrails {
    #[doc(inline)]
    pub use onionskin_core::guardrails::{
        DynInputGuardrail, DynOutputGuardrail, InputGuardrail, InputGuardrails, OutputGuardrail,
        OutputGuardrails,
    };
    #[cfg(feature = "guardrails")]
    #[doc(inline)]
    pub use onionskin_guardrails::{
        MaskPii, Moderation, Pii, PiiKind, PiiMatch, RejectInjection, RejectPii, injection_score, max_answer,
        max_args, max_input, max_output,
    };
}

/// Ready-made hooks around tool calls. Each of [`log`](fn@hooks::log), [`timing`](fn@hooks::timing) and [`retry`](fn@hooks::retry)
/// is also an example of one form: an after hook, an around hook and a configured hook. The others need the feature `hooks`.
///
/// ```
/// use onionskin::{agent, hooks};
///
/// agent! {
///     Clerk {
///         instruction: "Answer.",
///         tool_hooks: [hooks::log, hooks::timing, hooks::retry(3)],
///     }
/// }
///
/// // The same hook, added at run time.
/// let builder = Clerk::builder().hook(hooks::retry::new(3));
/// # drop(builder);
/// ```
pub mod hooks {
    #[doc(inline)]
    pub use onionskin_core::hooks::{Elapsed, log, retry, timing};
    #[cfg(feature = "hooks")]
    #[doc(inline)]
    pub use onionskin_hooks::{
        CallKey, CircuitBreaker, CircuitOpen, CircuitPermit, OutcomeUnknown, RateLimit, RateLimitError,
        Redaction, SpillFolder, TooManyCallsError, TooManyKeysError, cache_results, cards, circuit_breaker,
        clamp_argument, concurrency, dedupe, rate_limit, read_spilled, redact, require_approval, spill,
        timeout,
    };
}

/// For unit tests of hooks and tools: the parts of a run that they need, without a run.
///
/// A hook is the function that you wrote, so a test calls it as one. [`next`](testing::next) takes the place of everything inside
/// of it, [`context`](testing::context) makes the call. [`model_suite`](testing::model_suite) tests a model of your own, [`memory_suite`](testing::memory_suite) a store of
/// memories, [`session_suite`](testing::session_suite) a store of sessions, and [`budget_suite`](testing::budget_suite) a store of budgets. `FakeServer` (feature `mcp`) is an MCP server of closures.
#[cfg(feature = "testing")]
pub mod testing {
    #[cfg(feature = "mcp")]
    #[doc(inline)]
    pub use onionskin_mcp::testing::{FakeAnswer, FakeServer};
    #[doc(inline)]
    pub use onionskin_testing::{
        CaseOutcome, ContextBuilder, Exchange, Reply, Scenario, SuiteReport, TestCall, budget_suite, context,
        memory_suite, model_suite, next, session_suite, typed_next,
    };
}
