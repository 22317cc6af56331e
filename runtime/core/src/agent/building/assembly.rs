//! Builds agents from their declarations.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use onionskin_definitions::definition::{Asks, ToolDefinition, ToolSource};
use onionskin_definitions::requirements::StateType;
use onionskin_definitions::secret::keys_of_environment;
use onionskin_tools::context::{AgentInfo, Guards, Target, ToolEntry};
use onionskin_tools::model::BoxModel;
use onionskin_tools::onion::{Definitions, NoCore, RuntimeHooks, Seam, Undefined, caught, define};
use onionskin_tools::spec::ToolSpec;
use onionskin_tools::tool::{DynTool, Dynamic, ToolboxLink};

use crate::agent::built::instance::Instance;
use crate::agent::built::prompt::AgentPrompt;
use crate::agent::built::services::{AgentServices, ProvidedServices};
use crate::agent::built::shared::Shared;
use crate::agent::built::tool_checks;
use crate::agent::built::tool_list::{Owner, ToolList};
use crate::agent::built::toolboxes::add_instructions;
use crate::agent::callers::built::Built;
use crate::agent::callers::child_tool::ChildTool;
use crate::agent::callers::handle::AgentHandle;
use crate::agent::declaration::{AgentDeclaration, AgentId, DynAgent};
use crate::agent::error::build_error::BuildError;
use crate::agent::form::answer_form::AnswerForm;
use crate::agent::form::input_form::InputForm;
use crate::agent::parts::compiled_onion::{Onion, OnionBuilder};
use crate::agent::parts::hook_names::NotRepeated;
use crate::agent::parts::settings::{Lock, Settings};
use crate::agent::parts::{BroughtTool, Parts};
use crate::message_hook::MessageHooks;

use super::declared::Declared;
use super::hook_tools;
use super::preflight;
use super::setup::Setup;

impl Setup {
    /// Builds the entries with their children. A server that several agents use is started once.
    pub(super) async fn build(mut self) -> Result<Vec<AgentHandle>, BuildError> {
        let mut declared = self.declared()?;
        for Declared { agent, declaration, .. } in declared.iter().rev() {
            if let Some(state) =
                self.shared.states.get_mut(&agent.state.id()).filter(|_| !agent.state.is_none())
            {
                state.is_declared = true;
                state.visitor = declaration.parts.state_visitor.or(state.visitor);
                state.codec = declaration.parts.state_codec.or(state.codec);
            }
        }
        for (state, _) in &self.unstored {
            if let Some(state) = self.shared.states.get_mut(state) {
                state.is_unstored = true;
            }
        }
        self.services.allows_unused = self.allows_unused;
        // Sessions contain these states too, because an agent that is loaded later can use the session.
        for state in self.shared.states.values_mut().filter(|state| !state.is_declared) {
            state.visitor = Some(state.state.visitor_by_copy());
        }
        hook_tools::bring(&mut declared)?;
        let problems = preflight::problems(&self, &declared);
        let mut uses = BTreeSet::new();
        for Declared { agent, declaration, .. } in declared.iter_mut().rev() {
            let names = declaration.parts.servers.iter().map(|server| Arc::clone(&server.name));
            uses.extend(names.map(|server| (server, Arc::clone(&agent.name))));
            self.servers.default = self.servers.default.take().or(declaration.parts.default_servers.take());
        }
        let Self {
            entries,
            model,
            mut shared,
            trace_content,
            services,
            servers,
            allows_unused,
            default_answerer,
            ..
        } = self;
        shared.servers = servers.start(&uses, allows_unused, problems).await?;
        shared.secrets.extend(keys_of_environment().iter().cloned());
        let mut assembly =
            Assembly { shared, model, trace_content, services, built: HashMap::new(), problems: Vec::new() };
        for agent in declared {
            assembly.build(agent)?;
        }
        let Assembly { mut shared, services, built, mut problems, .. } = assembly;
        services.unused(built.values().map(|agent| &agent.services), &mut problems);
        if !allows_unused {
            nothing_asks(&shared, || built.values().map(|agent| &**agent), &mut problems);
        }
        shared.answerer = shared.answerer.or(default_answerer);
        BuildError::all(problems)?;
        let shared = Arc::new(shared);
        let handle = |agent: &DynAgent| {
            AgentHandle(Built {
                instance: Arc::clone(&built[&agent.id]),
                run: agent.run,
                shared: Arc::clone(&shared),
            })
        };
        Ok(entries.iter().map(handle).collect())
    }
}

struct Assembly {
    shared: Shared,
    model: Option<BoxModel>,
    trace_content: bool,
    services: ProvidedServices,
    /// An agent that several others call is built once.
    built: HashMap<AgentId, Arc<Instance>>,
    /// Services that were not provided.
    problems: Vec<BuildError>,
}

impl Assembly {
    /// Builds an agent whose children are built.
    #[allow(clippy::too_many_lines, reason = "each step needs what the ones before it made")]
    fn build(&mut self, declared: Declared) -> Result<(), BuildError> {
        let Declared { agent: DynAgent { id, name, state, .. }, declaration, .. } = declared;
        let AgentDeclaration { parts: mut declaration, children } = *declaration;
        let (input, answer) = typed(&name, &declaration)?;
        let child = |child: &DynAgent| {
            ChildTool::new(Arc::clone(&self.built[&child.id]), child.run, declaration.settings.clone())
        };
        let children: Vec<_> = children.iter().map(child).collect();
        let needs = needs(&name, state, &children);
        let mut guardrails = declaration.take_guardrails();
        guardrails.hooks_that_ask =
            caught(|| declaration.hooks_that_ask()).map_err(|reason| BuildError::declaring(&name, reason))?;
        let guardrails = Arc::new(guardrails);
        let hooks = RuntimeHooks::new(declaration.hooks.iter().cloned().collect());
        let mut services = AgentServices::new(&self.services);
        services
            .add_declared(&name, &declaration, &guardrails)
            .map_err(|reason| BuildError::declaring(&name, reason))?;
        // The hooks' own code returns their places.
        let message_hooks = MessageHooks::new(&name, declaration.message_hooks.clone())
            .map_err(|reason| BuildError::declaring(&name, reason))?;
        for child in &children {
            services.add_child(&child.child.services);
        }
        let compiled = hooks.clone();
        let onion = onion(&name, declaration.onion, hooks)?;
        let reaches = compiled.reaching().into_iter().chain(declaration.reaching.iter().cloned()).collect();
        let info = AgentInfo::new(
            Arc::clone(&name),
            declaration.description.as_deref().map(Into::into),
            children.iter().map(|child| Arc::clone(&child.child.name)).collect(),
        );
        let undefined = |problem| preflight::undefined(&name, problem);
        tool_checks::declared_states(&name, state, &declaration.tools, &declaration.runtime_tools)?;
        let fixed = caught(|| fixed_entries(onion.definitions, &declaration, children));
        let mut fixed = fixed.map_err(|reason| BuildError::declaring(&name, reason))?.map_err(undefined)?;
        for toolbox in &declaration.toolboxes {
            fixed.extend(self.toolbox_entries(&name, state, toolbox)?);
        }
        let tools = std::mem::take(&mut declaration.specs);
        tools
            .iter()
            .try_for_each(|tool| tool_checks::state(&name, state, tool.name(), tool.state_types()))?;
        preflight::names(&name, &fixed, &tools)?;
        let brought = std::mem::take(&mut declaration.brought);
        let others: Vec<_> =
            fixed.iter().map(|tool| &*tool.name).chain(tools.iter().map(ToolSpec::name)).collect();
        hook_tools::check(&name, &brought, &others)?;
        for BroughtTool { name: named, tool, instructions, .. } in brought {
            tool_checks::states(&name, state, [&(named, Arc::clone(&tool))])?;
            let mut definition = define(named, &|| tool.definition()).map_err(undefined)?;
            if let Some(text) = instructions {
                add_instructions(&mut definition, text);
            }
            let target = Dynamic::target(tool);
            let named = Arc::clone(&definition.name);
            fixed.push(ToolEntry::new(named, ToolSource::Function, None, definition, target));
        }
        for tool in &tools {
            if let Some(hook) = tool.repeats_in_vain() {
                let (agent, tool, effect) =
                    (name.to_string(), tool.name().to_owned(), tool.definition().effect);
                self.problems.push(BuildError::NotRepeated { agent, hook, tool, effect });
            }
        }
        fixed.extend(tools.into_iter().map(ToolSpec::into_entry));
        fixed.iter().try_for_each(|tool| tool_checks::definition(&name, &tool.definition))?;
        let (snapshot, is_strict) =
            (declaration.server_snapshot.as_deref(), declaration.settings.lock == Lock::Strict);
        let servers = self.shared.servers.providers(&name, &declaration, snapshot, is_strict)?;
        let guards = (!guardrails.is_empty()).then(|| Arc::clone(&guardrails) as Arc<dyn Guards>);
        let owner = Owner { agent: Arc::clone(&name), state, provided: self.services.clone(), guards };
        let model = self.model.as_ref().or(declaration.default_model.as_ref()).cloned();
        let model = model.ok_or_else(|| BuildError::NoModel { agent: name.to_string() })?;
        let changed = declaration.changed.take().unwrap_or_default();
        let prompt = AgentPrompt::merged(&name, std::mem::take(&mut declaration.prompt), changed.prompt)?
            .or_order(declaration.settings.prompt_order);
        let prompt =
            caught(|| AgentPrompt::new(info.clone(), &model, (state, declaration.state_codec), prompt))
                .map_err(|reason| BuildError::declaring(&name, reason))??;
        let tools = ToolList::new(owner, prompt, fixed, servers);
        // Later problems come from servers, and are reported as events.
        let table = tools.first_table()?;
        let has_servers = !declaration.servers.is_empty();
        // Custom sources can add a tool that asks later. An MCP server asks with all of its tools, or with none.
        let asks = if tools.has_other_servers() { Asks::More } else { table.asks() };
        let is_whole = !has_servers && !tools.has_other_servers();
        if let Some(NotRepeated { hook, tool }) = declaration.not_repeated(table.entries(), is_whole) {
            let (agent, effect) = (name.to_string(), tool.definition.effect);
            self.problems.push(BuildError::NotRepeated { agent, hook, tool: tool.name.to_string(), effect });
        }
        let Settings { request_params, model: requested, .. } = &declaration.settings;
        preflight::request_params(
            &name,
            request_params,
            (&model, requested.as_deref()),
            &table,
            has_servers,
        )?;
        preflight::filters(&name, &declaration.filter_names, &table, &tools)?;
        for tool in table.entries() {
            services.add_tool(&name, tool);
        }
        services.missing(&name, state, &mut self.problems);
        let instance = Instance {
            info,
            model,
            input,
            answer,
            onion: onion.entry,
            core: onion.core,
            guardrails,
            reaches,
            message_hooks: Mutex::new(message_hooks),
            state,
            needs,
            services,
            messages: std::mem::take(&mut declaration.messages).into(),
            asks,
            trace_content: self.trace_content,
            tools,
            name,
            declaration,
        };
        self.built.insert(id, Arc::new(instance));
        Ok(())
    }

    /// The tools of a toolbox that an agent declares.
    fn toolbox_entries(
        &self,
        agent: &str,
        state: StateType,
        toolbox: &ToolboxLink,
    ) -> Result<Vec<ToolEntry>, BuildError> {
        let provided = self.shared.toolboxes.get(toolbox).ok_or_else(|| BuildError::NoToolbox {
            agent: agent.to_owned(),
            toolbox: toolbox.name,
            call: toolbox.call(),
        })?;
        tool_checks::states(agent, state, &provided.tools)?;
        provided.entries(toolbox.prefix.as_deref()).map_err(|problem| preflight::undefined(agent, problem))
    }
}

/// Finds an approver or an answerer that nothing needs. Hooks and guardrails, also those of tools, can ask without a declaration.
fn nothing_asks<'i, I: Iterator<Item = &'i Instance>>(
    shared: &Shared,
    agents: impl Fn() -> I,
    problems: &mut Vec<BuildError>,
) {
    let asks = agents().any(|agent| agent.asks != Asks::Nothing);
    if shared.approver.is_some() && !asks {
        problems.push(BuildError::NothingAsks {
            call: ".approver(..)",
            reason: "no tool needs approval",
            advice: "write `#[tool(approval)]` at one",
        });
    }
    let could_ask = |agent: &Instance| {
        let has_code = |tool: &ToolEntry| !matches!(tool.source, ToolSource::Agent | ToolSource::Runtime);
        agent.declaration.has_code_around()
            || agent
                .tools
                .tools(None)
                .map_or(true, |tools| tools.table.entries().iter().any(|tool| has_code(tool)))
    };
    if shared.answerer.is_some() && !asks && !agents().any(could_ask) {
        problems.push(BuildError::NothingAsks {
            call: ".answerer(..)",
            reason: "no agent has a tool, a hook or a guardrail that could ask",
            advice: "add a tool with `#[tool(asks)]`",
        });
    }
}

/// The states that a session must contain: the agent's own, and the states of its children.
fn needs(name: &Arc<str>, state: StateType, children: &[ChildTool]) -> Vec<(Arc<str>, StateType)> {
    let own = (!state.is_none()).then(|| (Arc::clone(name), state));
    let mut needs: Vec<_> = own.into_iter().collect();
    for need in children.iter().flat_map(|child| &child.child.needs) {
        // Several children can reach the same agent.
        if !needs.contains(need) {
            needs.push(need.clone());
        }
    }
    needs
}

/// The types of the input and the answers. Their schemas come from code of the types.
type Forms = (Option<Arc<InputForm>>, Option<Arc<AnswerForm>>);

fn typed(name: &str, declaration: &Parts) -> Result<Forms, BuildError> {
    let made = caught(|| {
        let input = declaration.input.map(|(_, make)| Arc::new(make()));
        (input, declaration.output.map(|(_, make)| Arc::new(make())))
    });
    made.map_err(|reason| BuildError::declaring(name, reason))
}

/// The onion of an agent around its dynamic hooks. Values of hooks are code of the program.
fn onion(name: &str, compose: Option<OnionBuilder>, hooks: RuntimeHooks) -> Result<Onion, BuildError> {
    match compose {
        Some(compose) => caught(|| compose(hooks)).map_err(|reason| BuildError::declaring(name, reason)),
        None => Ok(Onion::new(&Arc::new(NoCore), Seam::new(hooks, NoCore))),
    }
}

/// The tools that do not change. Compiled tools come first, because their indices are their positions.
///
/// # Errors
/// Returns an error if one of the program's own tools panics in its `definition`.
///
/// # Panics
/// Panics if a built-in tool panics there.
fn fixed_entries(
    compiled: Definitions,
    Parts { tools, worded, runtime_tools, .. }: &Parts,
    children: Vec<ChildTool>,
) -> Result<Vec<ToolEntry>, Undefined> {
    let entry = |definition: ToolDefinition, source, server, target| {
        ToolEntry::new(Arc::clone(&definition.name), source, server, definition, target)
    };
    let mut entries = Vec::new();
    for (index, definition) in worded.compiled(compiled) {
        entries.push(entry(definition?, ToolSource::Function, None, Target::Compiled(index)));
    }
    for (position, (name, tool)) in tools.iter().enumerate() {
        let mut definition = define(name, &|| tool.definition())?;
        if let Some(words) = worded.tool(position) {
            definition = words.apply_to(definition);
        }
        entries.push(entry(definition, ToolSource::Function, None, Dynamic::target(Arc::clone(tool))));
    }
    let children =
        children.into_iter().map(|child| (Arc::new(child) as Arc<dyn DynTool>, ToolSource::Agent, "agent"));
    let runtime_tools = runtime_tools.iter().map(|tool| (Arc::clone(tool), ToolSource::Runtime, "runtime"));
    entries.extend(children.chain(runtime_tools).map(|(tool, source, server)| {
        entry(tool.definition().clone(), source, Some(server), Dynamic::target(tool))
    }));
    Ok(entries)
}
