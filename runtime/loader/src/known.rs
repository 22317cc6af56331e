//! What a loader keeps from one time to the next, so that a change of one card reads and declares no other one.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use onionskin_cards::{Card, CardError, CardFile, FoundCard, found_cards};
use onionskin_core::declaration::DynAgent;

use crate::address::{Fetched, divided};
use crate::plan::Plan;
use crate::stamps::Stamp;

/// Values by the full paths of files, as texts: those are compared faster than as paths.
pub(crate) type ByFile<T> = HashMap<OsString, T>;

/// The cards of the last time.
#[derive(Default)]
pub(crate) struct Known {
    /// The files of the cards.
    pub(crate) files: Vec<FoundCard>,
    /// The cards of addresses. They are not fetched again.
    pub(crate) fetched: Option<Fetched>,
    /// What was wrong with paths.
    pub(crate) errors: Vec<CardError>,
    pub(crate) cards: ByFile<(Stamp, CardFile)>,
    /// The scripts that cards name.
    pub(crate) scripts: ByFile<Stamp>,
    /// The plans of cards without mistakes, by the paths of the cards.
    pub(crate) plans: ByFile<Kept>,
}

/// A card's plan, and what it depends on beside the registry, which does not change.
pub(crate) struct Kept {
    pub(crate) card: Arc<Card>,
    pub(crate) scripts: Vec<(OsString, Stamp)>,
    pub(crate) plan: Arc<Plan>,
    /// The agent, and the children that it was made with.
    pub(crate) made: Option<(Vec<DynAgent>, DynAgent)>,
}

impl Known {
    /// Whether the cards, or scripts that they name, are others now.
    pub(crate) fn has_changed(&mut self, base: &Path, paths: &[PathBuf]) -> bool {
        let found = found_cards(base, &divided(paths).0);
        if found.files != self.files || found.errors != self.errors {
            return true;
        }
        let cards = self.cards.iter_mut().map(|(path, (stamp, _))| (path, stamp));
        for (path, stamp) in cards.chain(self.scripts.iter_mut()) {
            let (now, _) = Stamp::look(Path::new(path), "", Some(stamp));
            if now != *stamp {
                return true;
            }
            // Its time may have settled.
            *stamp = now;
        }
        false
    }

    /// The cards of these paths. Those that have not changed are not read again.
    pub(crate) fn read(&mut self, base: &Path, paths: &[PathBuf]) {
        let found = found_cards(base, &divided(paths).0);
        let mut before = std::mem::take(&mut self.cards);
        for file in &found.files {
            let known = before.remove(file.path.as_os_str());
            let (stamp, source) = Stamp::look(&file.path, &file.name, known.as_ref().map(|(stamp, _)| stamp));
            let card = match (known, source) {
                (Some((before, card)), _) if before == stamp => card,
                (_, Some(source)) => CardFile::of(&file.path, source, file.is_of_folder),
                // What was not read has the stamp of before.
                (_, None) => continue,
            };
            self.cards.insert(file.path.clone().into_os_string(), (stamp, card));
        }
        (self.files, self.errors) = (found.files, found.errors);
    }
}
