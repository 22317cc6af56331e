//! The parts of a declaration except its children. The declaration of an agent and the built agent contain
//! them.

pub(super) mod compiled_hook;
pub(super) mod compiled_onion;
pub(super) mod declared_guardrail;
pub(crate) mod header_template;
pub(super) mod hook_names;
pub(super) mod identities;
pub(super) mod run_header;
pub(super) mod server_pool;
pub(super) mod servers;
pub mod settings;
pub(super) mod strategy;
pub(super) mod tool_filter;
mod worded;

use std::any::TypeId;
use std::borrow::Cow;
use std::sync::Arc;

use onionskin_definitions::requirements::StateType;
use onionskin_definitions::secret::StateVisitor;
use onionskin_tools::model::{BoxModel, Message};
use onionskin_tools::onion::DynHook;
use onionskin_tools::policy::{DynInputGuardrail, DynOutputGuardrail};
use onionskin_tools::services::ServiceTypes;
use onionskin_tools::spec::ToolSpec;
use onionskin_tools::state::StateCodec;
use onionskin_tools::tool::{DynTool, ToolboxLink};

use crate::agent::form::answer_form::AnswerForm;
use crate::agent::form::input_form::InputForm;
use crate::agent::parts::compiled_hook::CompiledHook;
use crate::agent::parts::compiled_onion::OnionBuilder;
use crate::agent::parts::declared_guardrail::{DeclaredApproval, DeclaredGuardrail};
use crate::agent::parts::identities::{Around, HookType};
use crate::agent::parts::run_header::RunHeader;
use crate::agent::parts::server_pool::{ServerData, ServerUse};
use crate::agent::parts::servers::ToolServers;
use crate::agent::parts::settings::Settings;
use crate::agent::parts::tool_filter::ToolFilter;
use crate::agent::parts::worded::Worded;
use crate::message_hook::DynMessageHook;
use crate::prompt::Prompt;
use crate::run_hook::DynRunHook;
use crate::turn_hook::DynTurnHook;

/// The declaration of an agent, except its children.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) description: Option<String>,
    pub(super) prompt: Prompt,
    pub(super) servers: Vec<ServerUse>,
    /// Headers of calls, each with its server.
    pub(super) server_headers: Vec<(Arc<str>, RunHeader)>,
    /// The resources and prompts of servers that tools read, each with its server.
    pub(super) server_data: Vec<(Arc<str>, ServerData, ToolFilter)>,
    pub(super) server_snapshot: Option<Cow<'static, str>>,
    pub(super) default_servers: Option<Arc<dyn ToolServers>>,
    pub(super) runtime_tools: Vec<Arc<dyn DynTool>>,
    pub(super) tools: Vec<(&'static str, Arc<dyn DynTool>)>,
    /// The tools that hooks and sources of the prompt bring, after those.
    pub(super) brought: Vec<BroughtTool>,
    pub(super) worded: Worded,
    pub(super) toolboxes: Vec<ToolboxLink>,
    /// Tool values, after the other tools.
    pub(super) specs: Vec<ToolSpec>,
    pub(super) hooks: Vec<Arc<dyn DynHook>>,
    /// The hooks among them that also see the calls of descendants.
    pub(super) reaching: Vec<Arc<dyn DynHook>>,
    /// The number of these hooks outside the builder's.
    pub(super) outside: usize,
    pub(super) input_guardrails: Vec<DeclaredGuardrail<dyn DynInputGuardrail>>,
    pub(super) output_guardrails: Vec<DeclaredGuardrail<dyn DynOutputGuardrail>>,
    pub(super) approval: Vec<DeclaredApproval>,
    /// A guardrail or a rule for approval among them whose filter is for hooks only.
    pub(super) guardrail_everywhere: Option<String>,
    pub(super) run_hooks: Vec<Arc<dyn DynRunHook>>,
    pub(super) turn_hooks: Vec<Arc<dyn DynTurnHook>>,
    pub(super) message_hooks: Vec<Arc<dyn DynMessageHook>>,
    /// The types of these three.
    pub(super) around: Around,
    /// The states that the hooks take, by the hook's type.
    pub(super) hook_states: Vec<(&'static str, Vec<StateType>)>,
    /// The states of hooks that also see the calls of descendants.
    pub(super) reaching_states: Vec<(&'static str, Vec<StateType>)>,
    /// Names in filters of hooks that only a built agent can resolve, as pairs of hook and tool.
    pub(super) filter_names: Vec<(&'static str, Cow<'static, str>)>,
    pub(super) onion: Option<OnionBuilder>,
    /// Whether `agent!` has a function that runs the agent.
    pub(super) runs_itself: bool,
    /// The compiled hooks, outermost first.
    pub(super) compiled_hooks: Vec<CompiledHook>,
    /// The number of compiled hooks outside the dynamic ones.
    pub(super) seam: usize,
    /// The services that the agent's own code takes.
    pub(super) services: ServiceTypes,
    pub(super) state_visitor: Option<StateVisitor>,
    pub(super) state_codec: Option<StateCodec>,
    pub(super) default_model: Option<BoxModel>,
    pub(super) settings: Settings,
    /// The model that reads the typed answer out of the text of the agent's model.
    pub(super) parser: Option<BoxModel>,
    /// The type of the input.
    pub(super) input: Option<(HookType, fn() -> InputForm)>,
    /// The type of the answers.
    pub(super) output: Option<(HookType, fn() -> AnswerForm)>,
    pub(super) messages: Vec<Message>,
    /// The text in an answer that ends a run.
    pub(super) until: Option<Arc<str>>,
    /// The changes of a builder, recorded while it changes the declaration.
    pub(super) changed: Option<Changed>,
}

impl Parts {
    /// Whether another model reads the typed answer out of the text of the agent's model.
    pub(super) fn has_parser(&self) -> bool {
        self.parser.is_some() || self.settings.parser_model.is_some()
    }

    /// Whether hooks or guardrails run around its calls, turns, messages or runs.
    pub(super) fn has_code_around(&self) -> bool {
        !(self.hooks.is_empty()
            && self.compiled_hooks.is_empty()
            && self.input_guardrails.is_empty()
            && self.output_guardrails.is_empty()
            && self.run_hooks.is_empty()
            && self.turn_hooks.is_empty()
            && self.message_hooks.is_empty())
    }
}

/// A tool that a hook or a source of the prompt brings.
#[derive(Clone)]
pub(super) struct BroughtTool {
    pub(super) hook: String,
    pub(super) name: &'static str,
    pub(super) ty: TypeId,
    pub(super) tool: Arc<dyn DynTool>,
    /// The text for the system prompt of a toolbox whose first tool it is.
    pub(super) instructions: Option<&'static str>,
}

/// The changes of a builder to a declaration.
#[derive(Default)]
pub(super) struct Changed {
    /// The parts that replace parts of the declared prompt.
    pub(super) prompt: Prompt,
    /// Whether it set the initial messages.
    pub(super) messages: bool,
}
