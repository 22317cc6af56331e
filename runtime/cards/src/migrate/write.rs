//! Writes a file that does not exist yet.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

/// Writes a file beside the path and gives it the name, which fails if the name is taken.
///
/// # Errors
/// Returns an error if there is a file of this name, or if it cannot be written.
pub(super) fn new_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut beside = OsString::from(".");
    beside.push(name);
    beside.push(format!(".{}.new", std::process::id()));
    let beside = path.with_file_name(beside);
    // What an interrupted program of the same number left behind.
    let _ = fs::remove_file(&beside);
    let named = write_new(&beside, bytes).and_then(|()| name_it(&beside, path));
    let _ = fs::remove_file(&beside);
    named
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// A second name cannot replace another file, as a new name could.
fn name_it(beside: &Path, path: &Path) -> io::Result<()> {
    match fs::hard_link(beside, path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // Some file systems give a file one name only.
        Err(_) if path.symlink_metadata().is_err() => fs::rename(beside, path),
        Err(error) => Err(error),
    }
}
