//! The outline of a declaration, for the crate that writes agents as cards.

use std::any::TypeId;
use std::sync::Arc;

use crate::agent::parts::Parts;
use crate::agent::parts::server_pool::ServerData;
use crate::agent::parts::settings::Settings;
use crate::prompt::{PromptOutline, PromptPart};

use super::{AgentDeclaration, DynAgent};
pub use crate::agent::parts::declared_guardrail::RuleSource;
pub use crate::agent::parts::identities::{Around, FilterWord, Filtered, HookType};
use onionskin_definitions::definition::ToolDefinition;
pub use onionskin_tools::approval::Needed;
use onionskin_tools::onion::{RuntimeHooks, caught};

/// A declared agent as data. Functions and types are represented by their identities only.
#[doc(hidden)]
pub struct Outline {
    pub name: Arc<str>,
    pub origin: Origin,
    /// Whether a function runs it in place of the loop.
    pub runs_itself: bool,
    pub description: Option<String>,
    pub prompt: Vec<(PromptPart, PromptOutline)>,
    pub servers: Vec<(Arc<str>, Option<Vec<String>>)>,
    /// The headers of calls: the server, the name, and the value as a card has it, if a card can.
    pub headers: Vec<(Arc<str>, String, Option<String>)>,
    /// The patterns for resources and for prompts of servers.
    pub resources: Vec<(Arc<str>, Vec<String>)>,
    pub prompts: Vec<(Arc<str>, Vec<String>)>,
    pub built_in: Vec<Arc<str>>,
    /// The functions, each with its index in the list.
    pub tools: Vec<(usize, ToolDefinition)>,
    pub toolboxes: Vec<(HookType, Option<Arc<str>>)>,
    /// The hooks around calls, outermost first, each with its filter.
    pub hooks: Vec<(HookType, Option<Filtered>)>,
    /// The number of hooks outside the dynamic ones.
    pub seam: usize,
    /// The guardrails on arguments and on results, as `hooks`.
    pub input_guardrails: Vec<(HookType, Option<Filtered>)>,
    pub output_guardrails: Vec<(HookType, Option<Filtered>)>,
    /// The rules for approval, each with its filter.
    pub approval: Vec<(RuleSource, Option<Filtered>)>,
    pub around: Around,
    pub children: Vec<DynAgent>,
    pub state: Option<HookType>,
    pub input: Option<HookType>,
    pub output: Option<HookType>,
    pub settings: Settings,
}

/// The origin of a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[doc(hidden)]
pub enum Origin {
    /// `agent!`.
    Macro,
    /// `workflow!`: the declaration has options that only a workflow has, wordings of tools or a text that
    /// ends the runs.
    Workflow,
    /// A person. Such code can do anything.
    Hand,
}

impl Outline {
    /// The outline of an agent.
    ///
    /// # Errors
    /// Returns the text of a panic of the program's code.
    pub fn new(agent: &DynAgent) -> Result<Self, String> {
        let AgentDeclaration { parts: declaration, children } = caught(|| agent.declare())?;
        let tools = match declaration.onion {
            Some(onion) => caught(|| onion(RuntimeHooks::default()))?.definitions,
            None => Vec::new(),
        };
        let tools =
            tools.into_iter().map(|(index, tool)| Ok((index, tool.map_err(|wrong| wrong.to_string())?)));
        let tools = tools.collect::<Result<_, String>>()?;
        let Parts { compiled_hooks, toolboxes, servers, runtime_tools, .. } = &declaration;
        let no_state = TypeId::of::<()>();
        let state = HookType { id: agent.state.id(), name: agent.state.name(), has_values: false };
        let is_generated = declaration.onion.is_some()
            && declaration.tools.is_empty()
            && declaration.specs.is_empty()
            && declaration.hooks.is_empty()
            && declaration.messages.is_empty();
        let origin = if !is_generated {
            Origin::Hand
        } else if declaration.until.is_some() || !declaration.worded.is_empty() {
            Origin::Workflow
        } else {
            Origin::Macro
        };
        let data = |wanted: ServerData| {
            let data = declaration.server_data.iter().filter(|(_, data, _)| *data == wanted);
            data.map(|(server, _, filter)| (Arc::clone(server), filter.patterns().unwrap_or_default()))
                .collect()
        };
        Ok(Self {
            resources: data(ServerData::Resources),
            prompts: data(ServerData::Prompts),
            name: Arc::clone(&agent.name),
            origin,
            runs_itself: declaration.runs_itself,
            prompt: declaration.prompt.outline(),
            servers: servers.iter().map(|used| (Arc::clone(&used.name), used.filter.patterns())).collect(),
            headers: declaration
                .server_headers
                .iter()
                .map(|(server, header)| {
                    (Arc::clone(server), header.name().to_owned(), header.source().map(str::to_owned))
                })
                .collect(),
            built_in: runtime_tools.iter().map(|tool| Arc::clone(&tool.definition().name)).collect(),
            tools,
            toolboxes: toolboxes
                .iter()
                .map(|link| {
                    (HookType { id: link.id, name: link.name, has_values: false }, link.prefix.clone())
                })
                .collect(),
            hooks: compiled_hooks.iter().map(|hook| (hook.ty, hook.filtered())).collect(),
            seam: declaration.seam,
            input_guardrails: declaration.input_guardrails.iter().map(|one| (one.ty, one.filter)).collect(),
            output_guardrails: declaration.output_guardrails.iter().map(|one| (one.ty, one.filter)).collect(),
            approval: declaration.approval.into_iter().map(|one| (one.rule, one.filter)).collect(),
            around: declaration.around,
            children,
            state: (agent.state.id() != no_state).then_some(state),
            input: declaration.input.map(|(ty, _)| ty),
            output: declaration.output.map(|(ty, _)| ty),
            settings: declaration.settings,
            description: declaration.description,
        })
    }
}
