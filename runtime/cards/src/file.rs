//! Files, and how much of them is read.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;

use crate::endings::has_ending;
use crate::problem::{CardError, Problem};
use crate::source::Source;

/// The largest file that is read, in bytes.
pub const LARGEST_FILE: usize = 1 << 20;

/// Reads a file; `name` is what messages show.
///
/// # Errors
/// Returns an error if it cannot be read, is not a file, is larger than [`LARGEST_FILE`], or is not UTF-8.
pub fn read_file(path: &Path, name: impl Into<Arc<str>>) -> Result<Source, CardError> {
    let mut source = Source::new(name, "");
    match text(path) {
        Ok(text) => {
            source.text = text.into();
            source.is_foreign = leads_elsewhere(path);
            Ok(source)
        }
        Err(unread) => {
            let error = CardError::new(source, vec![Problem { message: unread.to_string(), span: 0..0 }]);
            Err(if matches!(unread, Unread::Missing) { error.with_missing_file() } else { error })
        }
    }
}

/// The endings of files that agents are written in.
const ENDINGS: [&str; 8] = ["md", "markdown", "yaml", "yml", "rs", "rhai", "json", "py"];

/// Whether the path is a link to a file outside of its folder, or to one that is no part of an agent.
fn leads_elsewhere(path: &Path) -> bool {
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let (Ok(real), Ok(folder)) = (fs::canonicalize(path), fs::canonicalize(folder)) else { return true };
    !real.starts_with(folder) || !has_ending(&real, &ENDINGS)
}

/// Why a file is not read.
#[derive(Debug, thiserror::Error)]
enum Unread {
    #[error("there is no such file")]
    Missing,
    #[error("this is not a file")]
    NotAFile,
    #[error("a file must have at most {LARGEST_FILE} bytes; this one has more")]
    TooLarge,
    #[error("the file is not UTF-8: the byte at {0} belongs to no character")]
    NotUtf8(usize),
    #[error("the file cannot be read: {0}")]
    Io(io::Error),
}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::NotFound { Self::Missing } else { Self::Io(error) }
    }
}

fn text(path: &Path) -> Result<String, Unread> {
    // A pipe would never end, and opening it could wait for ever.
    if !fs::metadata(path)?.is_file() {
        return Err(Unread::NotAFile);
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(LARGEST_FILE as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > LARGEST_FILE {
        return Err(Unread::TooLarge);
    }
    String::from_utf8(bytes).map_err(|error| Unread::NotUtf8(error.utf8_error().valid_up_to()))
}
