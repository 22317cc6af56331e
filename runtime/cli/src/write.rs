//! Writes files whole or not at all: other programs see the former file or the new one.

use std::io::{self, Write as _};
use std::path::Path;

#[cfg(unix)]
use tempfile::Builder;
use tempfile::NamedTempFile;

/// Who can read a new file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Readers {
    /// Its user alone.
    User,
    /// Those of any new file of the user.
    Usual,
}

/// Writes a file. Without `replace`, one that exists is an error.
pub(crate) fn write(file: &Path, bytes: &[u8], replace: bool, readers: Readers) -> io::Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut new = temporary(folder, readers)?;
    new.write_all(bytes)?;
    new.as_file().sync_all()?;
    if replace {
        new.persist(file)?
    } else {
        new.persist_noclobber(file)?
    };
    Ok(())
}

#[cfg(unix)]
fn temporary(folder: &Path, readers: Readers) -> io::Result<NamedTempFile> {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    match readers {
        Readers::User => NamedTempFile::new_in(folder),
        Readers::Usual => Builder::new().permissions(Permissions::from_mode(0o666)).tempfile_in(folder),
    }
}

/// A new file has the rights of its folder.
#[cfg(not(unix))]
fn temporary(folder: &Path, _: Readers) -> io::Result<NamedTempFile> {
    NamedTempFile::new_in(folder)
}
