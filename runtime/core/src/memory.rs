//! Memories: what agents know in later sessions.
//!
//! A [`MemoryStore`] has the memories of users, of agents, and shared ones. [`VolatileMemories`] is a store
//! in memory.

pub use onionskin_tools::memory::{
    Memory, MemoryError, MemoryOwner, MemoryQuery, MemoryScope, MemoryStore, VolatileMemories, is_unspaced,
};
pub use onionskin_tools::search::SearchTooLong;
