//! The folder of a session and its project.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The file of the sessions, which is in each folder of the coder.
pub(crate) const SESSIONS: &str = "sessions.db";

/// The folder to work in. Commands run in it, so it is a new or an empty one, or one of an earlier start.
pub(crate) fn own_folder(named: Option<&Path>) -> io::Result<PathBuf> {
    let Some(named) = named else {
        // Others can write beside it, so nobody knows its name before, and it is the user's alone.
        let mut new = tempfile::Builder::new();
        #[cfg(unix)]
        new.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        return Ok(new.prefix("onionskin-coder-").tempdir()?.keep());
    };
    let folder = std::path::absolute(named)?;
    fs::create_dir_all(&folder)?;
    if folder.join(SESSIONS).is_file() || fs::read_dir(&folder)?.next().is_none() {
        return Ok(folder);
    }
    let shown = folder.display();
    Err(io::Error::other(format!(
        "`{shown}` has other files, and no `{SESSIONS}` of an earlier start: name a new folder"
    )))
}
