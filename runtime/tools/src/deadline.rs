//! The deadline of a run.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use onionskin_definitions::lock::lock;
use tokio::time::Instant;

/// The time when a run must end, and the limit that set it: the run's own or a parent run's. A pointer, because each level
/// of nested runs takes stack space.
#[derive(Debug, Clone)]
pub struct Deadline(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    at: Instant,
    limit: Duration,
    /// The waits for a person in the run and in those that it starts. `is_extended` says whether they extend this deadline.
    waits: Option<Arc<Waits>>,
    is_extended: bool,
}

/// How long a run that a call started has waited for persons.
#[derive(Debug, Default)]
struct Waits {
    waited: Mutex<Waited>,
    /// The waits of the run that the caller belongs to.
    outer: Option<Arc<Waits>>,
}

#[derive(Debug, Default)]
struct Waited {
    before: Duration,
    /// The number of open questions, and since when there is one.
    open: usize,
    since: Option<Instant>,
}

/// A wait for a person, until it is dropped.
pub(crate) struct PersonWait(Option<Arc<Waits>>);

/// The shortest pause between two looks at a deadline that moves.
const MIN_PAUSE: Duration = Duration::from_millis(10);

impl Deadline {
    /// Returns the earlier of `limit` from now and `other`. A limit beyond the range of the clock counts as
    /// no limit.
    pub fn sooner(limit: Option<Duration>, other: Option<Self>) -> Option<Self> {
        let waits = other.as_ref().and_then(|other| other.0.waits.clone());
        Self::earlier(limit, other, |at, limit| Inner { at, limit, waits, is_extended: false })
    }

    /// As [`Self::sooner`], for the limit of a caller, to which the waits for a person do not count.
    pub fn for_caller(limit: Option<Duration>, other: Option<Self>) -> Option<Self> {
        let outer = other.as_ref().and_then(|other| other.0.waits.clone());
        Self::earlier(limit, other, |at, limit| {
            let waits = Some(Arc::new(Waits { outer, ..Waits::default() }));
            Inner { at, limit, waits, is_extended: true }
        })
    }

    fn earlier(
        limit: Option<Duration>,
        other: Option<Self>,
        make: impl FnOnce(Instant, Duration) -> Inner,
    ) -> Option<Self> {
        let at = |limit| Some(make(Instant::now().checked_add(limit)?, limit));
        let own = limit.and_then(at).map(|own| Self(Arc::new(own)));
        own.into_iter().chain(other).min_by_key(Self::at)
    }

    /// When the run must end, as far as it is known now.
    pub fn at(&self) -> Instant {
        match &self.0.waits {
            Some(waits) if self.0.is_extended => self.0.at + waits.total(),
            Some(_) | None => self.0.at,
        }
    }

    /// The limit that set it.
    pub fn limit(&self) -> Duration {
        self.0.limit
    }

    /// Waits until the deadline. Returns the limit that set it.
    pub async fn passed(&self) -> Duration {
        tokio::time::sleep_until(self.at()).await;
        while self.at() > Instant::now() {
            tokio::time::sleep_until(self.at().max(Instant::now() + MIN_PAUSE)).await;
        }
        self.limit()
    }

    /// Notes a wait for a person.
    pub(crate) fn wait_for_person(&self) -> PersonWait {
        PersonWait::begin(self.0.waits.clone())
    }
}

impl Waits {
    fn total(&self) -> Duration {
        let waited = lock(&self.waited);
        waited.before + waited.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

impl PersonWait {
    fn begin(waits: Option<Arc<Waits>>) -> Self {
        each(waits.as_ref(), |waited| {
            waited.open += 1;
            waited.since.get_or_insert_with(Instant::now);
        });
        Self(waits)
    }
}

impl Drop for PersonWait {
    fn drop(&mut self) {
        each(self.0.as_ref(), |waited| {
            waited.open -= 1;
            if waited.open == 0 {
                waited.before += waited.since.take().map_or(Duration::ZERO, |since| since.elapsed());
            }
        });
    }
}

fn each(waits: Option<&Arc<Waits>>, mut change: impl FnMut(&mut Waited)) {
    let mut next = waits;
    while let Some(waits) = next {
        change(&mut lock(&waits.waited));
        next = waits.outer.as_ref();
    }
}
