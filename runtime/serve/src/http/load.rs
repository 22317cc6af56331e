//! What clients may use at once: sessions, streams of notifications, and requests in a time.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::RequestId;
use rmcp::transport::streamable_http_server::session::local::SessionConfig;

use super::manager::Manager;
use crate::user::User;

/// The part of all sessions that one user can have.
const SHARE: usize = 4;
/// The number of users beyond which those whose time is over are removed.
const MAX_USERS: usize = 10_000;

/// The sessions and their users.
pub(crate) struct Sessions {
    manager: Arc<Manager>,
    /// The user of each session, and its id as the user has it.
    users: Mutex<HashMap<String, (Option<User>, String)>>,
    most: usize,
}

impl Sessions {
    /// `question_timeout` is the time that a client has for an answer: its session does not end before.
    pub(crate) fn new(most: usize, question_timeout: Duration) -> Self {
        let mut config = SessionConfig::default();
        // A session without messages ends after a time, and its calls with it.
        let idle = SessionConfig::DEFAULT_KEEP_ALIVE.saturating_add(question_timeout);
        config.keep_alive = Some(idle);
        Self { manager: Arc::new(Manager::new(config)), users: Mutex::default(), most }
    }

    pub(crate) fn manager(&self) -> Arc<Manager> {
        Arc::clone(&self.manager)
    }

    /// Whether a session is in this process.
    pub(crate) async fn is_live(&self, id: &str) -> bool {
        self.manager.inner.sessions.read().await.contains_key(id)
    }

    /// Whether a session is in this process and belongs to the user, who has its id as `shown`.
    pub(crate) async fn is_live_of(&self, id: &str, shown: &str, user: Option<&User>) -> bool {
        let is_of_user = || {
            let users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
            users.get(id).is_some_and(|(owner, known)| owner.as_ref() == user && known == shown)
        };
        self.is_live(id).await && is_of_user()
    }

    /// Whether a user can begin another session.
    pub(crate) async fn has_room(&self, user: Option<&User>) -> bool {
        let live = self.manager.inner.sessions.read().await;
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        // Those that have ended are known to the manager alone.
        if users.len() >= self.most / SHARE {
            users.retain(|id, _| live.contains_key(id.as_str()));
        }
        let of_user = || users.values().filter(|(other, _)| other.as_ref() == user).count();
        live.len() < self.most && (user.is_none() || of_user() < self.most.div_ceil(SHARE))
    }

    /// Notes whose session it is, and its id as the user has it.
    pub(crate) fn note(&self, id: &str, shown: &str, user: Option<&User>) {
        let owner = (user.cloned(), shown.to_owned());
        self.users.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned(), owner);
    }
}

/// The requests of sessions without an answer. Two of them with one id would get each other's answers.
#[derive(Clone, Default)]
pub(crate) struct OpenRequests(Arc<Mutex<HashSet<(String, RequestId)>>>);

/// A request without an answer, until it is dropped: by its answer, and by its call, which goes on in the session without the connection.
pub(crate) struct OpenRequest {
    requests: OpenRequests,
    key: (String, RequestId),
}

impl OpenRequests {
    /// `None` if the session has another request with this id.
    pub(crate) fn begin(&self, session: &str, id: &RequestId) -> Option<Arc<OpenRequest>> {
        let key = (session.to_owned(), id.clone());
        let is_new = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key.clone());
        is_new.then(|| Arc::new(OpenRequest { requests: self.clone(), key }))
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.requests.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}

/// The requests of each user in a minute.
pub(crate) struct Rate {
    /// The seconds from one request to the next, in the long run.
    seconds: f64,
    /// When each user has used no request of its minute.
    free_at: Mutex<HashMap<Option<User>, f64>>,
    begin: Instant,
}

impl Rate {
    pub(crate) fn new(per_minute: NonZeroU32) -> Self {
        Self { seconds: 60.0 / f64::from(per_minute.get()), free_at: Mutex::default(), begin: Instant::now() }
    }

    /// Counts a request; the seconds until the next one if there were too many.
    pub(crate) fn count(&self, user: Option<&User>) -> Option<u64> {
        self.count_at(self.begin.elapsed().as_secs_f64(), user)
    }

    fn count_at(&self, now: f64, user: Option<&User>) -> Option<u64> {
        let mut free_at = self.free_at.lock().unwrap_or_else(PoisonError::into_inner);
        if free_at.len() > MAX_USERS {
            free_at.retain(|_, at| *at > now);
        }
        let at = free_at.entry(user.cloned()).or_insert(now);
        let next = at.max(now) + self.seconds;
        let over = next - now - 60.0;
        if over > 1e-9 {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few seconds")]
            return Some(over.ceil() as u64);
        }
        *at = next;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o2_each_user_has_its_requests_of_a_minute() {
        let rate = Rate::new(NonZeroU32::new(60).unwrap());
        let (ada, bob) = (User::new("ada").unwrap(), User::new("bob").unwrap());
        for _ in 0..60 {
            assert_eq!(rate.count_at(5.0, Some(&ada)), None);
        }
        assert_eq!(rate.count_at(5.0, Some(&ada)), Some(1));
        assert_eq!(rate.count_at(5.0, Some(&bob)), None);
        assert_eq!(rate.count_at(6.0, Some(&ada)), None);
        assert_eq!(rate.count_at(6.0, Some(&ada)), Some(1));
    }

    #[test]
    fn o2_an_id_is_in_use_until_its_answer_ends() {
        let open = OpenRequests::default();
        let id = RequestId::Number(1);
        let first = open.begin("s", &id);
        assert!(first.is_some() && open.begin("s", &id).is_none() && open.begin("t", &id).is_some());
        drop(first);
        assert!(open.begin("s", &id).is_some());
    }
}
