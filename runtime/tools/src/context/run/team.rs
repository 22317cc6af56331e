//! The team of an agent.

use super::RunContext;
use crate::context::AgentInfo;

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
