//! Memories: short texts that agents read in later sessions, and the stores that have them.

mod error;
mod query;
mod volatile;

use std::sync::Arc;
use std::time::SystemTime;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

pub use crate::search::is_unspaced;
pub use error::MemoryError;
pub use query::MemoryQuery;
pub use volatile::VolatileMemories;

/// The owner of memories. Owners of different variants are different, also if their names are equal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MemoryOwner {
    /// A user, by the id of [`RunContext::user`](crate::RunContext::user).
    User(String),
    /// An agent, by its name.
    Agent(String),
    /// All users and agents of the store.
    Shared,
}

/// The memories of one kind of one owner. All access to a store is within a scope.
///
/// ```
/// use onionskin::memory::{MemoryOwner, MemoryScope};
///
/// let scope = MemoryScope::user("ada", "memory");
/// assert_eq!(scope.owner, MemoryOwner::User("ada".to_owned()));
/// assert_ne!(scope, MemoryScope::agent("ada", "memory"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MemoryScope {
    /// The owner.
    pub owner: MemoryOwner,
    /// What the memories are for: any text, such as `memory` or `learning`.
    pub kind: String,
}

impl MemoryScope {
    /// The memories of a user.
    pub fn user(user: impl Into<String>, kind: impl Into<String>) -> Self {
        Self { owner: MemoryOwner::User(user.into()), kind: kind.into() }
    }

    /// The memories of an agent, for all of its users.
    pub fn agent(agent: impl Into<String>, kind: impl Into<String>) -> Self {
        Self { owner: MemoryOwner::Agent(agent.into()), kind: kind.into() }
    }

    /// The memories of all users and agents.
    pub fn shared(kind: impl Into<String>) -> Self {
        Self { owner: MemoryOwner::Shared, kind: kind.into() }
    }
}

/// A memory in a store. Stores create it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Memory {
    /// Its id, which is unique in its scope and never used again.
    pub id: String,
    /// Its owner and kind.
    pub scope: MemoryScope,
    /// Its text.
    pub text: String,
    /// When it was added, by the clock of the store.
    pub time: SystemTime,
}

impl Memory {
    /// A memory with all that it must have.
    pub fn new(id: impl Into<String>, scope: MemoryScope, text: impl Into<String>, time: SystemTime) -> Self {
        Self { id: id.into(), scope, text: text.into(), time }
    }
}

/// Stores memories, for example in a database. `testing::memory_suite` tests an implementation.
///
/// A store is shared by concurrent runs, and can be shared by processes. It never returns or removes a memory of another
/// scope than the requested one.
///
/// **Cancel safety.** If a future is dropped, its operation has happened as a whole or not at all, and the
/// store stays usable.
///
/// ```
/// use onionskin::BoxFuture;
/// use onionskin::memory::{
///     Memory, MemoryError, MemoryOwner, MemoryQuery, MemoryScope, MemoryStore, VolatileMemories,
/// };
///
/// /// Refuses what another store would accept: memories that all users share.
/// struct Private(VolatileMemories);
///
/// impl MemoryStore for Private {
///     fn add<'a>(
///         &'a self,
///         scope: &'a MemoryScope,
///         text: &'a str,
///     ) -> BoxFuture<'a, Result<Memory, MemoryError>> {
///         match scope.owner {
///             MemoryOwner::Shared => Box::pin(async { Err(MemoryError::storage("only users have memories")) }),
///             _ => self.0.add(scope, text),
///         }
///     }
///
///     fn find<'a>(&'a self, query: &'a MemoryQuery) -> BoxFuture<'a, Result<Vec<Memory>, MemoryError>> {
///         self.0.find(query)
///     }
///
///     fn forget<'a>(
///         &'a self,
///         scope: &'a MemoryScope,
///         id: &'a str,
///     ) -> BoxFuture<'a, Result<bool, MemoryError>> {
///         self.0.forget(scope, id)
///     }
///
///     fn forget_all<'a>(&'a self, owner: &'a MemoryOwner) -> BoxFuture<'a, Result<usize, MemoryError>> {
///         self.0.forget_all(owner)
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a store of memories",
    label = "not a store of memories",
    note = "a store of your own implements `MemoryStore`; `VolatileMemories` has memories until the program ends"
)]
pub trait MemoryStore: Send + Sync + 'static {
    /// Adds a memory and returns it. If the scope has a memory with exactly this text, returns that one and adds nothing,
    /// so that a repeated call has no further effect.
    ///
    /// Cancel safety: as for all methods.
    ///
    /// # Errors
    /// Returns an error if the memory cannot be stored; then nothing is.
    fn add<'a>(&'a self, scope: &'a MemoryScope, text: &'a str)
    -> BoxFuture<'a, Result<Memory, MemoryError>>;

    /// Returns the memories that the query selects.
    ///
    /// Without words: all of the scope in the order of their addition, the newest first, whatever their times are.
    ///
    /// With words: those with at least one of the words. Words are separated by anything but letters and digits, and
    /// their case means nothing; nothing else of the text has a meaning, so it cannot be malformed. In languages without
    /// spaces between words, each two letters that are beside each other are a word, and so is a letter alone; of a text with
    /// more than 64 of these, such as a paragraph, only the first 64 count. A store can return further ones, for example with other
    /// forms of a word. The best come first, as the store judges; a memory with all words comes before a memory with one of them.
    /// A text without words selects nothing.
    ///
    /// [`MemoryQuery::page`] does this for a store that reads all memories of the scope, and [`MemoryQuery::terms`] are
    /// the words for an index.
    ///
    /// Cancel safety: as for all methods.
    ///
    /// # Errors
    /// Returns [`MemoryError::SearchTooLong`] for more than 1,000 characters or 64 different words, and another error if the
    /// memories cannot be read.
    fn find<'a>(&'a self, query: &'a MemoryQuery) -> BoxFuture<'a, Result<Vec<Memory>, MemoryError>>;

    /// Removes a memory for good. Returns whether the scope had it.
    ///
    /// Cancel safety: as for all methods.
    ///
    /// # Errors
    /// Returns an error if the memory cannot be removed.
    fn forget<'a>(&'a self, scope: &'a MemoryScope, id: &'a str) -> BoxFuture<'a, Result<bool, MemoryError>>;

    /// Removes all memories of an owner, of every kind, for good. Returns their number.
    ///
    /// Cancel safety: as for all methods.
    ///
    /// # Errors
    /// Returns an error if the memories cannot be removed.
    fn forget_all<'a>(&'a self, owner: &'a MemoryOwner) -> BoxFuture<'a, Result<usize, MemoryError>>;
}

#[diagnostic::do_not_recommend]
impl<S: MemoryStore + ?Sized> MemoryStore for Arc<S> {
    fn add<'a>(
        &'a self,
        scope: &'a MemoryScope,
        text: &'a str,
    ) -> BoxFuture<'a, Result<Memory, MemoryError>> {
        (**self).add(scope, text)
    }

    fn find<'a>(&'a self, query: &'a MemoryQuery) -> BoxFuture<'a, Result<Vec<Memory>, MemoryError>> {
        (**self).find(query)
    }

    fn forget<'a>(&'a self, scope: &'a MemoryScope, id: &'a str) -> BoxFuture<'a, Result<bool, MemoryError>> {
        (**self).forget(scope, id)
    }

    fn forget_all<'a>(&'a self, owner: &'a MemoryOwner) -> BoxFuture<'a, Result<usize, MemoryError>> {
        (**self).forget_all(owner)
    }
}
