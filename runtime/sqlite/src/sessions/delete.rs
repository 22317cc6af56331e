//! Deletion for good.

use onionskin_core::sessions::{SessionRecord, SessionSelection, SessionStoreError};
use rusqlite::{Connection, params};

use super::rows::SessionId;
use crate::failure::Stop;
use crate::text::indexed;
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
    let rows = select.query_map([&**value], |row| Ok((SessionId(row.get(0)?), row.get::<_, i64>(1)? > 0)))?;
    let sessions: Vec<_> = rows.collect::<Result<_, _>>()?;
    let mut is_indexed = true;
    for (session, _) in &sessions {
        is_indexed &= remove_texts(connection, *session)?;
        let ids = session.records_after(0);
        let delete = "DELETE FROM records WHERE id >= ?1 AND id < ?2";
        connection.prepare_cached(delete)?.execute([ids.start, ids.end])?;
        connection.prepare_cached("DELETE FROM sessions WHERE id = ?1")?.execute([session.0])?;
    }
    if !is_indexed {
        index_again(connection)?;
    }
    let count = sessions.iter().filter(|(_, has_records)| *has_records).count();
    Ok(u64::try_from(count).unwrap_or(u64::MAX))
}

/// Removes the texts of a session from the index, which needs them as they were added. Returns whether all could be read.
fn remove_texts(connection: &Connection, session: SessionId) -> Work<bool, SessionStoreError> {
    let mut remove =
        connection.prepare_cached("INSERT INTO texts (texts, rowid, text) VALUES ('delete', ?1, ?2)")?;
    let mut are_read = true;
    let ids = session.records_after(0);
    each_text(connection, (ids.start, ids.end), |id, text| {
        match text {
            Some(text) => drop(remove.execute(params![id, text])?),
            None => are_read = false,
        }
        Ok(())
    })?;
    Ok(are_read)
}

/// Makes the index of all texts anew. It takes seconds for each million of records.
fn index_again(connection: &Connection) -> Work<(), SessionStoreError> {
    connection.execute("INSERT INTO texts (texts) VALUES ('delete-all')", [])?;
    let mut index = connection.prepare_cached("INSERT INTO texts (rowid, text) VALUES (?1, ?2)")?;
    each_text(connection, (i64::MIN, i64::MAX), |id, text| {
        if let Some(text) = text {
            index.execute(params![id, text])?;
        }
        Ok(())
    })
}

/// Calls a function with the indexed text of each record that has one, and with `None` for a damaged record.
fn each_text(
    connection: &Connection,
    ids: (i64, i64),
    mut each: impl FnMut(i64, Option<&str>) -> Work<(), SessionStoreError>,
) -> Work<(), SessionStoreError> {
    let select = "SELECT id, json FROM records WHERE id >= ?1 AND id < ?2 ORDER BY id";
    let mut select = connection.prepare_cached(select)?;
    let mut rows = select.query(ids)?;
    while let Some(row) = rows.next()? {
        let (id, json): (i64, String) = (row.get(0)?, row.get(1)?);
        match SessionRecord::from_json(&json) {
            Ok(record) => {
                if let Some(text) = record.search_text() {
                    each(id, Some(&indexed(&text)))?;
                }
            }
            Err(SessionStoreError::Corrupt { .. }) => each(id, None)?,
            Err(error) => return Err(Stop::Refused(error)),
        }
    }
    Ok(())
}
