//! The agents that called each other until here.

use std::sync::Arc;

use super::error::RunError;
use super::session::Waiting;
use crate::life::Flights;

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
    fn here() -> Self {
        CHAIN.try_with(Self::clone).unwrap_or_default()
    }

    /// The chain with another agent in it, of which at most `most` may be inside each other.
    ///
    /// # Errors
    /// If it is too deep.
    pub(super) fn enter(agent: &Arc<str>, most: u32) -> Result<Self, RunError> {
        let outer = Self::here();
        let depth = outer.0.as_ref().map_or(0, |link| link.depth).saturating_add(1);
        let chain = Self(Some(Arc::new(Link { agent: Arc::clone(agent), depth, outer })));
        if depth > most {
            return Err(RunError::Depth { agent: Arc::clone(agent), most, chain: chain.names().into() });
        }
        Ok(chain)
    }

    /// Does work within it.
    pub(super) fn around<T>(self, work: impl Future<Output = T>) -> impl Future<Output = T> {
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

/// What is known by the task that something is done in, for a thread that does it while the task waits.
pub(crate) struct Around {
    waiting: Waiting,
    chain: Chain,
    flights: Flights,
}

impl Around {
    pub(crate) fn here() -> Self {
        Self { waiting: Waiting::here(), chain: Chain::here(), flights: Flights::here() }
    }

    /// Work that is done on another thread.
    pub(crate) fn carry<T>(self, work: impl FnOnce() -> T) -> T {
        CHAIN.sync_scope(self.chain, || self.flights.carry(|| self.waiting.carry(work)))
    }
}
