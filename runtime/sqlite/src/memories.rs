//! The store of memories.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use onionskin_core::BoxFuture;
use onionskin_core::memory::{Memory, MemoryError, MemoryOwner, MemoryQuery, MemoryScope, MemoryStore};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::Sqlite;
use crate::failure::{Failure, Stop};
use crate::text::{indexed, quoted};
use crate::wipe::{self, Deleted};
use crate::writer::Work;

impl From<Failure> for MemoryError {
    fn from(failure: Failure) -> Self {
        Self::storage(failure)
    }
}

impl MemoryStore for Sqlite {
    fn add<'a>(
        &'a self,
        scope: &'a MemoryScope,
        text: &'a str,
    ) -> BoxFuture<'a, Result<Memory, MemoryError>> {
        let (scope, text) = (scope.clone(), text.to_owned());
        Box::pin(self.writer().write(move |connection| add(connection, &scope, &text)))
    }

    fn find<'a>(&'a self, query: &'a MemoryQuery) -> BoxFuture<'a, Result<Vec<Memory>, MemoryError>> {
        let query = query.clone();
        Box::pin(self.readers().read(move |connection| find(connection, &query)))
    }

    fn forget<'a>(&'a self, scope: &'a MemoryScope, id: &'a str) -> BoxFuture<'a, Result<bool, MemoryError>> {
        let (scope, id) = (scope.clone(), id.parse().ok());
        Box::pin(async move {
            let Some(id) = id else { return Ok(false) };
            self.writer().wipe(move |connection| forget(connection, &scope, id)).await
        })
    }

    fn forget_all<'a>(&'a self, owner: &'a MemoryOwner) -> BoxFuture<'a, Result<usize, MemoryError>> {
        let owner = owner.clone();
        Box::pin(self.writer().wipe(move |connection| forget_all(connection, &owner)))
    }
}

/// The columns of an owner: its kind and its name.
fn columns(owner: &MemoryOwner) -> Result<(&'static str, &str), Stop<MemoryError>> {
    match owner {
        MemoryOwner::User(name) => Ok(("user", name)),
        MemoryOwner::Agent(name) => Ok(("agent", name)),
        MemoryOwner::Shared => Ok(("shared", "")),
        // An owner of a later version.
        _ => Err(Stop::Refused(MemoryError::storage("it has no such owners"))),
    }
}

/// A scope as one word of the index, so that a search reads the texts of its scope only.
fn scope_word(owner: &str, name: &str, kind: &str) -> String {
    let bytes = [owner, name, kind].join("\0").into_bytes();
    bytes.iter().fold(String::new(), |mut word, byte| {
        // Writing to a string cannot fail.
        let _ = write!(word, "{byte:02x}");
        word
    })
}

fn memory(id: i64, scope: &MemoryScope, text: String, time: i64) -> Memory {
    let time = UNIX_EPOCH + Duration::from_millis(u64::try_from(time).unwrap_or(0));
    Memory::new(id.to_string(), scope.clone(), text, time)
}

fn add(connection: &Connection, scope: &MemoryScope, text: &str) -> Work<Memory, MemoryError> {
    let (owner, name) = columns(&scope.owner)?;
    let select = "
        SELECT id, time FROM memories WHERE owner = ?1 AND name = ?2 AND kind = ?3 AND text = ?4
    ";
    let stored = connection
        .prepare_cached(select)?
        .query_row(params![owner, name, scope.kind, text], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    if let Some((id, time)) = stored {
        return Ok(memory(id, scope, text.to_owned(), time));
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let now = i64::try_from(now).unwrap_or(i64::MAX);
    let insert = "INSERT INTO memories (owner, name, kind, text, time) VALUES (?1, ?2, ?3, ?4, ?5)";
    connection.prepare_cached(insert)?.execute(params![owner, name, scope.kind, text, now])?;
    let id = connection.last_insert_rowid();
    let index = "INSERT INTO memory_words (rowid, scope, text) VALUES (?1, ?2, ?3)";
    let word = scope_word(owner, name, &scope.kind);
    connection.prepare_cached(index)?.execute(params![id, word, indexed(text)])?;
    Ok(memory(id, scope, text.to_owned(), now))
}

fn find(connection: &Connection, query: &MemoryQuery) -> Work<Vec<Memory>, MemoryError> {
    let MemoryQuery { scope, skip, limit, .. } = query;
    let (owner, name) = columns(&scope.owner)?;
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let Some(terms) = query.terms().map_err(Stop::Refused)? else {
        let select = "
            SELECT id, text, time FROM memories WHERE owner = ?1 AND name = ?2 AND kind = ?3
            ORDER BY id DESC LIMIT ?4 OFFSET ?5
        ";
        let mut select = connection.prepare_cached(select)?;
        let values = params![owner, name, scope.kind, number(*limit), number(*skip)];
        let rows =
            select.query_map(values, |row| Ok(memory(row.get(0)?, scope, row.get(1)?, row.get(2)?)))?;
        return Ok(rows.collect::<Result<_, _>>()?);
    };
    let of_scope = scope_word(owner, name, &scope.kind);
    // The index knows which letters are equal, and a word of the index can be of several scopes with long names.
    let select = "
        SELECT id FROM memory_words JOIN memories ON id = memory_words.rowid
        WHERE memory_words MATCH ?1 AND owner = ?2 AND name = ?3 AND kind = ?4
    ";
    let mut select = connection.prepare_cached(select)?;
    let mut counts: HashMap<i64, usize> = HashMap::new();
    for term in &terms {
        let expression = format!("scope : \"{of_scope}\" AND text : {}", quoted(term));
        for id in select.query_map(params![expression, owner, name, scope.kind], |row| row.get(0))? {
            *counts.entry(id?).or_default() += 1;
        }
    }
    let mut hits: Vec<_> = counts.into_iter().collect();
    hits.sort_by_key(|(id, count)| Reverse((*count, *id)));
    let mut select = connection.prepare_cached("SELECT text, time FROM memories WHERE id = ?1")?;
    let page = hits.into_iter().skip(*skip).take(*limit);
    let page =
        page.map(|(id, _)| select.query_row([id], |row| Ok(memory(id, scope, row.get(0)?, row.get(1)?))));
    Ok(page.collect::<Result<_, _>>()?)
}

fn forget(connection: &Connection, scope: &MemoryScope, id: i64) -> Work<bool, MemoryError> {
    let (owner, name) = columns(&scope.owner)?;
    let delete = "DELETE FROM memories WHERE id = ?1 AND owner = ?2 AND name = ?3 AND kind = ?4";
    let count = connection.prepare_cached(delete)?.execute(params![id, owner, name, scope.kind])?;
    if count > 0 {
        connection.prepare_cached("DELETE FROM memory_words WHERE rowid = ?1")?.execute([id])?;
        wipe::begin(connection, Deleted::Memories)?;
    }
    Ok(count > 0)
}

fn forget_all(connection: &Connection, owner: &MemoryOwner) -> Work<usize, MemoryError> {
    let owner = columns(owner)?;
    let select = "SELECT id FROM memories WHERE owner = ?1 AND name = ?2";
    let mut select = connection.prepare_cached(select)?;
    let ids: Vec<i64> = select.query_map(owner, |row| row.get(0))?.collect::<Result<_, _>>()?;
    for id in &ids {
        connection.prepare_cached("DELETE FROM memory_words WHERE rowid = ?1")?.execute([id])?;
        connection.prepare_cached("DELETE FROM memories WHERE id = ?1")?.execute([id])?;
    }
    if !ids.is_empty() {
        wipe::begin(connection, Deleted::Memories)?;
    }
    Ok(ids.len())
}
