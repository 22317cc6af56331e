//! The folder of a session and its project.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The file of the sessions, which is in each folder of the coder.
pub(crate) const SESSIONS: &str = "sessions.db";

/// The folder to work in. Commands run in it, so it is a new or an empty one of the user, or one of an earlier start.
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
    let shown = folder.display();
    if is_of_another(&folder)? || is_of_another(&folder.join(SESSIONS))? {
        return Err(io::Error::other(format!("`{shown}` belongs to another user: name a new folder")));
    }
    if folder.join(SESSIONS).is_file() || fs::read_dir(&folder)?.next().is_none() {
        return Ok(folder);
    }
    Err(io::Error::other(format!(
        "`{shown}` has other files, and no `{SESSIONS}` of an earlier start: name a new folder"
    )))
}

/// Whether a file of another user is there: commands that are allowed in its session would run.
#[cfg(unix)]
fn is_of_another(path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;

    let user = tempfile::tempfile()?.metadata()?.uid();
    Ok(path.exists() && path.metadata()?.uid() != user)
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "on Unix it reads the owner")]
fn is_of_another(_: &Path) -> io::Result<bool> {
    Ok(false)
}
