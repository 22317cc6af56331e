//! Reads the records of sessions.

use onionskin_core::sessions::{SessionRecord, SessionStoreError};
use rusqlite::Connection;

use super::rows::SessionRow;
use crate::failure::Stop;
use crate::writer::Work;

pub(super) fn read(
    connection: &Connection,
    session: &str,
    after: u64,
) -> Work<Vec<SessionRecord>, SessionStoreError> {
    let Some(row) = SessionRow::read(connection, session)? else { return Ok(Vec::new()) };
    let ids = row.id.records_after(after);
    let select = "SELECT id, json FROM records WHERE id >= ?1 AND id < ?2 ORDER BY id";
    let mut select = connection.prepare_cached(select)?;
    let mut rows = select.query([ids.start, ids.end])?;
    let mut records = Vec::new();
    for (number, id) in (after..row.records).zip(ids) {
        let missing = || Stop::Corrupt(format!("the record {number} of the session `{session}` is missing"));
        let next = rows.next()?.filter(|next| next.get(0) == Ok(id)).ok_or_else(missing)?;
        let json = next.get_ref(1)?.as_str().map_err(|_| missing())?;
        records.push(SessionRecord::from_json(json).map_err(Stop::Refused)?);
    }
    if rows.next()?.is_some() {
        return Err(Stop::Corrupt(format!("the session `{session}` has more records than it counts")));
    }
    Ok(records)
}
