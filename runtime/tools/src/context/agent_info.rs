//! An agent as hooks and tools see it.

use std::sync::Arc;

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
