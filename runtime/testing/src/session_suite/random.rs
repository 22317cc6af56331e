//! A random sequence of calls, beside the store in memory.

use super::probe::{Check, Probe, began, lease, message, query, record_at, same};
use onionskin_tools::session_store::{
    MemorySessions, SessionPage, SessionQuery, SessionRecord, SessionSelection, SessionStore as _,
    SessionStoreError,
};

/// The number of calls.
const CALLS: u64 = 1_500;

/// Random numbers that are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        // The constants of PCG.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn pick<'t>(&mut self, items: &[&'t str]) -> &'t str {
        let count = u64::try_from(items.len()).unwrap_or(1);
        items[usize::try_from(self.below(count)).unwrap_or(0)]
    }

    fn flip(&mut self) -> bool {
        self.below(2) == 0
    }

    fn session(&mut self) -> &'static str {
        self.pick(&["a", "b", "c", "d/e", "f"])
    }

    fn user(&mut self) -> &'static str {
        self.pick(&["ada", "bob"])
    }

    fn words(&mut self) -> String {
        let words = ["red", "green", "lamp", "chair", "ランプ", "größe"];
        let count = 1 + self.below(3);
        (0..count).map(|_| self.pick(&words)).collect::<Vec<_>>().join(" ")
    }

    fn records(&mut self, at: u64) -> Check<Vec<SessionRecord>> {
        let count = self.below(4);
        let mut record = |_| {
            let change = if self.below(4) == 0 {
                let user = self.user();
                began(self.flip().then_some(user))
            } else {
                message(&self.words())
            };
            record_at(at + self.below(3), change)
        };
        (0..count).map(&mut record).collect()
    }

    fn query(&mut self, cursor: Option<String>) -> SessionQuery {
        let (user, words) = (self.user(), self.words());
        let (has_user, has_words, limit) = (self.flip(), self.flip(), self.below(4));
        query(|query| {
            query.user = has_user.then(|| user.into());
            query.text = has_words.then_some(words);
            query.limit = usize::try_from(limit).unwrap_or(1);
            query.cursor = cursor;
        })
    }
}

/// A page without its excerpts, which each store chooses itself.
fn without_excerpts(page: Result<SessionPage, SessionStoreError>) -> Result<SessionPage, SessionStoreError> {
    page.map(|mut page| {
        for session in &mut page.sessions {
            session.excerpt = None;
        }
        page
    })
}

pub(super) async fn random(probe: Probe) -> Check {
    let memory = MemorySessions::default();
    let mut numbers = Numbers(7);
    let mut cursor = None;
    for call in 0..CALLS {
        let (session, holder) = (numbers.session(), numbers.pick(&["x", "y"]));
        let lease = lease(session, holder);
        let said = |what: &str| format!("call {call}, `{what}` of {session:?} by {holder}");
        match numbers.below(20) {
            0..4 => {
                let expected = memory.acquire(&lease).await;
                same(&said("acquire"), probe.store().acquire(&lease).await, expected)?;
            }
            4..6 => {
                let expected = memory.release(&lease).await;
                same(&said("release"), probe.store().release(&lease).await, expected)?;
            }
            6..13 => {
                let records = numbers.records(call)?;
                let count = memory.read(session, 0).await.map_or(0, |records| records.len());
                let after = u64::try_from(count).unwrap_or(0) + u64::from(numbers.below(8) == 0);
                let expected = memory.append(&lease, after, &records).await;
                same(&said("append"), probe.store().append(&lease, after, &records).await, expected)?;
            }
            13..15 => {
                let after = numbers.below(10);
                let expected = memory.read(session, after).await;
                same(&said("read"), probe.store().read(session, after).await, expected)?;
            }
            15..19 => {
                let query = numbers.query(cursor.take().filter(|_| call % 3 == 0));
                let expected = without_excerpts(memory.list(&query).await);
                let found = without_excerpts(probe.store().list(&query).await);
                cursor = expected.as_ref().ok().and_then(|page| page.next.clone());
                same(&format!("call {call}, `list` with {query:?}"), found, expected)?;
            }
            _ => {
                let selection = match numbers.below(4) {
                    0 => SessionSelection::user(numbers.user()),
                    _ => SessionSelection::session(session),
                };
                let expected = memory.delete(&selection).await;
                same(
                    &format!("call {call}, {selection:?}"),
                    probe.store().delete(&selection).await,
                    expected,
                )?;
            }
        }
    }
    Ok(())
}
