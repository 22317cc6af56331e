//! Deletion for good.
//!
//! The index of words only marks deleted texts, until it is merged. `SQLite` overwrites what is deleted (`secure_delete`), but
//! when it moves rows to another page, it leaves copies in the unused part of the first one. So the index and the file are
//! rewritten after a deletion. Until that is done, a row says that it must be.

use std::path::Path;

use rusqlite::Connection;

use crate::failure::Failure;

/// In the transaction that deletes: deleted content will be in the file until [`finish`].
pub(crate) fn begin(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute("INSERT INTO deletions DEFAULT VALUES", []).map(drop)
}

/// Removes deleted content from the file and its log, if there is some. Outside of transactions.
pub(crate) fn finish(connection: &Connection, file: &Path) -> Result<(), Failure> {
    let failed = |error| Failure::sqlite(file, &error);
    // Another program can delete content meanwhile. Its row stays.
    let newest =
        connection.query_row("SELECT max(id) FROM deletions", [], |row| row.get::<_, Option<i64>>(0));
    let Some(newest) = newest.map_err(failed)? else { return Ok(()) };
    for index in ["texts", "memory_words"] {
        connection
            .execute(&format!("INSERT INTO {index} ({index}) VALUES ('optimize')"), [])
            .map_err(failed)?;
    }
    connection.execute("VACUUM", []).map_err(failed)?;
    let is_busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
    if is_busy.map_err(failed)? {
        let reason = "it still has deleted content, because another program reads it; delete again";
        return Err(Failure::other(file, reason));
    }
    connection.execute("DELETE FROM deletions WHERE id <= ?1", [newest]).map_err(failed)?;
    Ok(())
}
