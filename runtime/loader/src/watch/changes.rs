//! Changes of cards, for a program that loads them itself.

use std::path::{Path, PathBuf};

use onionskin_core::App;

use super::cards::{Cards, Made};
use crate::cache::Cache;
use crate::loader::CardLoader;

/// Tells whether cards have changed, for a program that loads them itself: [`CardLoader::changes`] makes it.
///
/// It compares the files when it is asked, as [`WatchedCards`](crate::WatchedCards) does, and not cards of addresses.
///
/// ```
/// use onionskin::loader::{CardLoader, Registry};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("clerk.md"), "---\n---\nBe short.")?;
/// let mut changes = CardLoader::new(Registry::new()).changes([folder.path()]);
/// assert!(!changes.has_changed());
/// std::fs::write(folder.path().join("scribe.md"), "---\n---\nBe long.")?;
/// assert!(changes.has_changed());
/// assert!(!changes.has_changed());
/// # Ok(())
/// # }
/// ```
pub struct CardChanges {
    cards: Cards,
    cache: Cache,
}

impl CardLoader {
    /// Looks at cards, and at the scripts that they name, to tell later whether they have changed. Cards with mistakes count too. A program
    /// whose agents a function can build uses [`Self::watch`].
    pub fn changes<P: AsRef<Path>>(self, paths: impl IntoIterator<Item = P>) -> CardChanges {
        let paths = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
        CardChanges::new(self, paths, Made::Cards(Box::new(|_| App::builder())))
    }

    /// As [`Self::changes`], for a [workflow folder](Self::load_workflow).
    pub fn workflow_changes(self, folder: impl Into<PathBuf>) -> CardChanges {
        CardChanges::new(self, vec![folder.into()], Made::Workflow(Box::new(|_| App::builder())))
    }
}

impl CardChanges {
    fn new(mut loader: CardLoader, paths: Vec<PathBuf>, made: Made) -> Self {
        // A change of the working directory is no change of the cards.
        loader.base = loader.base_folder();
        let mut changes = Self { cards: Cards { loader, paths, made }, cache: Cache::default() };
        changes.look();
        changes
    }

    /// Whether cards have changed since they were last looked at.
    pub fn has_changed(&mut self) -> bool {
        let has_changed = self.cards.has_changed(&mut self.cache);
        if has_changed {
            self.look();
        }
        has_changed
    }

    fn look(&mut self) {
        // Whoever loads the cards gets their mistakes.
        let _ = self.cards.caught_builder(&mut self.cache);
    }
}

impl std::fmt::Debug for CardChanges {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CardChanges").field("paths", &self.cards.paths).finish_non_exhaustive()
    }
}
