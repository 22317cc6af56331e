//! Files, as far as they are read.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;

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
            Ok(source)
        }
        Err(message) => {
            let is_missing = message == MISSING;
            let error = CardError::new(source, vec![Problem { message, span: 0..0 }]);
            Err(if is_missing { error.with_missing_file() } else { error })
        }
    }
}

/// What is said of a file that does not exist.
const MISSING: &str = "there is no such file";

fn text(path: &Path) -> Result<String, String> {
    let unread = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => MISSING.to_owned(),
        _ => format!("the file cannot be read: {error}"),
    };
    // A pipe would never end, and opening it could wait for ever.
    if !fs::metadata(path).map_err(unread)?.is_file() {
        return Err("this is not a file".to_owned());
    }
    let mut bytes = Vec::new();
    let most = LARGEST_FILE as u64 + 1;
    File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes)).map_err(unread)?;
    if bytes.len() > LARGEST_FILE {
        return Err(format!("a file has at most {LARGEST_FILE} bytes; this one has more"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!("the file is not UTF-8: the byte at {at} belongs to no character")
    })
}
