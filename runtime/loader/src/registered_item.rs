//! What is registered under a name.

use std::any::TypeId;
use std::sync::Arc;

use onionskin_cards::{Kind, ValueKind};
use onionskin_core::__private0::outline::Needed;
use onionskin_core::declaration::{AgentDeclaration, CallFilter, DynAgent, RunFn};
use onionskin_core::prompt::{Prompt, PromptPart};
use onionskin_core::{Effect, ToolContext, ToolDefinition};
use serde_json::Value;

use crate::values::Unfit;

/// Adds a tool to a declaration.
pub(crate) type AddTool = Arc<dyn Fn(AgentDeclaration) -> AgentDeclaration + Send + Sync>;

/// Adds a toolbox with a prefix.
pub(crate) type AddToolbox = fn(AgentDeclaration, Option<&str>) -> AgentDeclaration;

/// Whether a call goes to a toolbox with this prefix.
pub(crate) type IsOfToolbox = fn(&ToolContext, Option<&str>) -> bool;

/// An item of the program.
#[derive(Clone)]
pub(crate) enum RegisteredItem {
    Tool {
        name: Arc<str>,
        add: AddTool,
        definition: Option<fn() -> ToolDefinition>,
    },
    Toolbox {
        add: AddToolbox,
        is_of: IsOfToolbox,
        /// The names of its tools, without a prefix.
        tools: &'static [&'static [&'static str]],
        id: TypeId,
    },
    /// A hook or a guardrail, for each kind that it is registered as, the first one first. There is at least one.
    Hook(Vec<(Kind, RegisteredHook)>),
    Text(Arc<dyn Fn(Prompt, PromptPart) -> Prompt + Send + Sync>),
    Strategy(RunFn),
    /// A rule for approval.
    Rule(Needed),
    Type(RegisteredType),
    Agent(DynAgent),
}

/// Adds a hook with values that fit its types.
pub(crate) type AddHook =
    dyn Fn(AgentDeclaration, &[Value], Option<CallFilter>) -> AgentDeclaration + Send + Sync;

/// A hook or a guardrail of any kind.
#[derive(Clone)]
pub(crate) struct RegisteredHook {
    /// The hook's type; none for a script.
    pub(crate) id: Option<TypeId>,
    /// The values that it takes: each with its name, and with its kind if a card can be held to it.
    pub(crate) takes: Vec<(String, Option<ValueKind>)>,
    /// Whether these values fit the types of the hook.
    pub(crate) check: fn(&[Value]) -> Result<(), Unfit>,
    /// Whether values that fit its types make a hook that does something. Only ready hooks know it before the agent is built.
    pub(crate) check_use: fn(&[Value]) -> Result<(), Unfit>,
    /// Whether it acts on tools with `effect = pure` only.
    pub(crate) is_for_pure: bool,
    /// The place on the way of messages that it runs at, if it is one.
    pub(crate) place: Option<&'static str>,
    /// Adds the hook with values that fit. Only hooks around tool calls, and guardrails, have a filter.
    pub(crate) add: Arc<AddHook>,
}

/// A type, for as many uses as it is registered for.
#[derive(Clone, Default)]
pub(crate) struct RegisteredType {
    pub(crate) id: Option<TypeId>,
    pub(crate) state: Option<RegisteredState>,
    pub(crate) input: Option<fn(AgentDeclaration) -> AgentDeclaration>,
    pub(crate) output: Option<fn(AgentDeclaration) -> AgentDeclaration>,
}

/// A type of state.
#[derive(Clone)]
pub(crate) struct RegisteredState {
    pub(crate) with_state: fn(DynAgent) -> DynAgent,
    pub(crate) methods: Vec<fn(AgentDeclaration) -> AgentDeclaration>,
    /// Whether texts can show its fields.
    pub(crate) is_recorded: bool,
}

impl RegisteredItem {
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Tool { .. } => Kind::Tool,
            Self::Toolbox { .. } => Kind::Toolbox,
            Self::Hook(uses) => uses.first().map_or(Kind::ToolHook, |(kind, _)| *kind),
            Self::Text(_) => Kind::Text,
            Self::Strategy(_) => Kind::Strategy,
            Self::Rule(_) => Kind::ApprovalRule,
            Self::Type(_) => Kind::Type,
            Self::Agent(_) => Kind::Agent,
        }
    }

    /// Whether a card may name the item where it wants this kind.
    pub(crate) fn is_of(&self, wanted: Kind) -> bool {
        match self {
            Self::Hook(_) => self.hook(wanted).is_some(),
            Self::Tool { .. }
            | Self::Toolbox { .. }
            | Self::Text(_)
            | Self::Strategy(_)
            | Self::Rule(_)
            | Self::Type(_)
            | Self::Agent(_) => wanted.accepts(self.kind()),
        }
    }

    /// Whether it is a tool that says that it changes nothing. Scripts cannot say it.
    pub(crate) fn is_pure_tool(&self) -> bool {
        matches!(self, Self::Tool { definition: Some(definition), .. } if definition().effect == Effect::Pure)
    }

    /// The hook or the guardrail of this kind.
    pub(crate) fn hook(&self, wanted: Kind) -> Option<&RegisteredHook> {
        let Self::Hook(uses) = self else { return None };
        uses.iter().find(|(kind, _)| wanted.accepts(*kind)).map(|(_, hook)| hook)
    }
}
