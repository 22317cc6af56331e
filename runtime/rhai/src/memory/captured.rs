//! `Captured` holds the variables of closures.

use std::collections::HashMap;

use rhai::Dynamic;

use super::size::{Size, address, holds_closure};

/// The captured variables that may outlive their names. A closure in a captured variable may hold that variable itself, and
/// then only this frees it.
#[derive(Default)]
pub(super) struct Captured {
    /// Those that were reached since the last look, each with the level of calls where it was.
    recent: Vec<(usize, usize, Dynamic)>,
    /// Those with closures in them.
    stored: HashMap<usize, Dynamic>,
    /// The size of the kept variables at the last complete look.
    known: usize,
    /// An upper bound of the bytes that were added since that look.
    added: usize,
}

impl Captured {
    /// The largest possible size of the kept variables.
    pub(super) fn bytes(&self) -> usize {
        self.known.saturating_add(self.added)
    }

    pub(super) fn reach(&mut self, variable: &Dynamic, level: usize) {
        let Some(address) = variable.read_lock::<Dynamic>().map(|inner| address(&inner)) else { return };
        match self.recent.iter_mut().find(|(_, recent, _)| *recent == address) {
            Some((last, ..)) => *last = level,
            None => self.recent.push((level, address, variable.clone())),
        }
    }

    /// Looks at the reached variables. A variable that was reached further out may be locked until its method call ends.
    pub(super) fn look(&mut self, level: usize, limit: usize) {
        for (_, address, variable) in self.recent.extract_if(.., |(reached, ..)| level <= *reached) {
            if variable.read_lock::<Dynamic>().is_some_and(|inner| holds_closure(&inner)) {
                self.added = self.added.saturating_add(Size::measure(&variable, limit).bytes);
                self.stored.insert(address, variable);
            }
        }
        // A value that two of them share is counted twice.
        if self.added > limit / 64 + self.known / 4 {
            let mut size = Size::up_to(limit);
            self.stored.values().for_each(|variable| size.add(variable));
            (self.known, self.added) = (size.bytes, 0);
        }
    }
}

impl Drop for Captured {
    /// Closures that hold themselves end here.
    fn drop(&mut self) {
        let recent = self.recent.drain(..).map(|(.., variable)| variable);
        for mut variable in recent.chain(self.stored.drain().map(|(_, variable)| variable)) {
            let inner = variable.write_lock::<Dynamic>().map(|mut inner| std::mem::take(&mut *inner));
            drop(inner);
        }
    }
}
