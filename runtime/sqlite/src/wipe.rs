//! Deletion for good.
//!
//! The index of words only marks deleted texts, until it is merged. `SQLite` overwrites what is deleted (`secure_delete`), but
//! when it moves rows to another page, it leaves copies in the unused part of the first one. So the index and the file are
//! rewritten after a deletion of sessions. Memories are few, so only their tables are, after a deletion of theirs. Until that is
//! done, a row says that it must be.

use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::types::Value;
use rusqlite::{Connection, Transaction, TransactionBehavior, params_from_iter};

use crate::failure::Failure;

/// What a transaction deletes.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Deleted {
    Sessions,
    Memories,
}

/// In the transaction that deletes: deleted content will be in the file until [`finish`].
pub(crate) fn begin(connection: &Connection, deleted: Deleted) -> rusqlite::Result<()> {
    let insert = "INSERT INTO wipes (of_sessions) VALUES (?1)";
    connection.prepare_cached(insert)?.execute([deleted == Deleted::Sessions]).map(drop)
}

/// Removes deleted content from the file and its log, if there is some. Outside of transactions.
pub(crate) fn finish(connection: &Connection, file: &Path) -> Result<(), Failure> {
    match wipe(connection) {
        Ok(true) => Ok(()),
        Ok(false) => Err(Failure::remains(file, None)),
        Err(error) => Err(Failure::remains(file, Some(&error))),
    }
}

/// Returns whether nothing is left.
fn wipe(connection: &Connection) -> rusqlite::Result<bool> {
    // Another program can delete content meanwhile. Its row stays.
    let select = "SELECT max(id), max(of_sessions) FROM wipes";
    let due: (Option<i64>, Option<bool>) =
        connection.query_row(select, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let (Some(newest), Some(of_sessions)) = due else { return Ok(true) };
    merge(connection, "memory_words")?;
    if of_sessions {
        merge(connection, "texts")?;
        connection.execute("VACUUM", [])?;
    } else {
        // The tables of the index are tables like others then.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, false)?;
        let rewritten = rewrite_memories(connection);
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        rewritten?;
    }
    if connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))? {
        return Ok(false);
    }
    connection.execute("DELETE FROM wipes WHERE id <= ?1", [newest])?;
    Ok(true)
}

/// Removes the words of deleted texts from an index.
fn merge(connection: &Connection, index: &str) -> rusqlite::Result<()> {
    connection.execute(&format!("INSERT INTO {index} ({index}) VALUES ('optimize')"), []).map(drop)
}

/// Empties the tables of memories, for which `SQLite` overwrites all of their pages, and fills them again.
fn rewrite_memories(connection: &Connection) -> rusqlite::Result<()> {
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    for table in ["memories", "memory_words_data", "memory_words_idx", "memory_words_docsize"] {
        let mut select = transaction.prepare(&format!("SELECT * FROM {table}"))?;
        let columns = select.column_count();
        let rows = select.query_map([], |row| (0..columns).map(|column| row.get(column)).collect())?;
        let rows: Vec<Vec<Value>> = rows.collect::<Result<_, _>>()?;
        transaction.execute(&format!("DELETE FROM {table}"), [])?;
        let values = vec!["?"; columns].join(", ");
        let mut insert = transaction.prepare(&format!("INSERT INTO {table} VALUES ({values})"))?;
        for row in rows {
            insert.execute(params_from_iter(row))?;
        }
    }
    transaction.commit()
}
