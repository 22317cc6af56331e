//! A store of sessions in memory.

use std::collections::HashMap;
use std::future::ready;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use futures_util::future::BoxFuture;

use super::{
    SessionInfo, SessionLease, SessionPage, SessionQuery, SessionRecord, SessionSelection, SessionStore,
    SessionStoreError,
};
use onionskin_definitions::lock::lock;

/// Stores sessions in memory, for tests. They end with the program.
#[derive(Default)]
pub struct MemorySessions {
    sessions: Mutex<HashMap<Arc<str>, Stored>>,
}

#[derive(Default)]
struct Stored {
    records: Vec<SessionRecord>,
    /// The holder of the lease, and when it ends.
    lease: Option<(Arc<str>, Instant)>,
}

impl Stored {
    /// Whether this holder was the last one that acquired the lease.
    fn is_held_by(&self, holder: &str) -> bool {
        self.lease.as_ref().is_some_and(|(last, _)| **last == *holder)
    }

    fn holder(&self) -> Option<&str> {
        let (holder, end) = self.lease.as_ref()?;
        (*end > Instant::now()).then_some(&**holder)
    }

    fn renew(&mut self, lease: &SessionLease) {
        let now = Instant::now();
        self.lease = Some((lease.holder().into(), now.checked_add(lease.time()).unwrap_or(now)));
    }

    fn user(&self) -> Option<&Arc<str>> {
        self.records.iter().find_map(SessionRecord::user)
    }

    /// What a list says of the session, if the session has the words of the query.
    fn info(&self, id: &Arc<str>, query: &SessionQuery) -> Option<SessionInfo> {
        let (first, last) = (self.records.first()?, self.records.last()?);
        let updated = self.records.iter().map(SessionRecord::at).max().unwrap_or(last.at());
        let count = u64::try_from(self.records.len()).unwrap_or(u64::MAX);
        let info = SessionInfo::new(Arc::clone(id), self.user().cloned(), first.at(), updated, count);
        if query.words().is_ok_and(|words| words.is_empty()) {
            return Some(info);
        }
        let mut texts = self.records.iter().filter_map(SessionRecord::search_text);
        let excerpt = texts.find_map(|text| query.excerpt(&text))?;
        Some(info.excerpt(excerpt))
    }
}

impl MemorySessions {
    fn try_append(
        &self,
        lease: &SessionLease,
        after: u64,
        records: &[SessionRecord],
    ) -> Result<(), SessionStoreError> {
        let mut sessions = lock(&self.sessions);
        let stored = sessions
            .get_mut(lease.session())
            .filter(|stored| stored.is_held_by(lease.holder()))
            .ok_or_else(|| SessionStoreError::lost(lease.session()))?;
        let found = u64::try_from(stored.records.len()).unwrap_or(u64::MAX);
        if found != after {
            return Err(SessionStoreError::changed(lease.session(), after, found));
        }
        stored.records.extend_from_slice(records);
        stored.renew(lease);
        Ok(())
    }
}

impl SessionStore for MemorySessions {
    fn acquire<'a>(&'a self, lease: &'a SessionLease) -> BoxFuture<'a, Result<u64, SessionStoreError>> {
        let mut sessions = lock(&self.sessions);
        let stored = sessions.entry(lease.session().into()).or_default();
        let acquired = if stored.holder().is_some_and(|holder| holder != lease.holder()) {
            Err(SessionStoreError::held(lease.session()))
        } else {
            stored.renew(lease);
            Ok(u64::try_from(stored.records.len()).unwrap_or(u64::MAX))
        };
        Box::pin(ready(acquired))
    }

    fn release<'a>(&'a self, lease: &'a SessionLease) -> BoxFuture<'a, Result<(), SessionStoreError>> {
        let mut sessions = lock(&self.sessions);
        if let Some(stored) =
            sessions.get_mut(lease.session()).filter(|stored| stored.is_held_by(lease.holder()))
        {
            stored.lease = None;
            if stored.records.is_empty() {
                sessions.remove(lease.session());
            }
        }
        Box::pin(ready(Ok(())))
    }

    fn append<'a>(
        &'a self,
        lease: &'a SessionLease,
        after: u64,
        records: &'a [SessionRecord],
    ) -> BoxFuture<'a, Result<(), SessionStoreError>> {
        Box::pin(ready(self.try_append(lease, after, records)))
    }

    fn read<'a>(
        &'a self,
        session: &'a str,
        after: u64,
    ) -> BoxFuture<'a, Result<Vec<SessionRecord>, SessionStoreError>> {
        let sessions = lock(&self.sessions);
        let records = sessions.get(session).map_or(&[][..], |stored| &stored.records);
        let start = usize::try_from(after).unwrap_or(usize::MAX).min(records.len());
        Box::pin(ready(Ok(records[start..].to_vec())))
    }

    fn list<'a>(&'a self, query: &'a SessionQuery) -> BoxFuture<'a, Result<SessionPage, SessionStoreError>> {
        let sessions = lock(&self.sessions);
        let infos = sessions.iter().filter_map(|(id, stored)| stored.info(id, query));
        Box::pin(ready(query.page(infos)))
    }

    fn delete<'a>(
        &'a self,
        selection: &'a SessionSelection,
    ) -> BoxFuture<'a, Result<u64, SessionStoreError>> {
        let mut sessions = lock(&self.sessions);
        let before = sessions.values().filter(|stored| !stored.records.is_empty()).count();
        sessions.retain(|id, stored| match selection {
            SessionSelection::Session(session) => id != session,
            SessionSelection::User(user) => stored.user() != Some(user),
        });
        let after = sessions.values().filter(|stored| !stored.records.is_empty()).count();
        Box::pin(ready(Ok(u64::try_from(before - after).unwrap_or(u64::MAX))))
    }
}
