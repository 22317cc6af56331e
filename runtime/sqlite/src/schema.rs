//! The tables of the file, by version.

/// Marks the file's header as ours.
pub(crate) const APPLICATION: i32 = 0x4f_4e_53_54;

/// The version of the tables.
pub(crate) const VERSION: usize = MIGRATIONS.len();

/// What each version adds to the one before. An entry never changes: files have it.
pub(crate) const MIGRATIONS: [&str; 2] = [SESSIONS, BUDGETS_AND_MEMORIES];

/// The id of a record is that of its session and its number: see `sessions::rows`. The texts have the ids of their records. They are an
/// index only: the text is in the record.
const SESSIONS: &str = "
    CREATE TABLE sessions (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        user TEXT,
        created INTEGER,
        updated INTEGER,
        records INTEGER NOT NULL DEFAULT 0,
        holder TEXT,
        lease_start INTEGER NOT NULL DEFAULT 0,
        lease_end INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX sessions_by_time ON sessions (updated, name) WHERE records > 0;
    CREATE INDEX sessions_by_user ON sessions (user, updated, name) WHERE user IS NOT NULL;
    CREATE INDEX sessions_without_records ON sessions (lease_end) WHERE records = 0;
    CREATE TABLE records (
        id INTEGER PRIMARY KEY,
        json TEXT NOT NULL
    ) STRICT;
    CREATE VIRTUAL TABLE texts USING fts5 (
        text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
    );
    CREATE TABLE deletions (id INTEGER PRIMARY KEY) STRICT;
";

/// A window of -1 is none. The words of memories are an index only, as the texts of sessions. The id of a wipe is never used
/// again, because programs remove the rows up to one that they have read.
const BUDGETS_AND_MEMORIES: &str = "
    CREATE TABLE accounts (
        budget TEXT NOT NULL,
        scope TEXT NOT NULL,
        id TEXT NOT NULL,
        window INTEGER NOT NULL,
        began INTEGER NOT NULL,
        tokens INTEGER NOT NULL,
        money INTEGER NOT NULL,
        calls INTEGER NOT NULL,
        time INTEGER NOT NULL,
        PRIMARY KEY (budget, scope, id, window)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE wipes (id INTEGER PRIMARY KEY AUTOINCREMENT, of_sessions INTEGER NOT NULL) STRICT;
    INSERT INTO wipes SELECT id, 1 FROM deletions;
    DROP TABLE deletions;
    CREATE TABLE memories (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        owner TEXT NOT NULL,
        name TEXT NOT NULL,
        kind TEXT NOT NULL,
        text TEXT NOT NULL,
        time INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX memories_by_scope ON memories (owner, name, kind, id);
    CREATE VIRTUAL TABLE memory_words USING fts5 (
        scope, text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
    );
";
