//! The agents that called each other until here.

use std::sync::Arc;

tokio::task_local! {
    static CHAIN: Chain;
}

/// The agents whose runs are going on around what is being done here, whoever began them: a run knows its parents, but an
/// agent that a tool or a hook calls by its handle has none. It is known by the task that it is called in.
#[derive(Clone, Default)]
pub(crate) struct Chain(Option<Arc<Link>>);

struct Link {
    agent: Arc<str>,
    depth: u32,
    outer: Chain,
}

/// So many names are shown of a chain: the first ones, and the last ones.
const SHOWN: usize = 16;

impl Chain {
    pub(crate) fn here() -> Self {
        CHAIN.try_with(Self::clone).unwrap_or_default()
    }

    /// Work that is done on another thread while the task waits for it.
    pub(crate) fn carry<T>(self, work: impl FnOnce() -> T) -> T {
        CHAIN.sync_scope(self, work)
    }

    /// The chain with another agent in it, of which at most `most` may be inside each other.
    ///
    /// # Errors
    /// If it is too deep: the names in it.
    pub(crate) fn enter(agent: &Arc<str>, most: u32) -> Result<Self, String> {
        let outer = Self::here();
        let depth = outer.0.as_ref().map_or(0, |link| link.depth).saturating_add(1);
        let chain = Self(Some(Arc::new(Link { agent: Arc::clone(agent), depth, outer })));
        if depth > most { Err(chain.names()) } else { Ok(chain) }
    }

    /// Does work within it.
    pub(crate) fn around<T>(self, work: impl Future<Output = T>) -> impl Future<Output = T> {
        CHAIN.scope(self, work)
    }

    /// The names, from the outermost agent inwards.
    fn names(&self) -> String {
        let mut names = Vec::new();
        let mut at = self;
        while let Some(link) = &at.0 {
            names.push(&*link.agent);
            at = &link.outer;
        }
        names.reverse();
        if names.len() <= SHOWN + 1 {
            return names.join(" > ");
        }
        let half = SHOWN / 2;
        let (first, last) = (names[..half].join(" > "), names[names.len() - half..].join(" > "));
        format!("{first} > .. and {} more .. > {last}", names.len() - SHOWN)
    }
}
