//! The secrets of a session, and the redactor for them.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use super::redactor::{Needle, Redactor, id};
use crate::lock::lock;

/// The known secrets of a session and its runs. Without secrets it costs one call of [`Self::any`].
#[derive(Default)]
pub struct Concealed {
    any: AtomicBool,
    known: Mutex<Known>,
}

#[derive(Clone, Default)]
struct Known {
    redactor: Option<Arc<Redactor>>,
    /// The secrets that the redactor does not contain yet. They are added when the next text is redacted, so
    /// that many updates in between cost one automaton.
    pending: Vec<Arc<Needle>>,
    /// The ids of all added secrets, to recognise the new ones when a state changes.
    added: HashSet<u64>,
}

impl Known {
    /// The redactor for all secrets; `None` without secrets.
    fn redactor(&mut self) -> Option<Arc<Redactor>> {
        if !self.pending.is_empty() {
            let redactor = self.redactor.as_deref().cloned().unwrap_or_default();
            self.redactor = Some(Arc::new(redactor.and(self.pending.drain(..))));
        }
        self.redactor.clone()
    }
}

impl Concealed {
    /// Whether there are secrets.
    #[inline]
    pub fn any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    /// The redactor for these secrets; `None` without secrets.
    pub fn redactor(&self) -> Option<Arc<Redactor>> {
        if self.any() { self.lock().redactor() } else { None }
    }

    /// Adds secrets. Returns whether one of them is new.
    pub fn add(&self, secrets: &[Vec<u8>]) -> bool {
        let mut known = self.lock();
        let mut is_new = false;
        for secret in secrets {
            if known.added.insert(id(secret)) {
                known.pending.extend(Needle::from_secret(secret));
                is_new = true;
            }
        }
        if !known.pending.is_empty() {
            self.any.store(true, Ordering::Release);
        }
        is_new
    }

    /// Removes secrets.
    pub fn forget(&self, secrets: &[Vec<u8>]) {
        let mut known = self.lock();
        let ids: HashSet<u64> = secrets.iter().map(|secret| id(secret)).collect();
        known.added.retain(|id| !ids.contains(id));
        if let Some(redactor) = known.redactor() {
            self.set(&mut known, Redactor::clone(&redactor).without(&ids));
        }
    }

    /// Adds all secrets of `other`.
    pub fn learn(&self, other: &Self) {
        let Some(more) = other.redactor() else { return };
        let mut known = self.lock();
        match known.redactor() {
            Some(own) => self.set(&mut known, Redactor::clone(&own).with(&more)),
            None => self.set(&mut known, (*more).clone()),
        }
    }

    fn set(&self, known: &mut Known, redactor: Redactor) {
        self.any.store(!redactor.is_empty(), Ordering::Release);
        known.redactor = Some(Arc::new(redactor)).filter(|redactor| !redactor.is_empty());
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        lock(&self.known)
    }
}

impl Clone for Concealed {
    fn clone(&self) -> Self {
        let known = self.lock().clone();
        let any = known.redactor.is_some() || !known.pending.is_empty();
        Self { any: AtomicBool::new(any), known: Mutex::new(known) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(at: u32) -> Vec<u8> {
        format!("token-{at:08}").into_bytes()
    }

    #[test]
    fn t8_secrets_that_come_between_two_exits_are_one_automaton() {
        let concealed = Concealed::default();
        for at in 0..3_000 {
            // A state lists its earlier secrets at each update.
            concealed.add(&[token(at.max(1) - 1), token(at)]);
            assert!(concealed.any());
        }
        assert!(concealed.lock().redactor.is_none());
        let redactor = concealed.redactor().unwrap();
        assert_eq!(redactor.layers(), 1);
        assert_eq!(redactor.redact("token-00000000, token-00002999"), "[secret], [secret]");
        assert!(Arc::ptr_eq(&redactor, &concealed.redactor().unwrap()), "it is kept");
    }

    /// Long secrets, as tokens are: what is built to find them does not grow with their length.
    #[test]
    fn t8_many_long_secrets_are_found_with_little_memory() {
        let concealed = Concealed::default();
        let long = |at: u32| format!("{at:08}-{}", "long token of a service ".repeat(40)).into_bytes();
        let secrets: Vec<_> = (0..1_000).map(long).collect();
        concealed.add(&secrets);
        let redactor = concealed.redactor().unwrap();
        assert!(redactor.size() < 20_000_000, "{}", redactor.size());
        let text = format!("<{}>", String::from_utf8(long(999)).unwrap());
        assert_eq!(redactor.redact(&*text), "<[secret]>");
        // The beginning alone is no secret.
        assert_eq!(redactor.redact("00000999-long"), "00000999-long");
        assert!(redactor.shows(&text) && !redactor.shows("00000999-long token"));
    }

    #[test]
    fn t8_pending_secrets_are_copied_learned_and_forgotten() {
        let concealed = Concealed::default();
        concealed.add(&[token(1), token(2)]);
        let (copy, learned) = (concealed.clone(), Concealed::default());
        learned.learn(&concealed);
        concealed.forget(&[token(1)]);
        let shown = |concealed: &Concealed| {
            concealed.redactor().unwrap().redact("token-00000001 token-00000002").into_owned()
        };
        assert_eq!([&copy, &learned].map(shown), ["[secret] [secret]"; 2]);
        assert_eq!(shown(&concealed), "token-00000001 [secret]");
        concealed.forget(&[token(2)]);
        assert!(!concealed.any() && concealed.redactor().is_none());
        concealed.add(&[b"short".to_vec()]);
        assert!(!concealed.any(), "it is too short to look for");
    }
}
