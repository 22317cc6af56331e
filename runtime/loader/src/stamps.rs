//! Whether files have changed.

use std::fs;
use std::hash::{DefaultHasher, Hasher as _};
use std::path::Path;
use std::time::{Duration, SystemTime};

use onionskin_cards::{CardError, Source, read_file};

/// A file that changes this short a time after it was written may keep its time, because systems count times in steps.
const STEP: Duration = Duration::from_secs(2);

/// A file as it was when it was looked at. Two stamps are equal if the content is.
#[derive(Debug, Clone)]
pub(crate) struct Stamp {
    /// Its time and its size; none if it is not a file.
    place: Option<(SystemTime, u64)>,
    /// Whether a later change would change the time too.
    is_stable: bool,
    content: Content,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Content {
    /// The hash of the text.
    Text(u64),
    /// Why there is none.
    Fault(Vec<String>),
}

impl PartialEq for Stamp {
    fn eq(&self, other: &Self) -> bool {
        self.content == other.content
    }
}

impl Eq for Stamp {}

impl Stamp {
    /// The file now, and its text if it was read: a file with the time and the size of before is not, unless it was written shortly before it
    /// was looked at. `name` is what messages show.
    pub(crate) fn look(
        path: &Path,
        name: &str,
        before: Option<&Self>,
    ) -> (Self, Option<Result<Source, CardError>>) {
        let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file);
        let place = metadata.and_then(|metadata| Some((metadata.modified().ok()?, metadata.len())));
        if let Some(before) = before.filter(|before| before.is_stable && before.place == place) {
            return (before.clone(), None);
        }
        let age = place.and_then(|(modified, _)| SystemTime::now().duration_since(modified).ok());
        let is_stable = age.is_some_and(|age| age > STEP);
        let source = read_file(path, name);
        let content = match &source {
            Ok(source) => Content::Text(hash(&source.text)),
            Err(error) => {
                Content::Fault(error.problems().iter().map(|problem| problem.message.clone()).collect())
            }
        };
        (Self { place, is_stable, content }, Some(source))
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(text.as_bytes());
    hasher.finish()
}
