//! From a declared agent to a built one.

use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::build_error::BuildError;
use super::child_tool::ChildTool;
use super::children::Children;
use super::declaration::{ChildLink, Onion};
use super::declared::{Declared, declaring};
use super::handle::AgentHandle;
use super::instance::Instance;
use super::services::{AgentServices, Given};
use super::setup::{Extra, Setup};
use super::shared::Shared;
use super::tool_list::{Owner, ToolList};
use super::{preflight, tool_checks};
use crate::context::{AgentInfo, Target, ToolEntry};
use crate::definition::{ToolDefinition, ToolSource};
use crate::model::BoxModel;
use crate::onion::{
    Call, Core, Definitions, RuntimeHooks, Seam, Undefined, call_dynamic, call_tool, caught, define,
};
use crate::spec::ToolSpec;
use crate::tool::{DynTool, Dynamic};

impl Setup {
    /// Builds agents with their children. A server that several agents use is started once.
    pub(super) async fn build(mut self, links: &[ChildLink]) -> Result<Vec<AgentHandle>, BuildError> {
        let mut declared: Vec<_> =
            links.iter().map(|link| Declared::new(link, &mut Vec::new())).collect::<Result<_, _>>()?;
        for agent in &declared {
            agent.set_visitors(&mut self.states);
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
        let servers = servers.start(&names, problems).await?;
        let shared = Arc::new(Shared {
            states: self.states,
            secrets: self.secrets,
            toolboxes: self.toolboxes,
            journal: self.journal,
            approver: self.approver,
            servers,
        });
        let extras = Extras { own: links.first().map(|link| (link.id, self.own)), named: self.named };
        let mut assembly = Assembly {
            shared: &shared,
            model: self.model.as_ref(),
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
    /// For the agent of this type.
    own: Option<(TypeId, Extra)>,
    named: BTreeMap<String, Extra>,
}

impl Extras {
    fn take(&mut self, link: &ChildLink) -> Extra {
        let own = self.own.take_if(|(id, _)| *id == link.id);
        let mut extra = own.map(|(_, extra)| extra).unwrap_or_default();
        extra.add(self.named.remove(link.name).unwrap_or_default());
        extra
    }
}

struct Assembly<'s> {
    shared: &'s Arc<Shared>,
    model: Option<&'s BoxModel>,
    services: &'s Given,
    extras: Extras,
    /// An agent that several others call is built once.
    built: HashMap<TypeId, Arc<Instance>>,
    /// Services that were not provided.
    problems: Vec<BuildError>,
}

impl Assembly<'_> {
    fn instance(&mut self, agent: Declared) -> Result<Arc<Instance>, BuildError> {
        if let Some(built) = self.built.get(&agent.link.id) {
            return Ok(Arc::clone(built));
        }
        let Declared { declaration, link, children } = agent;
        let name: Arc<str> = link.name.into();
        let rules = Children {
            history_source: declaration.history_source,
            history_merge_target: declaration.history_merge_target,
            max_parallel: declaration.max_parallel,
            timeout: declaration.child_timeout,
            max_display_instances: declaration.max_display_instances,
        };
        let children: Vec<_> = children
            .into_iter()
            .map(|child| {
                let run = child.link.run;
                Ok(ChildTool::new(self.instance(child)?, run, rules.clone()))
            })
            .collect::<Result<_, BuildError>>()?;
        let mut needs: Vec<_> = children.iter().flat_map(ChildTool::needs).cloned().collect();
        if !link.state.is_none() {
            needs.insert(0, (Arc::clone(&name), link.state));
        }
        let Extra { hooks, limits, messages, tools } = self.extras.take(&link);
        let hooks = hooks.into_iter().map(|extra| extra.hook).chain(declaration.hooks);
        let hooks = RuntimeHooks(hooks.collect());
        let mut services = AgentServices::new(self.services);
        services
            .add_parts(&name, &declaration.hook_services, &hooks.0, &declaration.services)
            .map_err(|reason| declaring(&name, reason))?;
        for child in &children {
            services.add_child(child.services());
        }
        let onion = match declaration.onion {
            Some(compose) => caught(|| compose(hooks)).map_err(|reason| declaring(&name, reason))?,
            None => Onion::new(&Arc::new(NoCore), Seam::new(hooks, NoCore)),
        };
        let info = AgentInfo::new(
            Arc::clone(&name),
            declaration.description.map(Into::into),
            children.iter().map(ChildTool::child_name).collect(),
        );
        let undefined = |problem| preflight::undefined(&name, problem);
        tool_checks::declared_states(&name, link.state, &declaration.tools, &declaration.runtime_tools)?;
        let fixed = caught(|| {
            fixed_entries(onion.definitions, declaration.tools, children, declaration.runtime_tools)
        });
        let mut fixed = fixed.map_err(|reason| declaring(&name, reason))?.map_err(undefined)?;
        for toolbox in &declaration.toolboxes {
            let given = self.shared.toolboxes.get(toolbox).ok_or_else(|| BuildError::NoToolbox {
                agent: name.to_string(),
                toolbox: toolbox.name,
                call: toolbox.call(),
            })?;
            tool_checks::states(&name, link.state, given.tools())?;
            fixed.extend(given.entries(toolbox.prefix).map_err(undefined)?);
        }
        let model = self.model.cloned().or_else(|| declaration.default_model.clone());
        tool_checks::states_of_values(&name, link.state, &tools)?;
        preflight::names(&name, &fixed, &tools)?;
        fixed.extend(tools.into_iter().map(ToolSpec::into_entry));
        tool_checks::definitions(&name, &fixed)?;
        let servers = self.shared.servers.providers(&name, &declaration.servers)?;
        let owner = Owner { agent: Arc::clone(&name), state: link.state, given: self.services.clone() };
        let tools = ToolList::new(owner, declaration.instruction.into(), fixed, servers);
        // Later problems come from servers, and are reported as events.
        let table = tools.first_table()?;
        let model = model.ok_or_else(|| BuildError::NoModel { agent: name.to_string() })?;
        preflight::request_params(
            &name,
            &declaration.params,
            &model,
            &table,
            !declaration.servers.is_empty(),
        )?;
        let mut instance = Instance {
            info,
            model,
            model_name: declaration.model,
            params: declaration.params,
            limits: limits.unwrap_or(declaration.limits),
            onion: onion.entry,
            core: onion.core,
            state: link.state,
            codec: declaration.state_codec,
            needs,
            services,
            messages: messages.unwrap_or(declaration.messages).into(),
            children: rules,
            effect: declaration.effect,
            tools,
            name,
        };
        preflight::filters(&instance.name, &declaration.filter_names, &table)?;
        for tool in table.entries() {
            instance.services.add_tool(&instance.name, tool);
        }
        instance.services.missing(&instance.name, &mut self.problems);
        let instance = Arc::new(instance);
        self.built.insert(link.id, Arc::clone(&instance));
        Ok(instance)
    }
}

/// The core of an agent that declares no compiled tools.
struct NoCore;

impl Call for NoCore {
    fn call<'a, 'b>(
        &'a self,
        cx: &'a crate::context::ToolContext,
        args: &'b mut crate::args::Args,
    ) -> impl Future<Output = crate::error::ToolResult> + Send {
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
    tools: Vec<(&'static str, Arc<dyn DynTool>)>,
    children: Vec<ChildTool>,
    runtime_tools: Vec<Arc<dyn DynTool>>,
) -> Result<Vec<ToolEntry>, Undefined> {
    let entry = |definition: ToolDefinition, source, server, target| {
        ToolEntry::new(Arc::clone(&definition.name), source, server, definition, target)
    };
    let mut entries = Vec::new();
    for (index, definition) in compiled {
        entries.push(entry(definition?, ToolSource::Function, None, Target::Compiled(index)));
    }
    for (name, tool) in tools {
        let definition = define(name, &|| tool.definition())?;
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
