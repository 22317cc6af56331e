//! Appends to sessions.

use onionskin_core::sessions::{SessionLease, SessionRecord, SessionStoreError};
use rusqlite::{Connection, params};

use super::lease::LeaseTimes;
use super::rows::{MAX_RECORDS, SessionRow, milliseconds};
use crate::failure::Stop;
use crate::text::indexed;
use crate::writer::Work;

/// Records as they are written.
pub(super) struct Appended {
    lease: SessionLease,
    after: u64,
    rows: Vec<Row>,
    user: Option<String>,
    /// The times of the first and of the newest record.
    times: Option<(i64, i64)>,
}

struct Row {
    json: String,
    text: Option<String>,
}

impl Appended {
    pub(super) fn new(
        lease: &SessionLease,
        after: u64,
        records: &[SessionRecord],
    ) -> Result<Self, SessionStoreError> {
        let rows = records.iter().map(|record| {
            let text = record.search_text().map(|text| indexed(&text).into_owned());
            Ok(Row { json: record.to_json()?, text })
        });
        let times: Vec<_> = records.iter().map(|record| milliseconds(record.at())).collect();
        Ok(Self {
            lease: lease.clone(),
            after,
            rows: rows.collect::<Result<_, SessionStoreError>>()?,
            user: records.iter().find_map(SessionRecord::user).map(ToString::to_string),
            times: times.first().copied().zip(times.iter().max().copied()),
        })
    }

    pub(super) fn write(&self, connection: &Connection) -> Work<(), SessionStoreError> {
        let Self { lease, after, rows, user, times } = self;
        let session = lease.session();
        let LeaseTimes { start, end } = LeaseTimes::new(lease.time());
        let row = SessionRow::read(connection, session)?;
        let Some(row) = row.filter(|row| row.last_holder.as_deref() == Some(lease.holder())) else {
            return Err(Stop::Refused(SessionStoreError::lost(session)));
        };
        if row.records != *after {
            return Err(Stop::Refused(SessionStoreError::changed(session, *after, row.records)));
        }
        let appended = u64::try_from(rows.len()).unwrap_or(u64::MAX);
        let Some(records) = after.checked_add(appended).filter(|records| *records <= MAX_RECORDS) else {
            let reason = format!("a session has at most {MAX_RECORDS} records");
            return Err(Stop::Refused(SessionStoreError::full(reason)));
        };
        let mut insert = connection.prepare_cached("INSERT INTO records (id, json) VALUES (?1, ?2)")?;
        let mut index = connection.prepare_cached("INSERT INTO texts (rowid, text) VALUES (?1, ?2)")?;
        for (id, Row { json, text }) in row.id.records_after(*after).zip(rows) {
            insert.execute(params![id, json])?;
            if let Some(text) = text {
                index.execute(params![id, text])?;
            }
        }
        let update = "
            UPDATE sessions SET
                user = coalesce(user, ?2), created = coalesce(created, ?3),
                updated = max(coalesce(updated, ?4), coalesce(?4, updated)), records = ?5, lease_start = ?6, lease_end = ?7
            WHERE id = ?1
        ";
        let (created, updated) = times.unzip();
        let records = i64::try_from(records).unwrap_or(i64::MAX);
        connection
            .prepare_cached(update)?
            .execute(params![row.id.0, user, created, updated, records, start, end])?;
        Ok(())
    }
}
