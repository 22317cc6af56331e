//! [`FileMemories`] stores memories in a file.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use onionskin_core::BoxFuture;
use onionskin_core::memory::{Memory, MemoryError, MemoryOwner, MemoryQuery, MemoryScope, MemoryStore};
use serde::{Deserialize, Serialize};

/// Stores memories in one JSON file, which each change writes anew: for a program of its own with few memories. A
/// change is in the file before it is reported, and a change that cannot be written is none.
#[derive(Debug)]
pub struct FileMemories {
    path: PathBuf,
    content: Mutex<Content>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Content {
    /// The number of memories that were ever added, from which ids are made.
    added: u64,
    /// In the order of their addition.
    memories: Vec<Memory>,
}

impl FileMemories {
    /// Opens a file. If there is none, the first change makes it.
    ///
    /// # Errors
    /// If the file cannot be read, or is not one of these files.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref().to_owned();
        let content = match fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text)
                .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Content::default(),
            Err(error) => return Err(error),
        };
        Ok(Self { path, content: Mutex::new(content) })
    }

    fn content(&self) -> MutexGuard<'_, Content> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a change, writes it, and keeps it only then.
    fn change<T>(&self, change: impl FnOnce(&mut Content) -> T) -> Result<T, MemoryError> {
        let mut content = self.content();
        let mut changed = content.clone();
        let result = change(&mut changed);
        self.write(&changed).map_err(MemoryError::storage)?;
        *content = changed;
        Ok(result)
    }

    /// The file is the earlier one or the new one, whenever the program ends.
    fn write(&self, content: &Content) -> io::Result<()> {
        let beside = self.path.with_extension("new");
        let mut file = File::create(&beside)?;
        file.write_all(&serde_json::to_vec(content)?)?;
        file.sync_all()?;
        fs::rename(beside, &self.path)
    }
}

impl MemoryStore for FileMemories {
    fn add<'a>(
        &'a self,
        scope: &'a MemoryScope,
        text: &'a str,
    ) -> BoxFuture<'a, Result<Memory, MemoryError>> {
        Box::pin(async move {
            let is_it = |memory: &&Memory| memory.scope == *scope && memory.text == text;
            if let Some(memory) = self.content().memories.iter().find(is_it) {
                return Ok(memory.clone());
            }
            self.change(|content| {
                // Another call can have added it meanwhile.
                if let Some(memory) = content.memories.iter().find(is_it) {
                    return memory.clone();
                }
                content.added += 1;
                let (id, time) = (content.added.to_string(), SystemTime::now());
                let memory = Memory::new(id, scope.clone(), text, time);
                content.memories.push(memory.clone());
                memory
            })
        })
    }

    fn find<'a>(&'a self, query: &'a MemoryQuery) -> BoxFuture<'a, Result<Vec<Memory>, MemoryError>> {
        Box::pin(async move {
            let content = self.content();
            let of_scope = content.memories.iter().rev().filter(|memory| memory.scope == query.scope);
            Ok(query.page(of_scope)?.into_iter().cloned().collect())
        })
    }

    fn forget<'a>(&'a self, scope: &'a MemoryScope, id: &'a str) -> BoxFuture<'a, Result<bool, MemoryError>> {
        Box::pin(async move {
            let removed = self.remove(|memory| memory.scope == *scope && memory.id == id)?;
            Ok(removed > 0)
        })
    }

    fn forget_all<'a>(&'a self, owner: &'a MemoryOwner) -> BoxFuture<'a, Result<usize, MemoryError>> {
        Box::pin(async move { self.remove(|memory| memory.scope.owner == *owner) })
    }
}

impl FileMemories {
    /// Removes memories, and returns their number.
    fn remove(&self, is_removed: impl Fn(&Memory) -> bool) -> Result<usize, MemoryError> {
        self.change(|content| {
            let before = content.memories.len();
            content.memories.retain(|memory| !is_removed(memory));
            before - content.memories.len()
        })
    }
}
