//! Places that requests take: so many in all, and so many of each user.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::store::Owner;

pub(super) struct Places {
    most: usize,
    most_of_user: usize,
    used: Mutex<Used>,
}

#[derive(Default)]
struct Used {
    all: usize,
    users: HashMap<Owner, usize>,
}

/// A place, until it is dropped.
pub(super) struct Place {
    places: Arc<Places>,
    owner: Owner,
}

impl Places {
    pub(super) fn new(most: usize, most_of_user: usize) -> Arc<Self> {
        Arc::new(Self { most, most_of_user, used: Mutex::default() })
    }

    /// Takes a place for a user; `None` if there is none.
    pub(super) fn take(self: &Arc<Self>, owner: &Owner) -> Option<Place> {
        let mut used = self.lock();
        let of_user = used.users.get(owner).copied().unwrap_or_default();
        if used.all >= self.most || of_user >= self.most_of_user {
            return None;
        }
        used.all += 1;
        used.users.insert(owner.clone(), of_user + 1);
        Some(Place { places: Arc::clone(self), owner: owner.clone() })
    }

    fn lock(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut used = self.places.lock();
        used.all -= 1;
        if let Some(of_user) = used.users.get_mut(&self.owner) {
            *of_user -= 1;
            if *of_user == 0 {
                used.users.remove(&self.owner);
            }
        }
    }
}
