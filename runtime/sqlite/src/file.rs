//! Connections to the file.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::types::Value;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::failure::Failure;
use crate::schema::{APPLICATION, MIGRATIONS, VERSION};
use crate::wipe;

/// How long a call waits while other programs write. A deletion rewrites the file.
const PATIENCE: Duration = Duration::from_secs(30);

/// The length of the smallest page of a database.
const MIN_LENGTH: u64 = 512;

/// The maximum number of bytes of the log that stay when it begins anew.
const MAX_LOG: i64 = 8 << 20;

/// The pause between two attempts where `SQLite` does not wait.
const PAUSE: Duration = Duration::from_millis(5);

/// Opens the file for the thread that writes. Creates it, and the tables that it lacks.
pub(crate) fn open_writer(file: &Path, max_size: Option<u64>) -> Result<Connection, Failure> {
    create(file).map_err(|error| Failure::io(file, &error))?;
    // SQLite overwrites a file that is shorter than a page.
    let length = file.metadata().map_err(|error| Failure::io(file, &error))?.len();
    if (1..MIN_LENGTH).contains(&length) {
        return Err(Failure::foreign(file));
    }
    let failed = |error| Failure::sqlite(file, &error);
    let mut connection = connect(file).map_err(failed)?;
    if connection.is_readonly("main").map_err(failed)? {
        return Err(Failure::read_only(file));
    }
    // Before anything is written: the file may be that of another program.
    // In one transaction: another program may create the tables between two reads.
    let stamp = connection.unchecked_transaction().and_then(|state| Stamp::read(&state)).map_err(failed)?;
    let version = check(file, &stamp)?;
    write_ahead(&connection).map_err(failed)?;
    // A commit survives a power failure. What is deleted is overwritten.
    connection.pragma_update(None, "synchronous", "full").map_err(failed)?;
    connection.pragma_update_and_check(None, "secure_delete", true, |_| Ok(())).map_err(failed)?;
    // After many writes at once the log is cut.
    connection.pragma_update_and_check(None, "journal_size_limit", MAX_LOG, |_| Ok(())).map_err(failed)?;
    if let Some(bytes) = max_size {
        limit(&connection, bytes).map_err(failed)?;
    }
    if version < VERSION {
        migrate(file, &mut connection)?;
    }
    // A program that was killed may have left it. If it fails, the next deletion repeats it.
    let _ = wipe::finish(&connection, file);
    Ok(connection)
}

/// Opens the file for a thread that reads.
pub(crate) fn open_reader(file: &Path) -> rusqlite::Result<Connection> {
    let connection = connect(file)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

fn connect(file: &Path) -> rusqlite::Result<Connection> {
    // Without URIs: a path has no parameters. Each connection is used by one thread at a time.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(PATIENCE)?;
    // A stranger may have made the file: what it has runs no functions, and nobody writes to the tables of an index.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    // As many as there are statements.
    connection.set_prepared_statement_cache_capacity(32);
    Ok(connection)
}

/// Creates an empty file that only its owner reads. `SQLite` gives its other files the same permissions.
fn create(file: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(file) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// What the header of a file says, and what it has.
struct Stamp {
    application: i32,
    version: i32,
    schema: Schema,
}

impl Stamp {
    fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get(0));
        Ok(Self {
            application: number("application_id")?,
            version: number("user_version")?,
            schema: schema(connection)?,
        })
    }
}

/// Returns the version of a file of ours: 0 for an empty file.
fn check(file: &Path, stamp: &Stamp) -> Result<usize, Failure> {
    let Stamp { application, version, schema } = stamp;
    if (*application, *version, schema.is_empty()) == (0, 0, true) {
        return Ok(0);
    }
    if *application != APPLICATION {
        return Err(Failure::foreign(file));
    }
    let version = usize::try_from(*version).unwrap_or(0);
    if version == 0 {
        return Err(Failure::corrupt(file, "it has no version"));
    }
    if version > VERSION {
        let number = |version| u64::try_from(version).unwrap_or(u64::MAX);
        return Err(Failure::version(file, number(version), number(VERSION)));
    }
    if *schema != schema_of(version).map_err(|error| Failure::sqlite(file, &error))? {
        return Err(Failure::corrupt(
            file,
            "it has other tables, indexes, views or triggers than onionskin makes",
        ));
    }
    Ok(version)
}

/// How all that a file has was created, without the tables in which `ANALYZE` counts.
type Schema = Vec<[Value; 4]>;

fn schema(connection: &Connection) -> rusqlite::Result<Schema> {
    let select = "
        SELECT type, name, tbl_name, sql FROM sqlite_schema
        WHERE NOT (type = 'table' AND (name, sql) IN (VALUES
            ('sqlite_stat1', 'CREATE TABLE sqlite_stat1(tbl,idx,stat)'),
            ('sqlite_stat4', 'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)')))
        ORDER BY type, name
    ";
    let mut select = connection.prepare(select)?;
    let rows = select.query_map([], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]))?;
    rows.collect()
}

/// The [`schema`] of a file of this version.
fn schema_of(version: usize) -> rusqlite::Result<Schema> {
    let connection = Connection::open_in_memory()?;
    MIGRATIONS[..version].iter().try_for_each(|tables| connection.execute_batch(tables))?;
    schema(&connection)
}

/// Creates the tables that a file of an earlier version lacks, all or none.
fn migrate(file: &Path, connection: &mut Connection) -> Result<(), Failure> {
    let failed = |error| Failure::sqlite(file, &error);
    // Another program may do the same at the same time.
    let migration = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    let version = check(file, &Stamp::read(&migration).map_err(failed)?)?;
    if version == VERSION {
        return Ok(());
    }
    for tables in &MIGRATIONS[version..] {
        migration.execute_batch(tables).map_err(failed)?;
    }
    migration.pragma_update(None, "application_id", APPLICATION).map_err(failed)?;
    let version = i64::try_from(VERSION).unwrap_or(i64::MAX);
    migration.pragma_update(None, "user_version", version).map_err(failed)?;
    migration.commit().map_err(failed)
}

/// Sets the journal mode `wal`, in which readers and one writer do not wait for each other. Of several programs that do
/// so at once, `SQLite` refuses all but one without waiting.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let end = Instant::now() + PATIENCE;
    loop {
        match connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(())) {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && Instant::now() < end =>
            {
                thread::sleep(PAUSE);
            }
            result => return result,
        }
    }
}

/// Limits the size of the file.
fn limit(connection: &Connection, bytes: u64) -> rusqlite::Result<()> {
    let page: i64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    let pages = i64::try_from(bytes).unwrap_or(i64::MAX) / page.max(1);
    connection.pragma_update_and_check(None, "max_page_count", pages.max(1), |_| Ok(()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use super::*;

    #[test]
    fn a12_a_file_of_a_stranger_is_not_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("sessions.db");
        let connections = [open_writer(&file, None).unwrap(), open_reader(&file).unwrap()];
        for connection in connections {
            assert!(!connection.db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA).unwrap());
            assert!(connection.db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE).unwrap());
        }
    }
}
