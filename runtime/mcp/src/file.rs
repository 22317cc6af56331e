//! Files that other programs write: only the fields that matter are read.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

/// The name of the file that keeps what servers offer.
pub(crate) const LOCK_FILE: &str = "onionskin-mcp.lock.json";

/// The text of a file. Of a longer one, `most` bytes and one more are read, by which the caller sees that it is too long.
///
/// # Errors
/// Returns the reason why the file cannot be read.
pub(crate) fn text(path: &Path, most: usize) -> Result<String, String> {
    // A pipe has no end, and opening one may not return.
    if !fs::metadata(path).map_err(|error| error.to_string())?.is_file() {
        return Err("it is not a file".to_owned());
    }
    let mut bytes = Vec::new();
    let opened = File::open(path).and_then(|opened| opened.take(most as u64 + 1).read_to_end(&mut bytes));
    opened.map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
}
