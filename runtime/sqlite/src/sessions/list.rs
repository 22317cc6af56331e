//! Lists of sessions, and searches in them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use onionskin_core::sessions::{SessionInfo, SessionPage, SessionQuery, SessionRecord, SessionStoreError};
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};

use super::rows::{SessionId, count, milliseconds};
use crate::failure::Stop;
use crate::text::all_words;
use crate::writer::Work;

/// The maximum number of messages with the words for which all of their sessions are read and sorted. With more of them, so many
/// sessions have the words that the newest ones are soon found one by one.
const MAX_SORTED: usize = 4_000;

/// The maximum number of sessions without the words that are looked at one by one, before all messages with the words are read.
const MAX_MISSES: usize = 500;

/// What a candidate needs.
const SELECT: &str = "SELECT id, name, user, created, updated, records FROM sessions";

pub(super) fn list(connection: &Connection, query: &SessionQuery) -> Work<SessionPage, SessionStoreError> {
    let words = query.words().map_err(Stop::Refused)?;
    if words.is_empty() {
        let mut infos = Vec::new();
        let limit = query.limit.max(1);
        walk(connection, query, |session| {
            infos.push(session.info);
            Ok(infos.len() <= limit)
        })?;
        return query.page(infos).map_err(Stop::Refused);
    }
    search(connection, query, &all_words(&words))
}

/// Sessions, each with a record that has the words.
type Hits = Vec<(SessionInfo, i64)>;

/// A session that a query may select.
struct Candidate {
    id: SessionId,
    info: SessionInfo,
}

impl Candidate {
    fn read(row: &Row<'_>) -> Work<Self, SessionStoreError> {
        let time = |column| -> rusqlite::Result<_> {
            let milliseconds: i64 = row.get(column)?;
            Ok(UNIX_EPOCH + Duration::from_millis(u64::try_from(milliseconds).unwrap_or(0)))
        };
        let (name, user): (String, Option<String>) = (row.get(1)?, row.get(2)?);
        let info = SessionInfo::new(name, user.map(Into::into), time(3)?, time(4)?, count(row.get(5)?)?);
        Ok(Self { id: SessionId::new(row.get(0)?)?, info })
    }
}

/// Calls a function with the sessions that the user, the times and the cursor of a query select, in the order of lists, until it
/// returns false.
fn walk(
    connection: &Connection,
    query: &SessionQuery,
    mut each: impl FnMut(Candidate) -> Work<bool, SessionStoreError>,
) -> Work<(), SessionStoreError> {
    let SessionQuery { user, text: _, since, until, limit: _, .. } = query;
    let mut select = format!("{SELECT} WHERE records > 0");
    let mut values: Vec<Value> = Vec::new();
    let mut and = |condition: &str, more: Vec<Value>| {
        select.push_str(" AND ");
        select.push_str(condition);
        values.extend(more);
    };
    if let Some(user) = user {
        and("user = ?", vec![user.to_string().into()]);
    }
    if let Some(since) = since {
        and("updated >= ?", vec![milliseconds(*since).into()]);
    }
    if let Some(until) = until {
        and("updated < ?", vec![milliseconds(*until).into()]);
    }
    if let Some((at, id)) = query.after().map_err(Stop::Refused)? {
        let at = i64::try_from(at).unwrap_or(i64::MAX);
        and("(updated, name) < (?, ?)", vec![at.into(), id.to_owned().into()]);
    }
    select.push_str(" ORDER BY updated DESC, name DESC");
    let mut select = connection.prepare_cached(&select)?;
    let mut rows = select.query(params_from_iter(values))?;
    while let Some(row) = rows.next()? {
        if !each(Candidate::read(row)?)? {
            break;
        }
    }
    Ok(())
}

fn search(
    connection: &Connection,
    query: &SessionQuery,
    expression: &str,
) -> Work<SessionPage, SessionStoreError> {
    let some = hit_records(connection, expression, MAX_SORTED + 1)?;
    let newest = if some.len() > MAX_SORTED { search_newest(connection, query, expression)? } else { None };
    let hits = match newest {
        Some(hits) => hits,
        None if some.len() > MAX_SORTED => {
            sessions(connection, hit_records(connection, expression, usize::MAX)?)?
        }
        None => sessions(connection, some)?,
    };
    let records: HashMap<_, _> = hits.iter().map(|(info, record)| (Arc::clone(&info.id), *record)).collect();
    let mut page = query.page(hits.into_iter().map(|(info, _)| info)).map_err(Stop::Refused)?;
    for session in &mut page.sessions {
        if let Some(record) = records.get(&session.id) {
            session.excerpt = excerpt(connection, query, *record)?;
        }
    }
    Ok(page)
}

/// The messages with the words, up to a number of them, in the order of their ids.
fn hit_records(connection: &Connection, expression: &str, most: usize) -> rusqlite::Result<Vec<i64>> {
    let mut select = connection.prepare_cached("SELECT rowid FROM texts WHERE texts MATCH ?1 LIMIT ?2")?;
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let hits = select.query_map((expression, most), |row| row.get(0))?;
    hits.collect()
}

/// The sessions of these records, each with the first of them.
fn sessions(connection: &Connection, mut hits: Vec<i64>) -> Work<Hits, SessionStoreError> {
    hits.dedup_by_key(|hit| SessionId::from_record(*hit));
    let mut select = connection.prepare_cached(&format!("{SELECT} WHERE id = ?1"))?;
    let mut sessions = Vec::new();
    for hit in hits {
        let mut rows = select.query([SessionId::from_record(hit).0])?;
        let Some(row) = rows.next()? else {
            return Err(Stop::Corrupt("a text has no session".to_owned()));
        };
        sessions.push((Candidate::read(row)?.info, hit));
    }
    Ok(sessions)
}

/// The newest sessions that have the words, one more than the limit. `None` if too few of the newest sessions have them.
fn search_newest(
    connection: &Connection,
    query: &SessionQuery,
    expression: &str,
) -> Work<Option<Hits>, SessionStoreError> {
    let select = "SELECT rowid FROM texts WHERE texts MATCH ?1 AND rowid >= ?2 AND rowid < ?3 LIMIT 1";
    let mut select = connection.prepare_cached(select)?;
    let mut sessions = Vec::new();
    let limit = query.limit.max(1);
    let mut misses = 0;
    walk(connection, query, |session| {
        let ids = session.id.records_after(0);
        let mut rows = select.query((expression, ids.start, ids.end))?;
        match rows.next()? {
            Some(row) => sessions.push((session.info, row.get(0)?)),
            None => misses += 1,
        }
        Ok(sessions.len() <= limit && misses < MAX_MISSES)
    })?;
    Ok((misses < MAX_MISSES).then_some(sessions))
}

/// The part of a record's text that has the words. The index folds more letters than the query, so the words may not be in it
/// as they are: then its beginning.
fn excerpt(
    connection: &Connection,
    query: &SessionQuery,
    record: i64,
) -> Work<Option<String>, SessionStoreError> {
    let mut select = connection.prepare_cached("SELECT json FROM records WHERE id = ?1")?;
    let json: String = select.query_row([record], |row| row.get(0))?;
    // A record that cannot be read has no excerpt. Whoever opens the session gets the error.
    let text = SessionRecord::from_json(&json).ok().and_then(|record| record.search_text());
    Ok(text.and_then(|text| query.excerpt(&text).or_else(|| SessionQuery::default().excerpt(&text))))
}
