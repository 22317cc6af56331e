//! From a declared agent to a built one.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::answer_form::AnswerForm;
use super::build_error::BuildError;
use super::child_tool::ChildTool;
use super::compiled_hook::{HookNames, NotRepeated};
use super::declaration::{AgentDeclaration, AgentId, DynAgent, Onion, OnionBuilder};
use super::declared::{Declared, Way, declaring};
use super::handle::AgentHandle;
use super::input_form::InputForm;
use super::instance::Instance;
use super::prompt::AgentPrompt;
use super::run_ids::RunIds;
use super::services::{AgentServices, Given};
use super::settings::{Lock, Settings};
use super::setup::{Extra, ExtraHook, Setup};
use super::shared::Shared;
use super::tool_list::{Owner, ToolList};
use super::worded::{DeclaredTool, Worded};
use super::{guardrails, preflight, tool_checks};
use crate::context::{AgentInfo, Guards, Target, ToolEntry};
use crate::message_hook::{DynMessageHook, MessageHooks};
use crate::model::BoxModel;
use crate::onion::{
    Call, Core, Definitions, DynHook, RuntimeHooks, Seam, Undefined, call_dynamic, call_tool, caught, define,
};
use crate::spec::ToolSpec;
use crate::tool::{DynTool, Dynamic, ToolboxLink};
use onionskin_definitions::definition::{Asks, ToolDefinition, ToolSource};
use onionskin_definitions::requirements::StateType;
use onionskin_definitions::secret::keys_of_environment;

impl Setup {
    /// Builds agents with their children. A server that several agents use is started once.
    pub(super) async fn build(mut self, links: &[DynAgent]) -> Result<Vec<AgentHandle>, BuildError> {
        let mut way = Way::default();
        let mut declared: Vec<_> =
            links.iter().map(|link| Declared::new(link, &mut way)).collect::<Result<_, _>>()?;
        for agent in &declared {
            agent.declare_states(&mut self.states);
        }
        self.services.allows_unused = self.allows_unused;
        // A session keeps them, and an agent that is loaded later can use the session.
        for state in self.states.values_mut().filter(|state| !state.is_declared) {
            state.visitor = Some(state.state.visitor_by_copy());
        }
        let problems = preflight::problems(&self, &declared);
        let mut names = BTreeSet::new();
        for agent in &declared {
            agent.collect_servers(&mut names);
        }
        let mut servers = self.servers;
        for agent in &mut declared {
            agent.take_default_servers(&mut servers);
        }
        let servers = servers.start(&names, self.allows_unused, problems).await?;
        let shared = Arc::new(Shared {
            states: self.states,
            secrets: self.secrets.into_iter().chain(keys_of_environment().iter().cloned()).collect(),
            toolboxes: self.toolboxes,
            journal: self.journal,
            approver: self.approver,
            answerer: self.answerer,
            servers,
            run_ids: RunIds::default(),
        });
        let extras = Extras { own: links.first().map(|link| (link.id, self.own)), named: self.named };
        let mut assembly = Assembly {
            shared: &shared,
            model: self.model.as_ref(),
            trace_content: self.trace_content,
            services: &self.services,
            extras,
            built: HashMap::new(),
            problems: Vec::new(),
        };
        let handles = declared
            .into_iter()
            .map(|agent| {
                let run = agent.link.run;
                let instance = assembly.instance(agent)?;
                Ok(AgentHandle { instance, run, shared: Arc::clone(&shared) })
            })
            .collect::<Result<_, BuildError>>()?;
        let Assembly { built, mut problems, .. } = assembly;
        self.services.unused(built.values().map(|agent| &agent.services), &mut problems);
        BuildError::all(problems)?;
        Ok(handles)
    }
}

/// Additions to agents beyond their declarations.
struct Extras {
    /// For this agent.
    own: Option<(AgentId, Extra)>,
    named: BTreeMap<String, Extra>,
}

impl Extras {
    fn take(&mut self, link: &DynAgent) -> Extra {
        let own = self.own.take_if(|(id, _)| *id == link.id);
        let mut extra = own.map(|(_, extra)| extra).unwrap_or_default();
        extra.add(self.named.remove(link.name()).unwrap_or_default());
        extra
    }
}

struct Assembly<'s> {
    shared: &'s Arc<Shared>,
    model: Option<&'s BoxModel>,
    trace_content: bool,
    services: &'s Given,
    extras: Extras,
    /// An agent that several others call is built once.
    built: HashMap<AgentId, Arc<Instance>>,
    /// Services that were not provided.
    problems: Vec<BuildError>,
}

impl Assembly<'_> {
    #[allow(clippy::too_many_lines, reason = "each step needs what the ones before it made")]
    fn instance(&mut self, agent: Declared) -> Result<Arc<Instance>, BuildError> {
        if let Some(built) = self.built.get(&agent.link.id) {
            return Ok(Arc::clone(built));
        }
        let Declared { declaration, link, children } = agent;
        let name = Arc::clone(&link.name);
        let settings = declaration.settings.clone();
        let (input, answer) = typed(&name, &declaration)?;
        let children: Vec<_> = children
            .into_iter()
            .map(|child| {
                let run = child.link.run;
                Ok(ChildTool::new(self.instance(child)?, run, settings.clone()))
            })
            .collect::<Result<_, BuildError>>()?;
        let needs = needs(&name, link.state, &children);
        let Extra {
            hooks,
            reaching,
            input_guardrails,
            output_guardrails,
            run_hooks,
            turn_hooks,
            message_hooks,
            limits,
            messages,
            tools,
            prompt,
        } = self.extras.take(&link);
        let added = (input_guardrails, output_guardrails);
        let guardrails = guardrails::all(declaration.input_guardrails, declaration.output_guardrails, added);
        let guardrails = Arc::new(guardrails);
        let hooks = around_calls(declaration.hooks, declaration.outside, hooks);
        let run_hooks = with_added(declaration.run_hooks, run_hooks);
        let turn_hooks = with_added(declaration.turn_hooks, turn_hooks);
        let message_hooks = with_added(declaration.message_hooks, message_hooks);
        let mut services = AgentServices::new(self.services);
        services
            .add_parts(&name, &declaration.compiled_hooks, &hooks.hooks, &declaration.services)
            .and_then(|()| services.add_guardrails(&name, &guardrails))
            .and_then(|()| services.add_hooks_around(&name, &run_hooks, &turn_hooks, &message_hooks))
            .map_err(|reason| declaring(&name, reason))?;
        let message_hooks = on_messages(&name, message_hooks)?;
        for child in &children {
            services.add_child(child.services());
        }
        let hook_names = HookNames::new(declaration.compiled_hooks, declaration.seam, &hooks);
        let compiled = hooks.clone();
        let onion = onion(&name, declaration.onion, hooks)?;
        let reaches = compiled.reaching().into_iter().chain(declaration.reaching).chain(reaching);
        let reaches = crate::onion::reaching(reaches.collect());
        let info = AgentInfo::new(
            Arc::clone(&name),
            declaration.description.map(Into::into),
            children.iter().map(ChildTool::child_name).collect(),
        );
        let undefined = |problem| preflight::undefined(&name, problem);
        tool_checks::declared_states(&name, link.state, &declaration.tools, &declaration.runtime_tools)?;
        let own = (declaration.tools, &declaration.worded, declaration.runtime_tools);
        let fixed = caught(|| fixed_entries(onion.definitions, own, children));
        let mut fixed = fixed.map_err(|reason| declaring(&name, reason))?.map_err(undefined)?;
        for toolbox in &declaration.toolboxes {
            fixed.extend(self.toolbox_entries(&name, link.state, toolbox)?);
        }
        let tools: Vec<_> = declaration.specs.into_iter().chain(tools).collect();
        let model = self.model.cloned().or_else(|| declaration.default_model.clone());
        tool_checks::states_of_values(&name, link.state, &tools)?;
        preflight::names(&name, &fixed, &tools)?;
        for tool in &tools {
            if let Some(hook) = tool.repeats_in_vain() {
                let (agent, tool, effect) =
                    (name.to_string(), tool.name().to_owned(), tool.definition().effect);
                self.problems.push(BuildError::NotRepeated { agent, hook, tool, effect });
            }
        }
        fixed.extend(tools.into_iter().map(ToolSpec::into_entry));
        tool_checks::definitions(&name, &fixed)?;
        let (snapshot, is_strict) =
            (declaration.server_snapshot.as_deref(), declaration.settings.lock == Lock::Strict);
        let servers = self.shared.servers.providers(&name, &declaration.servers, snapshot, is_strict)?;
        let guards = (!guardrails.is_empty()).then(|| Arc::clone(&guardrails) as Arc<dyn Guards>);
        let owner =
            Owner { agent: Arc::clone(&name), state: link.state, given: self.services.clone(), guards };
        let model = model.ok_or_else(|| BuildError::NoModel { agent: name.to_string() })?;
        let prompt = AgentPrompt::merged(&name, declaration.prompt, prompt)?;
        let state = (link.state, declaration.state_codec);
        let prompt = caught(|| AgentPrompt::new(info.clone(), &model, state, prompt))
            .map_err(|reason| declaring(&name, reason))??;
        let tools = ToolList::new(owner, prompt, fixed, servers);
        // Later problems come from servers, and are reported as events.
        let table = tools.first_table()?;
        let has_servers = !declaration.servers.is_empty();
        // Sources of the program can list a tool that asks later. Tools of MCP servers do not ask.
        let asks = if tools.has_other_servers() { Asks::More } else { table.asks() };
        let is_whole = !has_servers && !tools.has_other_servers();
        if let Some(NotRepeated { hook, tool }) = hook_names.not_repeated(table.entries(), is_whole) {
            let (agent, effect) = (name.to_string(), tool.definition.effect);
            self.problems.push(BuildError::NotRepeated { agent, hook, tool: tool.name.to_string(), effect });
        }
        preflight::request_params(&name, &declaration.settings.request_params, &model, &table, has_servers)?;
        let mut instance = Instance {
            info,
            model,
            input,
            answer,
            onion: onion.entry,
            core: onion.core,
            hook_names,
            guardrails,
            reaches,
            run_hooks,
            turn_hooks,
            message_hooks,
            state: link.state,
            codec: declaration.state_codec,
            needs,
            services,
            messages: messages.unwrap_or(declaration.messages).into(),
            until: declaration.until,
            settings: match limits {
                Some(limits) => Settings { limits, ..settings },
                None => settings,
            },
            asks,
            trace_content: self.trace_content,
            tools,
            name,
        };
        preflight::filters(&instance.name, &declaration.filter_names, &table, &instance.tools)?;
        for tool in table.entries() {
            instance.services.add_tool(&instance.name, tool);
        }
        instance.services.missing(&instance.name, instance.state, &mut self.problems);
        let instance = Arc::new(instance);
        self.built.insert(link.id, Arc::clone(&instance));
        Ok(instance)
    }

    /// The tools of a toolbox that an agent declares.
    fn toolbox_entries(
        &self,
        agent: &str,
        state: StateType,
        toolbox: &ToolboxLink,
    ) -> Result<Vec<ToolEntry>, BuildError> {
        let given = self.shared.toolboxes.get(toolbox).ok_or_else(|| BuildError::NoToolbox {
            agent: agent.to_owned(),
            toolbox: toolbox.name,
            call: toolbox.call(),
        })?;
        tool_checks::states(agent, state, given.tools())?;
        given.entries(toolbox.prefix.as_deref()).map_err(|problem| preflight::undefined(agent, problem))
    }
}

/// The hooks around calls: those that the builder adds are inside of the first declared ones.
fn around_calls(
    mut declared: Vec<Arc<dyn DynHook>>,
    outside: usize,
    added: Vec<ExtraHook<dyn DynHook>>,
) -> RuntimeHooks {
    let inside = declared.split_off(outside);
    let added = added.into_iter().map(|extra| extra.hook);
    RuntimeHooks::new(declared.into_iter().chain(added).chain(inside).collect())
}

/// The declared hooks, then those that the builder adds.
fn with_added<H: ?Sized>(declared: Vec<Arc<H>>, added: Vec<ExtraHook<H>>) -> Vec<Arc<H>> {
    declared.into_iter().chain(added.into_iter().map(|extra| extra.hook)).collect()
}

/// The message hooks of an agent. Code of the hooks says where they work.
fn on_messages(
    name: &Arc<str>,
    hooks: Vec<Arc<dyn DynMessageHook>>,
) -> Result<Option<Arc<MessageHooks>>, BuildError> {
    MessageHooks::of(name, hooks).map_err(|reason| declaring(name, reason))
}

/// The states that a session must contain: the agent's own, and those of its children.
fn needs(name: &Arc<str>, state: StateType, children: &[ChildTool]) -> Vec<(Arc<str>, StateType)> {
    let own = (!state.is_none()).then(|| (Arc::clone(name), state));
    let mut needs: Vec<_> = own.into_iter().collect();
    for need in children.iter().flat_map(ChildTool::needs) {
        // Several children can lead to one agent.
        if !needs.contains(need) {
            needs.push(need.clone());
        }
    }
    needs
}

/// The types of the input and the answers. Code of the types makes their schemas.
type Forms = (Option<Arc<InputForm>>, Option<Arc<AnswerForm>>);

fn typed(name: &str, declaration: &AgentDeclaration) -> Result<Forms, BuildError> {
    let made = caught(|| {
        let input = declaration.input.map(|make| Arc::new(make()));
        (input, declaration.output.map(|make| Arc::new(make())))
    });
    made.map_err(|reason| declaring(name, reason))
}

/// The onion of an agent around its dynamic hooks. Values of hooks are code of the program.
fn onion(name: &str, compose: Option<OnionBuilder>, hooks: RuntimeHooks) -> Result<Onion, BuildError> {
    match compose {
        Some(compose) => caught(|| compose(hooks)).map_err(|reason| declaring(name, reason)),
        None => Ok(Onion::new(&Arc::new(NoCore), Seam::new(hooks, NoCore))),
    }
}

/// The core of an agent that declares no compiled tools.
struct NoCore;

impl Call for NoCore {
    fn call<'a, 'b>(
        &'a self,
        cx: &'a crate::context::ToolContext,
        args: &'b mut onionskin_definitions::args::Args,
    ) -> impl Future<Output = onionskin_definitions::error::ToolResult> + Send {
        call_tool(cx, args, async move |args| call_dynamic(cx, args).await)
    }
}

impl Core for NoCore {
    fn definitions(&self) -> Definitions {
        Vec::new()
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
    (tools, worded, runtime_tools): (Vec<DeclaredTool>, &Worded, Vec<Arc<dyn DynTool>>),
    children: Vec<ChildTool>,
) -> Result<Vec<ToolEntry>, Undefined> {
    let entry = |definition: ToolDefinition, source, server, target| {
        ToolEntry::new(Arc::clone(&definition.name), source, server, definition, target)
    };
    let mut entries = Vec::new();
    for (index, definition) in worded.compiled(compiled) {
        entries.push(entry(definition?, ToolSource::Function, None, Target::Compiled(index)));
    }
    for (position, (name, tool)) in tools.into_iter().enumerate() {
        let mut definition = define(name, &|| tool.definition())?;
        if let Some(words) = worded.tool(position) {
            definition = words.of(definition);
        }
        entries.push(entry(definition, ToolSource::Function, None, Dynamic::target(tool)));
    }
    let children =
        children.into_iter().map(|child| (Arc::new(child) as Arc<dyn DynTool>, ToolSource::Agent, "agent"));
    let runtime_tools = runtime_tools.into_iter().map(|tool| (tool, ToolSource::Runtime, "runtime"));
    entries.extend(children.chain(runtime_tools).map(|(tool, source, server)| {
        entry(tool.definition().clone(), source, Some(server), Dynamic::target(tool))
    }));
    Ok(entries)
}
