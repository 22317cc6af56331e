//! An agent and its team, as hooks and tools see them.

use std::sync::Arc;

use super::RunContext;

/// An agent as hooks and tools see it: its name, its description and the names of its children. Cheap to
/// clone.
#[derive(Clone, Debug)]
pub struct AgentInfo(Arc<AgentFacts>);

#[derive(Debug)]
struct AgentFacts {
    name: Arc<str>,
    description: Option<Arc<str>>,
    children: Vec<Arc<str>>,
}

impl AgentInfo {
    /// The agent's name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The agent's description; `None` if it has none.
    pub fn description(&self) -> Option<&str> {
        self.0.description.as_deref()
    }

    /// The names of its child agents.
    pub fn children(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.children.iter().map(|name| &**name)
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl AgentInfo {
    pub fn new(name: Arc<str>, description: Option<Arc<str>>, children: Vec<Arc<str>>) -> Self {
        Self(Arc::new(AgentFacts { name, description, children }))
    }
}

impl RunContext {
    /// The team of the agent: its parent, and the parent's other children.
    pub fn team(&self) -> Team {
        Team { run: self.clone() }
    }
}

/// The team of an agent: its parent, and the parent's other children. A tool or a hook can take it as a
/// parameter.
///
/// ```
/// use onionskin::run::Team;
/// use onionskin::tool;
///
/// /// Names the colleagues.
/// #[tool]
/// fn colleagues(team: &Team) -> String {
///     let lead = team.parent().map_or("no agent", |parent| parent.name());
///     format!("{lead} leads {}", team.members().collect::<Vec<_>>().join(", "))
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Team {
    run: RunContext,
}

impl Team {
    /// The parent; `None` if this agent is the outermost one.
    pub fn parent(&self) -> Option<&AgentInfo> {
        self.run.parent().map(RunContext::agent)
    }

    /// The names of the parent's other children.
    pub fn members(&self) -> impl Iterator<Item = &str> {
        let own = self.run.agent().name();
        self.parent().into_iter().flat_map(AgentInfo::children).filter(move |name| *name != own)
    }
}
