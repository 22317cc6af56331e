//! Leases on sessions, by the clock of the machine.

use std::time::{Duration, SystemTime};

use onionskin_core::sessions::{SessionLease, SessionStoreError};
use rusqlite::{Connection, params};

use super::rows::{SessionRow, milliseconds};
use crate::failure::Stop;
use crate::writer::Work;

const DAY: i64 = 24 * 60 * 60 * 1_000;

/// When a lease begins and ends that is acquired at this moment.
pub(super) struct LeaseTimes {
    pub(super) start: i64,
    pub(super) end: i64,
}

impl LeaseTimes {
    pub(super) fn new(time: Duration) -> Self {
        let start = milliseconds(SystemTime::now());
        let time = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        Self { start, end: start.saturating_add(time) }
    }
}

pub(super) fn acquire(connection: &Connection, lease: &SessionLease) -> Work<u64, SessionStoreError> {
    // In the transaction, so that the times of several programs are in the order of their leases.
    let LeaseTimes { start, end } = LeaseTimes::new(lease.time());
    let Some(row) = SessionRow::read(connection, lease.session())? else {
        // What programs left that ended before their first record. Their leases ended long ago.
        let abandoned = "DELETE FROM sessions WHERE records = 0 AND lease_end <= ?1";
        connection.prepare_cached(abandoned)?.execute([start.saturating_sub(DAY)])?;
        let insert = "INSERT INTO sessions (name, holder, lease_start, lease_end) VALUES (?1, ?2, ?3, ?4)";
        connection.prepare_cached(insert)?.execute(params![lease.session(), lease.holder(), start, end])?;
        return Ok(0);
    };
    if row.holder(start).is_some_and(|holder| holder != lease.holder()) {
        return Err(Stop::Refused(SessionStoreError::held(lease.session())));
    }
    let update = "UPDATE sessions SET holder = ?2, lease_start = ?3, lease_end = ?4 WHERE id = ?1";
    connection.prepare_cached(update)?.execute(params![row.id.0, lease.holder(), start, end])?;
    Ok(row.records)
}

pub(super) fn release(connection: &Connection, lease: &SessionLease) -> Work<(), SessionStoreError> {
    let holder = params![lease.session(), lease.holder()];
    let delete = "DELETE FROM sessions WHERE name = ?1 AND holder = ?2 AND records = 0";
    connection.prepare_cached(delete)?.execute(holder)?;
    let update = "UPDATE sessions SET holder = NULL, lease_end = 0 WHERE name = ?1 AND holder = ?2";
    connection.prepare_cached(update)?.execute(holder)?;
    Ok(())
}
