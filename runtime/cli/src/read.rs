//! Reads files that people name, or that configure a program, up to a size.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use crate::failure::Failure;

/// The bytes of the largest file that configures a program.
const LARGEST_CONFIGURATION: u64 = 64 << 10;

/// The bytes of the largest file with a conversation.
pub(crate) const LARGEST_SESSION: u64 = 64 << 20;

/// The text of a file of settings; none if there is no such file.
pub(crate) fn read_text(file: &Path) -> Result<Option<String>, Failure> {
    match text_of(file, LARGEST_CONFIGURATION) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::new(format!("cannot read `{}`: {error}", file.display()))),
    }
}

/// The text of a file of at most `most` bytes.
pub(crate) fn text_of(file: &Path, most: u64) -> io::Result<String> {
    // Before it is opened: opening a pipe waits for its writer.
    if !fs::metadata(file)?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut bytes = Vec::new();
    // Its size can be another one than it says, or change.
    File::open(file)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("it has more than {}", size(most))));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        io::Error::other(format!("it is not UTF-8 text, from byte {valid} on"))
    })
}

/// A size for people.
pub(crate) fn size(bytes: u64) -> String {
    if bytes >> 20 == 0 { format!("{} KiB", bytes >> 10) } else { format!("{} MiB", bytes >> 20) }
}
