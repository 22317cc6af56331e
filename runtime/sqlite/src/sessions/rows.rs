//! Rows of the tables.

use std::ops::Range;
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OptionalExtension as _};

use crate::failure::Stop;

/// A session has fewer than 2^24 records, so that the id of a record is that of its session, and its number in the low 24
/// bits. The records of a session are beside each other.
const NUMBER_BITS: u32 = 24;

pub(super) const MAX_RECORDS: u64 = 1 << NUMBER_BITS;

/// The id of a session in this file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SessionId(pub(super) i64);

impl SessionId {
    /// An id that the file has. It is negative or too large only if another program wrote it.
    pub(super) fn new<E>(id: i64) -> Result<Self, Stop<E>> {
        if (0..(1 << (63 - NUMBER_BITS)) - 1).contains(&id) {
            return Ok(Self(id));
        }
        Err(Stop::Corrupt("a session has an id that is out of range".to_owned()))
    }

    pub(super) fn from_record(record: i64) -> Self {
        Self(record >> NUMBER_BITS)
    }

    /// The ids of its records after the first ones.
    pub(super) fn records_after(self, count: u64) -> Range<i64> {
        let first = self.0 << NUMBER_BITS;
        let count = i64::try_from(count.min(MAX_RECORDS)).unwrap_or(0);
        first + count..first + (1 << NUMBER_BITS)
    }
}

/// What writes and reads need of a session.
pub(super) struct SessionRow {
    pub(super) id: SessionId,
    pub(super) records: u64,
    /// Who has acquired the lease last, and has not released it.
    pub(super) last_holder: Option<String>,
    lease_start: i64,
    lease_end: i64,
}

impl SessionRow {
    pub(super) fn read<E>(connection: &Connection, session: &str) -> Result<Option<Self>, Stop<E>> {
        let select = "SELECT id, records, holder, lease_start, lease_end FROM sessions WHERE name = ?1";
        let row = connection.prepare_cached(select)?.query_row([session], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
        });
        let Some((id, records, last_holder, lease_start, lease_end)) = row.optional()? else {
            return Ok(None);
        };
        let (id, records) = (SessionId::new(id)?, count(records)?);
        Ok(Some(Self { id, records, last_holder, lease_start, lease_end }))
    }

    /// Who has the lease at this moment. If the clock was set back by more than the time of a lease, the lease is over,
    /// because its end may be far away. Corrections by less are usual, and end no lease.
    pub(super) fn holder(&self, now: i64) -> Option<&str> {
        let time = self.lease_end.saturating_sub(self.lease_start);
        let start = self.lease_start.saturating_sub(time);
        self.last_holder.as_deref().filter(|_| (start..self.lease_end).contains(&now))
    }
}

/// A number of records in the file.
pub(super) fn count<E>(records: i64) -> Result<u64, Stop<E>> {
    u64::try_from(records).map_err(|_| Stop::Corrupt("a number of records is negative".to_owned()))
}

/// Milliseconds since 1970, from the time itself or up to the next one.
pub(super) fn milliseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos().div_ceil(1_000_000)).unwrap_or(i64::MAX)
}
