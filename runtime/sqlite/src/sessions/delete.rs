//! Deletion of sessions.

use onionskin_core::sessions::{SessionSelection, SessionStoreError};
use rusqlite::Connection;

use super::rows::SessionId;
use crate::failure::Stop;
use crate::wipe::{self, Deleted};
use crate::writer::Work;

/// Deletes sessions, their records and their texts in the index. Returns the number of those that had records.
pub(super) fn delete(connection: &Connection, selection: &SessionSelection) -> Work<u64, SessionStoreError> {
    let (condition, value) = match selection {
        SessionSelection::Session(session) => ("name = ?1", session),
        SessionSelection::User(user) => ("user = ?1", user),
        // A selection of a later version.
        _ => return Err(Stop::Refused(SessionStoreError::storage("it cannot delete by such a selection"))),
    };
    let mut select =
        connection.prepare_cached(&format!("SELECT id, records FROM sessions WHERE {condition}"))?;
    let rows = select.query_map([&**value], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? > 0)))?;
    let sessions: Vec<_> = rows.collect::<Result<_, _>>()?;
    for (session, _) in &sessions {
        let ids = SessionId::new(*session)?.records_after(0);
        for delete in [
            "DELETE FROM texts WHERE rowid >= ?1 AND rowid < ?2",
            "DELETE FROM records WHERE id >= ?1 AND id < ?2",
        ] {
            connection.prepare_cached(delete)?.execute([ids.start, ids.end])?;
        }
        connection.prepare_cached("DELETE FROM sessions WHERE id = ?1")?.execute([session])?;
    }
    if !sessions.is_empty() {
        wipe::begin(connection, Deleted::Sessions)?;
    }
    let count = sessions.iter().filter(|(_, has_records)| *has_records).count();
    Ok(u64::try_from(count).unwrap_or(u64::MAX))
}
