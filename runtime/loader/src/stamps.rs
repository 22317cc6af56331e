//! Whether files have changed.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hasher as _};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use onionskin_cards::{LARGEST_FILE, card_files};

/// A file that changes this short a time after it was written may keep its time, because systems count times in steps.
const STEP: Duration = Duration::from_secs(2);

/// Files as they were at some time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Stamps(Vec<(PathBuf, Option<Stamp>)>);

/// A file as it was.
#[derive(Debug, Clone, Copy)]
struct Stamp {
    modified: Option<SystemTime>,
    size: u64,
    /// Of what the loader reads of it.
    hash: u64,
    /// Whether a later change would change the time too.
    is_settled: bool,
}

/// Two stamps are equal if the content is.
impl PartialEq for Stamp {
    fn eq(&self, other: &Self) -> bool {
        self.size == other.size && self.hash == other.hash
    }
}

impl Eq for Stamp {}

impl Stamps {
    /// The files now: the cards of these paths, and others. A file that has its time and its size of before is not read again.
    pub(crate) fn now(&self, base: &Path, cards: &[PathBuf], others: &[PathBuf]) -> Self {
        let of_path = |path: &PathBuf| card_files(base, path).unwrap_or_else(|_| vec![path.clone()]);
        let cards = cards.iter().flat_map(of_path).map(|file| base.join(file));
        let files = cards.chain(others.iter().cloned());
        Self(files.enumerate().map(|(at, file)| self.stamped(at, file)).collect())
    }

    fn stamped(&self, at: usize, file: PathBuf) -> (PathBuf, Option<Stamp>) {
        let before = self.0.get(at).filter(|(path, _)| *path == file).and_then(|(_, stamp)| *stamp);
        let stamp = Stamp::of(&file, before);
        (file, stamp)
    }
}

impl Stamp {
    /// The file now; `None` if there is none.
    fn of(file: &Path, before: Option<Self>) -> Option<Self> {
        let metadata = fs::metadata(file).ok().filter(fs::Metadata::is_file)?;
        let (modified, size) = (metadata.modified().ok(), metadata.len());
        if let Some(before) = before
            && before.is_settled
            && (before.modified, before.size) == (modified, size)
        {
            return Some(before);
        }
        let mut bytes = Vec::new();
        let most = LARGEST_FILE as u64 + 1;
        File::open(file).and_then(|file| file.take(most).read_to_end(&mut bytes)).ok()?;
        let mut hasher = DefaultHasher::new();
        hasher.write(&bytes);
        let age = modified.and_then(|modified| SystemTime::now().duration_since(modified).ok());
        Some(Self { modified, size, hash: hasher.finish(), is_settled: age.is_some_and(|age| age > STEP) })
    }
}
