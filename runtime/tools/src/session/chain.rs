//! The chain of agents that called each other.

use std::sync::Arc;

tokio::task_local! {
    static CHAIN: Chain;
}

/// The agents whose runs contain the current code. A run knows its parents, but an agent that a tool or a
/// hook calls through its handle has none. So the chain is stored in the task.
#[derive(Clone, Default)]
pub struct Chain(Option<Arc<Link>>);

struct Link {
    agent: Arc<str>,
    depth: u32,
    /// The smallest of the limits of the agents so far.
    most: u32,
    outer: Chain,
}

/// The maximum number of names to show: the first and the last ones.
const MAX_SHOWN_AGENTS: usize = 16;

impl Chain {
    pub(crate) fn here() -> Self {
        CHAIN.try_with(Self::clone).unwrap_or_default()
    }

    /// Runs work on another thread while the task waits for it.
    pub(crate) fn carry<T>(self, work: impl FnOnce() -> T) -> T {
        CHAIN.sync_scope(self, work)
    }

    /// Adds an agent to the chain, which may have at most `most` agents, and no more than its outer agents allow.
    ///
    /// # Errors
    /// Returns the names of the chain if it is too long, and how many agents it may have.
    pub fn enter(agent: &Arc<str>, most: u32) -> Result<Self, (String, u32)> {
        let outer = Self::here();
        let (depth, most) = match &outer.0 {
            Some(link) => (link.depth.saturating_add(1), link.most.min(most)),
            None => (1, most),
        };
        let chain = Self(Some(Arc::new(Link { agent: Arc::clone(agent), depth, most, outer })));
        if depth > most { Err((chain.names(), most)) } else { Ok(chain) }
    }

    /// Runs a future with the chain.
    pub fn around<T>(self, work: impl Future<Output = T>) -> impl Future<Output = T> {
        CHAIN.scope(self, work)
    }

    /// The names, outermost agent first.
    fn names(&self) -> String {
        let mut names = Vec::new();
        let mut at = self;
        while let Some(link) = &at.0 {
            names.push(&*link.agent);
            at = &link.outer;
        }
        names.reverse();
        if names.len() <= MAX_SHOWN_AGENTS + 1 {
            return names.join(" > ");
        }
        let half = MAX_SHOWN_AGENTS / 2;
        let (first, last) = (names[..half].join(" > "), names[names.len() - half..].join(" > "));
        format!("{first} > .. and {} more .. > {last}", names.len() - MAX_SHOWN_AGENTS)
    }
}
