//! Conversations in files: the form of `Session::save`.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use onionskin_core::Session;
use onionskin_core::run::SavedSession;

use crate::write::{Readers, write};

/// The bytes of a conversation that are read.
const LONGEST_FILE: u64 = 64 << 20;

/// Writes the conversation to a file, whole or not at all. Others cannot read it.
pub(super) fn save(session: &Session, file: &Path, replace: bool) -> Result<(), String> {
    let shown = file.display();
    let failed = |error: &dyn std::fmt::Display| format!("`{shown}` was not written: {error}");
    let saved = serde_json::to_vec_pretty(&session.save()).map_err(|error| failed(&error))?;
    if u64::try_from(saved.len()).unwrap_or(u64::MAX) > LONGEST_FILE {
        return Err(failed(&format!(
            "the conversation has more than {} MiB, which `/load` would refuse",
            LONGEST_FILE >> 20
        )));
    }
    let exists = || format!("`{shown}` exists: write `/save! {shown}` to replace it, or name another file");
    if !replace && file.symlink_metadata().is_ok() {
        return Err(exists());
    }
    if file.is_dir() {
        return Err(failed(&"it is a folder: name a file"));
    }
    match write(file, &[&saved[..], b"\n"].concat(), replace, Readers::User) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(exists()),
        written => written.map_err(|error| failed(&error)),
    }
}

/// Reads a conversation. The error names the file, and the place in it.
pub(super) fn load(file: &Path) -> Result<SavedSession, String> {
    let failed = |error: &dyn std::fmt::Display| format!("`{}` was not loaded: {error}", file.display());
    // Before it is opened: opening a pipe waits for its writer.
    if !fs::metadata(file).map_err(|error| failed(&error))?.is_file() {
        return Err(failed(&"it is not a file"));
    }
    let mut bytes = Vec::new();
    let read = File::open(file).and_then(|opened| opened.take(LONGEST_FILE + 1).read_to_end(&mut bytes));
    read.map_err(|error| failed(&error))?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > LONGEST_FILE {
        return Err(failed(&format!("it has more than {} MiB", LONGEST_FILE >> 20)));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        failed(&format!("it is not UTF-8 text, from byte {} on", error.utf8_error().valid_up_to()))
    })?;
    SavedSession::from_json(&text).map_err(|error| failed(&error))
}
