//! The items that macro expansions call.

pub mod keys;

pub use std::borrow::{Cow, ToOwned};
pub use std::collections::BTreeMap;
pub use std::option::Option::{self, None, Some};
pub use std::result::Result::{self, Err, Ok};
pub use std::string::String;
pub use std::sync::{Arc, OnceLock};
pub use std::time::Duration;
pub use std::vec::Vec;

pub use futures_util::future::{BoxFuture, lazy};
pub use onionskin_macros::main;
pub use serde_json::{Error as JsonError, Value, to_value};
pub use tokio::task::spawn_blocking;

pub use crate::agent::declaration::declared_settings::with_settings;
pub use crate::agent::declaration::outline::{self, FilterWord};
pub use crate::agent::parts::header_template::{HeaderPart, header, header_of_session};
pub use crate::agent::parts::settings;
pub use crate::agent::{
    Agent, AgentBuilder, AgentDeclaration, AgentRun, App, AppBuilder, BuildError, CallFilter,
    HistoryMergeTarget, HistorySource, Limits, Lock, Onion, PromptOrder, RunError, RunStream, StrategyAnswer,
    TypedAgent, TypedRunOutput, TypedRunStream,
};
pub use crate::checks::{
    ArgumentsWrittenAgain, BeforeTypedHooks, ChildNamedOnce, DescribedChild, HasEachValue, HasNoMoreValues,
    HasPart, HasToolMethod, HookMadeBy, HookOfOnce, HookOfUnstated, HookOnOwnTool, InputOfAgent, MadeBy,
    MoreThanZero, NamedAsItIs, NamedInLists, NamedUnlikeFunctions, NamedUnlikeToolboxes, OneEnum,
    OutputOfAgent, OwnHook, ReadAgain, Repeats, RepeatsNothing, SecretInHeader, SentAsResult, SharedByCalls,
    ShownInPrompt, TextInCard, ToolNamedOnce, UntypedEverywhere, WrittenAgain, approval_by,
};
pub use crate::forms::{
    AfterOwned, AfterReturn, AfterRunReturn, AfterTarget, AroundReturn, BeforeModelReturn, BeforeReplyReturn,
    BeforeReturn, BeforeRunReturn, BeforeSendReturn, BeforeToolReturn, GuardedOutput, InjectAnswer,
    InjectArgs, InjectContext, InjectInput, InjectName, InputReturn, OutputGiven, OutputReturn, Seconds,
    SeenArgs, Text, TurnHookReturn, TypedArgs, TypedReturn,
};
pub use crate::message_hook::{Delivery, MessageHook, Participant, SentMessage};
pub use crate::prompt::{
    Computed, ComputedNow, ComputedText, Prompt, PromptAnswer, PromptPart, TemplatePart, by_closure,
    computed, template,
};
pub use crate::run_hook::{RunAnswer, RunHook, RunInput};
pub use crate::turn_hook::{CompletedTurn, TurnHook, TurnRequest, TurnToolCall};
pub use onionskin_definitions::args::Args;
pub use onionskin_definitions::definition::ToolSource;
pub use onionskin_definitions::definition::{
    Alias, Annotations, ArgLimit, Asks, Defined, Effect, ErrorText, Failed, FromText, Kind, Layers, Lent,
    NoAlias, Param, Raw, Reading, Returned, SentToCalls, ShownToModel, Slots, StaticTool, ToolArg,
    ToolDefinition, ToolExample, ToolParameter, ToolReturn, ToolWords, UiMode, check_args, encode, failed,
    ladder, lend, read, reads, schema_of,
};
pub use onionskin_definitions::error::{Abort, BoxError, Exit, ToolError, ToolResult};
pub use onionskin_definitions::output::ToolOutput;
pub use onionskin_definitions::requirements::StateType;
pub use onionskin_definitions::secret::{VisitNone, VisitSecrets, Visited};
pub use onionskin_definitions::strict::{
    CheckedFields, Strict, StrictFields, StrictParameter, strict, strict_fields,
};
use onionskin_definitions::text::same;
pub use onionskin_tools::context::{Inject, InjectInRun, RunContext, State, ToolContext};
pub use onionskin_tools::context::{bound, conceal};
pub use onionskin_tools::event::RunOutput;
pub use onionskin_tools::model::{
    History, Message, ModelResponse, ReasoningEffort, RequestParams, ServiceTier, ToolResultMessage,
    Verbosity,
};
pub use onionskin_tools::onion::{
    AgentGuards, Bulkhead, ByDefault, Call, Compiled, Core, Definitions, Hook, InnerNext, Is, Known, Next,
    RuntimeHooks, Seam, StateOf, Values, call_dynamic, call_tool, has_each, has_no_more, short_name,
    trace_hook, traced_next, value_count,
};
pub use onionskin_tools::policy::{Cache, InputGuardrail, OutputGuardrail, ToolPolicy, keyed, recover};
pub use onionskin_tools::question::AskError;
pub use onionskin_tools::services::ServiceTypes;
pub use onionskin_tools::spec::ToolSpec;
pub use onionskin_tools::spec::ToolboxTools;
pub use onionskin_tools::state::{PlainState, StateKind};
pub use onionskin_tools::tool::{
    Body, BothStates, DynTool, FitsState, FitsTool, Function, Make, Own, ReachesInner, Tool, Toolbox,
    ToolboxPart, Works, can_be_shared, offload, schema_by,
};
pub use onionskin_tools::tool::{Nth, Same, Veiled, is_method, is_of_toolbox, tool_of_method};
pub use onionskin_tools::typed::{
    EncodedArgs, EndRing, Ring, RingOf, TypedCall, TypedHook, TypedLayer, TypedNext, TypedTool, defined,
    finish_typed, run_in, through,
};

/// The number of the first entry whose name repeats an earlier one; [`NO_CLASH`] if all differ. It compares
/// hashes first: pairwise comparison of a hundred names would be noticeably slow in the compiler's
/// interpreter.
pub const fn first_clash(names: &[(usize, &str)]) -> usize {
    let mut visited = [false; 1024];
    let mut at = 0;
    while at < names.len() {
        let place = hash(names[at].1.as_bytes()) % visited.len();
        let mut before = if visited[place] { 0 } else { at };
        while before < at {
            if same(names[before].1, names[at].1) {
                return names[at].0;
            }
            before += 1;
        }
        visited[place] = true;
        at += 1;
    }
    NO_CLASH
}

const fn hash(bytes: &[u8]) -> usize {
    let mut hash = 0_usize;
    let mut at = 0;
    while at < bytes.len() {
        hash = hash.wrapping_mul(31).wrapping_add(bytes[at] as usize);
        at += 1;
    }
    hash
}

/// Returned by [`first_clash`] if all names differ.
pub const NO_CLASH: usize = usize::MAX;

/// The prefix of a toolbox, empty without one, and the names of its tools, block by block.
pub type Prefixed = (&'static str, &'static [&'static [&'static str]]);

/// Whether the names of a toolbox's tools differ from those of the agent's functions.
pub const fn unlike_functions(functions: &[(usize, &str)], (prefix, blocks): Prefixed) -> bool {
    let mut at = 0;
    while at < functions.len() {
        if holds((prefix, blocks), ("", functions[at].1)) {
            return false;
        }
        at += 1;
    }
    true
}

/// Whether the names of a toolbox's tools differ from those of earlier toolboxes.
pub const fn unlike_toolboxes(before: &[Prefixed], (prefix, blocks): Prefixed) -> bool {
    let mut block = 0;
    while block < blocks.len() {
        let mut at = 0;
        while at < blocks[block].len() {
            let mut other = 0;
            while other < before.len() {
                if holds(before[other], (prefix, blocks[block][at])) {
                    return false;
                }
                other += 1;
            }
            at += 1;
        }
        block += 1;
    }
    true
}

const fn holds((prefix, blocks): Prefixed, name: (&str, &str)) -> bool {
    let mut block = 0;
    while block < blocks.len() {
        let mut at = 0;
        while at < blocks[block].len() {
            if same_prefixed((prefix, blocks[block][at]), name) {
                return true;
            }
            at += 1;
        }
        block += 1;
    }
    false
}

/// Whether two names of the form `prefix_name` are equal.
const fn same_prefixed(a: (&str, &str), b: (&str, &str)) -> bool {
    let (a, b) = ([a.0.as_bytes(), a.1.as_bytes()], [b.0.as_bytes(), b.1.as_bytes()]);
    let length = prefixed_length(a);
    if length != prefixed_length(b) {
        return false;
    }
    let mut at = 0;
    while at < length {
        if prefixed_byte(a, at) != prefixed_byte(b, at) {
            return false;
        }
        at += 1;
    }
    true
}

const fn prefixed_length([prefix, name]: [&[u8]; 2]) -> usize {
    if prefix.is_empty() { name.len() } else { prefix.len() + 1 + name.len() }
}

const fn prefixed_byte([prefix, name]: [&[u8]; 2], at: usize) -> u8 {
    if prefix.is_empty() {
        name[at]
    } else if at < prefix.len() {
        prefix[at]
    } else if at == prefix.len() {
        b'_'
    } else {
        name[at - prefix.len() - 1]
    }
}

/// The name of the tool of a typed hook.
pub const fn name_of_typed<T: TypedTool>() -> &'static str {
    T::NAME
}

/// Whether the tool of a typed hook is one of these; true for other hooks.
pub const fn is_own_tool(tools: &[(usize, &str)], of_hook: Option<&str>) -> bool {
    let Some(name) = of_hook else { return true };
    let mut at = 0;
    while at < tools.len() {
        if same(tools[at].1, name) {
            return true;
        }
        at += 1;
    }
    false
}

/// Whether no typed hook precedes this entry, or the entry is a typed hook.
pub const fn is_outside(typed: &[(usize, bool)], index: usize) -> bool {
    let mut own = false;
    let mut before = false;
    let mut at = 0;
    while at < typed.len() {
        if typed[at].0 == index {
            own = typed[at].1;
        }
        if typed[at].0 < index {
            before |= typed[at].1;
        }
        at += 1;
    }
    own || !before
}

/// Deserialises a setting of a card, which the macro wrote as JSON.
#[cfg(feature = "cards")]
pub fn json<T: serde::de::DeserializeOwned>(text: &'static str) -> T {
    serde_json::from_str(text).expect("the macro writes what the field holds")
}

/// Whether a call goes to this child agent.
pub fn is_child(cx: &ToolContext, name: &str) -> bool {
    cx.source() == ToolSource::Agent && cx.tool_name() == onionskin_vocabulary::agent_tool(name)
}

// The facade overrides these macros when its features are enabled.

/// Sets the provider of the model that an agent names.
#[doc(hidden)]
#[macro_export]
macro_rules! __onionskin_model {
    ($agent:ident) => {
        $agent
    };
}

/// Sets the servers that an agent finds without a configuration.
#[doc(hidden)]
#[macro_export]
macro_rules! __onionskin_servers {
    ($agent:ident $missing:literal) => {
        $agent
    };
}

/// Reports the missing feature if an agent has headers for its servers.
#[doc(hidden)]
#[macro_export]
macro_rules! __onionskin_headers {
    ($agent:ident $missing:literal) => {
        $agent
    };
}

/// Reports the missing feature if an agent names `human.input`.
#[doc(hidden)]
#[macro_export]
macro_rules! __onionskin_human {
    ($agent:ident $tool:ident $missing:literal) => {{
        ::core::compile_error!($missing);
        $agent
    }};
}

/// Reports the missing feature if an agent names one of `filesystem.*`.
#[doc(hidden)]
#[macro_export]
macro_rules! __onionskin_filesystem {
    ($agent:ident $tool:ident $missing:literal) => {{
        ::core::compile_error!($missing);
        $agent
    }};
}

/// Reports the missing feature if an agent names `skills.read`.
#[doc(hidden)]
#[macro_export]
macro_rules! __onionskin_skills {
    ($agent:ident $tool:ident $missing:literal) => {{
        ::core::compile_error!($missing);
        $agent
    }};
}

/// Reports the missing feature if an agent names `shell.execute`.
#[doc(hidden)]
#[macro_export]
macro_rules! __onionskin_shell {
    ($agent:ident $tool:ident $missing:literal) => {{
        ::core::compile_error!($missing);
        $agent
    }};
}
