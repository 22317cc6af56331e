//! Conversations in files: the form of `Session::save`.

use std::io;
use std::path::Path;

use onionskin_core::Session;
use onionskin_core::run::SavedSession;

use crate::read::{LARGEST_SESSION, size, text_of};
use crate::write::{Readers, write};

/// Writes the conversation to a file, whole or not at all. Others cannot read it.
pub(super) fn save(session: &Session, file: &Path, replace: bool) -> Result<(), String> {
    let shown = file.display();
    let failed = |error: &dyn std::fmt::Display| format!("`{shown}` was not written: {error}");
    let saved = serde_json::to_vec_pretty(&session.save()).map_err(|error| failed(&error))?;
    if saved.len() as u64 > LARGEST_SESSION {
        let most = size(LARGEST_SESSION);
        return Err(failed(&format!("the conversation has more than {most}, which `/load` would refuse")));
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
    let text = text_of(file, LARGEST_SESSION).map_err(|error| failed(&error))?;
    SavedSession::from_json(&text).map_err(|error| failed(&error))
}
