//! From a declared agent to a built one.

use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use super::checks;
use super::child::ChildTool;
use super::declaration::{AgentDeclaration, ChildLink, Onion};
use super::error::BuildError;
use super::given;
use super::handle::AgentHandle;
use super::instance::{Children, Instance, ToolProvider, fixed_entries};
use super::setup::{Extra, Setup, StateMakers};
use super::toolboxes::Toolboxes;
use crate::context::AgentInfo;
use crate::journal::Journal;
use crate::life::DynApprover;
#[cfg(feature = "mcp")]
use crate::mcp::{McpConfig, ServerPool};
use crate::model::DynModel;

use crate::onion::{Call, Core, Definitions, RuntimeHooks, Seam, call_dynamic, call_tool, caught};
use crate::spec::ToolSpec;
#[cfg(feature = "mcp")]
use crate::text::nearest;
use crate::tool::table::ToolTable;

/// What all agents of a program share.
pub(super) struct Shared {
    pub(super) states: StateMakers,
    /// The secrets that every session knows.
    pub(super) secrets: Vec<Vec<u8>>,
    pub(super) toolboxes: Toolboxes,
    pub(super) journal: Option<Arc<dyn Journal>>,
    pub(super) approver: Option<Arc<dyn DynApprover>>,
    #[cfg(feature = "mcp")]
    pub(super) servers: ServerPool,
}

impl Shared {
    #[cfg_attr(not(feature = "mcp"), expect(clippy::unused_async, reason = "only servers are waited for"))]
    pub(super) async fn shutdown(&self) {
        #[cfg(feature = "mcp")]
        self.servers.shutdown().await;
    }
}

impl Setup {
    /// Builds agents and everything beneath them; servers that several of them use are started once.
    #[cfg_attr(not(feature = "mcp"), expect(clippy::unused_async, reason = "only servers are waited for"))]
    pub(super) async fn build(self, links: &[ChildLink]) -> Result<Vec<AgentHandle>, BuildError> {
        let declared: Vec<_> =
            links.iter().map(|link| Declared::new(link, &mut Vec::new())).collect::<Result<_, _>>()?;
        let problems = given::problems(&self, &declared);
        let mut names = BTreeSet::new();
        for agent in &declared {
            agent.servers(&mut names);
        }
        #[cfg(feature = "mcp")]
        let servers = start(self.servers, &self.named_servers, &names, problems).await?;
        #[cfg(not(feature = "mcp"))]
        {
            let mut problems = problems;
            let off = names.first().map(|(_, agent)| BuildError::McpIsOff { agent: (*agent).to_owned() });
            problems.extend(off);
            BuildError::all(problems)?;
        }
        let shared = Arc::new(Shared {
            states: self.states,
            secrets: self.secrets,
            toolboxes: self.toolboxes,
            journal: self.journal,
            approver: self.approver,
            #[cfg(feature = "mcp")]
            servers,
        });
        let extras = Extras { own: links.first().map(|link| (link.id, self.own)), named: self.named };
        let mut assembly =
            Assembly { shared: &shared, model: self.model.as_ref(), extras, built: HashMap::new() };
        declared
            .into_iter()
            .map(|agent| {
                let instance = assembly.instance(agent)?;
                Ok(AgentHandle { instance, shared: Arc::clone(&shared) })
            })
            .collect()
    }
}

/// Finds the servers and starts them, unless something is wrong already.
#[cfg(feature = "mcp")]
async fn start(
    config: McpConfig,
    named: &[String],
    names: &BTreeSet<(&'static str, &'static str)>,
    mut problems: Vec<BuildError>,
) -> Result<ServerPool, BuildError> {
    let used: BTreeSet<_> = names.iter().map(|(server, _)| *server).collect();
    for server in named.iter().filter(|server| !used.contains(server.as_str())) {
        problems.push(BuildError::UnusedServer {
            server: server.clone(),
            near: nearest(server, used.iter().copied())
                .map(|near| format!("; did you mean `{near}`?"))
                .unwrap_or_default(),
            used: given::list(used.iter().map(|server| format!("`{server}`"))),
        });
    }
    let pool = match ServerPool::new(config, used.iter().copied()) {
        Ok(pool) => pool,
        Err(error) => {
            problems.push(error.into());
            return Err(BuildError::together(problems));
        }
    };
    problems.extend(names.iter().filter(|(server, _)| !pool.knows(server)).map(|(server, agent)| {
        BuildError::UnknownServer {
            agent: (*agent).to_owned(),
            server: (*server).to_owned(),
            known: pool.known(),
        }
    }));
    BuildError::all(problems)?;
    pool.start(used).await?;
    Ok(pool)
}

/// What agents get beyond what is declared of them.
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

fn declaring(agent: &str, reason: String) -> BuildError {
    BuildError::DeclarationPanicked { agent: agent.to_owned(), reason }
}

/// A declaration with its children's.
pub(super) struct Declared {
    pub(super) declaration: AgentDeclaration,
    pub(super) link: ChildLink,
    pub(super) children: Vec<Declared>,
}

impl Declared {
    fn new(link: &ChildLink, path: &mut Vec<&'static str>) -> Result<Self, BuildError> {
        let again = path.contains(&link.name);
        path.push(link.name);
        if again {
            return Err(BuildError::Cycle { agent: link.name.to_owned(), path: path.join(" > ") });
        }
        let mut declaration = caught(|| (link.declare)()).map_err(|reason| declaring(link.name, reason))?;
        let children = std::mem::take(&mut declaration.children);
        let children = children.iter().map(|child| Self::new(child, path)).collect::<Result<_, _>>()?;
        path.pop();
        Ok(Self { declaration, link: link.clone(), children })
    }

    fn servers(&self, into: &mut BTreeSet<(&'static str, &'static str)>) {
        into.extend(self.declaration.servers.iter().map(|server| (server.name, self.link.name)));
        for child in &self.children {
            child.servers(into);
        }
    }
}

struct Assembly<'s> {
    shared: &'s Arc<Shared>,
    model: Option<&'s Arc<dyn DynModel>>,
    extras: Extras,
    /// An agent that several others call is built once.
    built: HashMap<TypeId, Arc<Instance>>,
}

impl Assembly<'_> {
    fn instance(&mut self, agent: Declared) -> Result<Arc<Instance>, BuildError> {
        if let Some(built) = self.built.get(&agent.link.id) {
            return Ok(Arc::clone(built));
        }
        let Declared { declaration, link, children } = agent;
        let name: Arc<str> = declaration.name.into();
        let rules = Children {
            history_source: declaration.history_source,
            history_merge_target: declaration.history_merge_target,
            max_parallel: declaration.max_parallel,
            timeout: declaration.child_timeout,
            max_display_instances: declaration.max_display_instances,
        };
        let children: Vec<_> = children
            .into_iter()
            .map(|child| Ok(ChildTool::new(self.instance(child)?, rules.clone())))
            .collect::<Result<_, BuildError>>()?;
        let mut needs: Vec<_> = children.iter().flat_map(ChildTool::needs).cloned().collect();
        if !link.state.is_none() {
            needs.insert(0, (Arc::clone(&name), link.state));
        }
        let Extra { hooks, limits, messages, tools } = self.extras.take(&link);
        let hooks = hooks.into_iter().map(|extra| extra.hook).chain(declaration.hooks);
        let hooks = RuntimeHooks(hooks.collect());
        let onion = match declaration.onion {
            Some(compose) => caught(|| compose(hooks)).map_err(|reason| declaring(&name, reason))?,
            None => Onion::new(&Arc::new(NoCore), Seam::new(hooks, NoCore)),
        };
        let info = AgentInfo::new(
            Arc::clone(&name),
            declaration.description.map(Into::into),
            children.iter().map(ChildTool::child_name).collect(),
        );
        let undefined = |problem| checks::undefined(&name, problem);
        let fixed = fixed_entries(onion.definitions, declaration.tools, children, declaration.runtime_tools);
        let mut fixed = fixed.map_err(undefined)?;
        for toolbox in &declaration.toolboxes {
            let given = self.shared.toolboxes.get(toolbox).ok_or_else(|| BuildError::NoToolbox {
                agent: name.to_string(),
                toolbox: toolbox.name,
                call: toolbox.call(),
            })?;
            fixed.extend(given.entries(toolbox.prefix).map_err(undefined)?);
        }
        let model = self.model.map(Arc::clone).or_else(|| declaration.default_model.clone());
        checks::states(&name, &link, &tools)?;
        checks::names(&name, &fixed, &tools)?;
        fixed.extend(tools.into_iter().map(ToolSpec::into_entry));
        checks::definitions(&name, &fixed)?;
        let instance = Arc::new(Instance {
            info,
            instruction: declaration.instruction.into(),
            model: model.ok_or_else(|| BuildError::NoModel { agent: name.to_string() })?,
            model_name: declaration.model,
            params: declaration.params,
            limits: limits.unwrap_or(declaration.limits),
            onion: onion.entry,
            core: onion.core,
            state: link.state,
            needs,
            run: link.run,
            messages: messages.unwrap_or(declaration.messages).into(),
            children: rules,
            effect: declaration.effect,
            fixed,
            providers: self.providers(&name, &declaration.servers)?,
            tools: Mutex::default(),
            name,
        });
        // Names that clash before anything runs are a mistake of the program; later ones are a server's.
        let everything =
            instance.fixed.iter().cloned().chain(instance.providers.iter().flat_map(|p| p.entries()));
        let (table, clashes) = ToolTable::new(&instance.name, everything);
        if let Some(clash) = clashes.into_iter().next() {
            return Err(clash.into());
        }
        checks::filters(&instance.name, &declaration.filter_names, &table)?;
        self.built.insert(link.id, Arc::clone(&instance));
        Ok(instance)
    }

    #[cfg(feature = "mcp")]
    fn providers(
        &self,
        agent: &str,
        servers: &[super::declaration::ServerUse],
    ) -> Result<Vec<Arc<dyn ToolProvider>>, BuildError> {
        servers
            .iter()
            .map(|server| Ok(self.shared.servers.provider(agent, server.name, server.filter)?))
            .collect()
    }

    #[cfg(not(feature = "mcp"))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "as the one with the feature")]
    fn providers(
        &self,
        _: &str,
        _: &[super::declaration::ServerUse],
    ) -> Result<Vec<Arc<dyn ToolProvider>>, BuildError> {
        Ok(Vec::new())
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
        call_tool(cx, move || async move { call_dynamic(cx, args).await })
    }
}

impl Core for NoCore {
    fn definitions(&self) -> Definitions {
        Vec::new()
    }
}
