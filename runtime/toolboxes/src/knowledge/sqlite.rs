//! The documents are stored in `SQLite`.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _, Row, TransactionBehavior, params};

use super::error::{KnowledgeError, reason};
use super::{TAGS, TITLE};
use crate::cut;

/// Marks the file's header as ours.
const APPLICATION: i32 = 0x4f_4e_4b_42;

const VERSION: i32 = 1;

/// The time that a call waits while other programs write.
const PATIENCE: Duration = Duration::from_secs(5);

const TABLES: &str = "
    CREATE TABLE documents (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        title TEXT NOT NULL,
        text TEXT NOT NULL,
        tags TEXT NOT NULL
    );
    CREATE VIRTUAL TABLE words USING fts5 (
        title, text, tags,
        content = 'documents', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2'
    );
    CREATE TRIGGER document_added AFTER INSERT ON documents BEGIN
        INSERT INTO words (rowid, title, text, tags) VALUES (new.id, new.title, new.text, new.tags);
    END;
    CREATE TRIGGER document_deleted AFTER DELETE ON documents BEGIN
        INSERT INTO words (words, rowid, title, text, tags)
        VALUES ('delete', old.id, old.title, old.text, old.tags);
    END;
";

/// A title weighs more than a tag, and that more than a word of the text.
const SEARCH: &str = "
    SELECT documents.id, documents.title, documents.tags, snippet(words, 1, '', '', '…', 40)
    FROM words JOIN documents ON documents.id = words.rowid
    WHERE words MATCH ?1
    ORDER BY bm25(words, 4.0, 1.0, 2.0), documents.id
    LIMIT ?2
";

/// A stored document; in search results, the text is a piece.
pub(super) struct StoredDocument {
    pub(super) id: i64,
    pub(super) title: String,
    pub(super) tags: Vec<String>,
    pub(super) text: String,
}

pub(super) fn open(path: &Path, flags: OpenFlags) -> Result<Connection, KnowledgeError> {
    let file = || path.display().to_string();
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(path, flags).and_then(|mut connection| {
        connection.busy_timeout(PATIENCE)?;
        let sound = prepare(&mut connection, !flags.contains(OpenFlags::SQLITE_OPEN_READ_ONLY))?;
        Ok(sound.then_some(connection))
    });
    match opened {
        Ok(Some(connection)) => Ok(connection),
        Ok(None) => Err(KnowledgeError::Foreign { file: file() }),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) => {
            Err(KnowledgeError::Foreign { file: file() })
        }
        Err(error) => Err(KnowledgeError::Open { file: file(), reason: reason(&error) }),
    }
}

pub(super) fn in_memory() -> rusqlite::Result<Connection> {
    let mut connection = Connection::open_in_memory()?;
    prepare(&mut connection, true)?;
    Ok(connection)
}

/// Makes the tables in an empty file; false if the file has other content.
fn prepare(connection: &mut Connection, may_write: bool) -> rusqlite::Result<bool> {
    let stamp = |connection: &Connection| -> rusqlite::Result<(i32, i32, bool)> {
        let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get(0));
        let tables =
            connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get::<_, i64>(0))?;
        Ok((number("application_id")?, number("user_version")?, tables == 0))
    };
    // In one transaction: another program may make the tables between two readings.
    let found = stamp(&*connection.transaction()?)?;
    match found {
        (APPLICATION, VERSION, _) => return Ok(true),
        (0, 0, true) if may_write => {}
        _ => return Ok(false),
    }
    // Readers and one writer do not wait for each other. Nothing changes for a base in memory.
    write_ahead(connection)?;
    let making = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another program may have been faster.
    if stamp(&making)? == (0, 0, true) {
        making.execute_batch(TABLES)?;
        making.pragma_update(None, "application_id", APPLICATION)?;
        making.pragma_update(None, "user_version", VERSION)?;
    }
    let ours = stamp(&making)?;
    making.commit()?;
    Ok((ours.0, ours.1) == (APPLICATION, VERSION))
}

/// Sets the journal mode `wal`. Of several programs that do so at once, `SQLite` refuses all but one without waiting, whatever
/// the connection's timeout is.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let end = Instant::now() + PATIENCE;
    loop {
        match connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(())) {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && Instant::now() < end =>
            {
                std::thread::sleep(Duration::from_millis(10));
            }
            end => return end,
        }
    }
}

/// Bounds the size of the file.
pub(super) fn bound(connection: &Connection, bytes: u64) -> rusqlite::Result<()> {
    let page: i64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    let pages = i64::try_from(bytes).unwrap_or(i64::MAX) / page.max(1);
    connection.pragma_update_and_check(None, "max_page_count", pages.max(1), |_| Ok(()))?;
    Ok(())
}

pub(super) fn add(
    connection: &Connection,
    title: &str,
    text: &str,
    tags: &[String],
) -> rusqlite::Result<i64> {
    let insert = "INSERT INTO documents (title, text, tags) VALUES (?1, ?2, ?3)";
    connection.execute(insert, params![title, text, serde_json::json!(tags).to_string()])?;
    Ok(connection.last_insert_rowid())
}

pub(super) fn get(connection: &Connection, id: i64) -> rusqlite::Result<Option<StoredDocument>> {
    let select = "SELECT id, title, tags, text FROM documents WHERE id = ?1";
    connection.query_row(select, [id], stored_document).optional()
}

/// Deletes a document. Returns whether it was there.
pub(super) fn delete(connection: &Connection, id: i64) -> rusqlite::Result<bool> {
    Ok(connection.execute("DELETE FROM documents WHERE id = ?1", [id])? > 0)
}

pub(super) fn search(
    connection: &Connection,
    expression: &str,
    limit: u32,
) -> rusqlite::Result<Vec<StoredDocument>> {
    let mut search = connection.prepare(SEARCH)?;
    let found = search.query_map(params![expression, limit], stored_document)?;
    found.collect()
}

/// A file from elsewhere may have longer titles and tags than `add` takes: they are cut.
fn stored_document(row: &Row<'_>) -> rusqlite::Result<StoredDocument> {
    let tags: String = row.get(2)?;
    let tags: Vec<String> = serde_json::from_str(&tags).unwrap_or_default();
    Ok(StoredDocument {
        id: row.get(0)?,
        title: cut(&row.get::<_, String>(1)?, TITLE),
        tags: tags.into_iter().take(TAGS).map(|tag| cut(&tag, TITLE)).collect(),
        text: row.get(3)?,
    })
}
