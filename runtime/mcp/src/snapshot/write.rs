//! Replaces a file as a whole.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

/// Writes a new file beside the former one and renames it. A link that appears at the path meanwhile is replaced, and not followed.
pub(super) fn atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name =
        path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "it is a folder"))?;
    let mut new = OsString::from(".");
    new.push(name);
    new.push(format!(".{}.new", std::process::id()));
    let new = path.with_file_name(new);
    // What an interrupted program of the same number left behind.
    let _ = fs::remove_file(&new);
    let written = write_new(&new, path, bytes);
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written
}

fn write_new(new: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(new)?;
    if let Ok(there) = fs::metadata(path) {
        file.set_permissions(there.permissions())?;
    }
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(new, path)
}
