//! Whether files have changed.

use std::fs;
use std::hash::{DefaultHasher, Hasher as _};
use std::path::Path;
use std::time::{Duration, SystemTime};

use onionskin_cards::{CardError, Source, read_file};

/// File systems round the time of a change. A file that was written less than this ago can change and keep its time, so it is read again.
const TIME_RESOLUTION: Duration = Duration::from_secs(2);

/// A file as it was when it was looked at. Two stamps are equal if the content is.
#[derive(Debug, Clone)]
pub(crate) struct Stamp {
    /// None if it is not a file.
    modified_and_len: Option<(SystemTime, u64)>,
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
        let modified_and_len =
            metadata.and_then(|metadata| Some((metadata.modified().ok()?, metadata.len())));
        if let Some(before) =
            before.filter(|before| before.is_stable && before.modified_and_len == modified_and_len)
        {
            return (before.clone(), None);
        }
        let age = modified_and_len.and_then(|(modified, _)| SystemTime::now().duration_since(modified).ok());
        let is_stable = age.is_some_and(|age| age > TIME_RESOLUTION);
        let source = read_file(path, name);
        let content = match &source {
            Ok(source) => Content::Text(hash(&source.text)),
            Err(error) => {
                Content::Fault(error.problems().iter().map(|problem| problem.message.clone()).collect())
            }
        };
        (Self { modified_and_len, is_stable, content }, Some(source))
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(text.as_bytes());
    hasher.finish()
}
