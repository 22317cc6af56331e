//! Replaces a file as a whole: others see the old content or the new one.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::fchown;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use cap_std::fs::{
    Dir, File, Metadata, MetadataExt as _, OpenOptions, OpenOptionsExt as _, Permissions, PermissionsExt as _,
};
use onionskin_core::ToolResult;
use rustix::fs::{OFlags, RenameFlags, renameat_with};
use rustix::io::Errno;

use super::tool::Work;
use crate::folder::{Folder, PathError, check, open, regular};
use crate::names::shown_path;

/// The most links at the end of a path, as Linux has it.
const MAX_LINKS: usize = 40;

type FolderLock = Arc<Mutex<()>>;
/// A device and an inode.
type FolderId = (u64, u64);

/// A lock for each folder in which a file changes now. One for each file would need to know whether two names are the same
/// file, which on some systems depends on more than their bytes.
static LOCKS: LazyLock<Mutex<HashMap<FolderId, Weak<Mutex<()>>>>> = LazyLock::new(Mutex::default);

/// The name of a file in its folder, after all links.
pub(super) struct Place {
    dir: Dir,
    name: OsString,
    lock: FolderLock,
}

impl Place {
    /// Finds a file that exists.
    pub(super) fn open(folder: &Folder, path: &str) -> Result<Self, ChangeError> {
        check(path)?;
        Self::find(folder, path)
    }

    /// Finds a file, or the place for a new one, and makes the folders that it needs.
    pub(super) fn for_new(folder: &Folder, path: &str) -> Result<Self, ChangeError> {
        check(path)?;
        if let Some(parent) = parent(Path::new(path)) {
            folder.handle().create_dir_all(parent).map_err(|error| PathError::new(path, error))?;
        }
        Self::find(folder, path)
    }

    /// Follows the links at the end of the path. Those on the way are followed by the system.
    fn find(folder: &Folder, path: &str) -> Result<Self, ChangeError> {
        let of = |error| PathError::new(path, error);
        if path.ends_with('/') || path.ends_with("/.") {
            return Err(PathError::IsFolder(shown_path(path)).into());
        }
        let mut real = PathBuf::from(path);
        for hop in 0..MAX_LINKS {
            let name = real.file_name().ok_or_else(|| PathError::IsFolder(shown_path(path)))?.to_owned();
            let missing = |error: io::Error| {
                let is_dangling = hop > 0 && error.kind() == io::ErrorKind::NotFound;
                if is_dangling { ChangeError::Dangling(shown_path(path)) } else { of(error).into() }
            };
            let dir = folder.handle().open_dir(parent(&real).unwrap_or(Path::new("."))).map_err(missing)?;
            match dir.symlink_metadata(&name) {
                Ok(metadata) if metadata.is_symlink() => {
                    // The target may not be opened, so it is not checked yet whether it leads out.
                    let target = dir.read_link_contents(&name).map_err(of)?;
                    real.set_file_name(target);
                }
                Err(error) if hop > 0 || error.kind() != io::ErrorKind::NotFound => {
                    return Err(missing(error));
                }
                _ => {
                    let lock = lock_of(&dir.dir_metadata().map_err(of)?);
                    return Ok(Self { dir, name, lock });
                }
            }
        }
        Err(ChangeError::TooManyLinks(shown_path(path)))
    }

    /// Runs `change` while no other change in this program touches the folder.
    pub(super) fn alone<T>(&self, change: impl FnOnce() -> T) -> T {
        let _held = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        change()
    }

    /// The file as it is, or `None`. It is refused if it cannot be replaced.
    pub(super) fn current(&self, path: &str) -> Result<Option<Metadata>, ChangeError> {
        let of = |error| PathError::new(path, error);
        let metadata = match self.dir.symlink_metadata(&self.name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            metadata => metadata.map_err(of)?,
        };
        regular(path, &metadata)?;
        if metadata.mode() & 0o222 == 0 {
            return Err(ChangeError::ReadOnly(shown_path(path)));
        }
        // The folder decides who may replace a file. Here the file has a say too.
        let flags = (OFlags::NONBLOCK | OFlags::NOFOLLOW).bits().cast_signed();
        self.dir.open_with(&self.name, OpenOptions::new().write(true).custom_flags(flags)).map_err(of)?;
        Ok(Some(metadata))
    }

    /// The content of at most so many bytes.
    pub(super) fn content(&self, path: &str, most: u64) -> Result<Vec<u8>, ChangeError> {
        let of = |error| PathError::new(path, error);
        let file = open(&self.dir, Path::new(&self.name), true).map_err(of)?;
        regular(path, &file.metadata().map_err(of)?)?;
        let mut bytes = Vec::new();
        file.take(most + 1).read_to_end(&mut bytes).map_err(of)?;
        if bytes.len() as u64 > most {
            return Err(ChangeError::TooLarge { path: shown_path(path), most });
        }
        Ok(bytes)
    }

    /// Writes the content to a new file, which then takes the name. With `before`, the content that the file must still have, it returns
    /// `false` and changes nothing if the file has another one.
    pub(super) fn replace(
        &self,
        work: &Work,
        path: &str,
        content: &[u8],
        old: Option<&Metadata>,
        before: Option<&[u8]>,
    ) -> ToolResult<bool> {
        let of = |error| PathError::new(path, error);
        let (mut file, new) = NewFile::create(&self.dir, old).map_err(of)?;
        for piece in content.chunks(1024 * 1024) {
            work.go_on()?;
            file.write_all(piece).map_err(of)?;
        }
        file.sync_data().map_err(of)?;
        drop(file);
        if before.is_some_and(|before| !self.has(&self.name, before)) {
            return Ok(false);
        }
        work.go_on()?;
        match before {
            Some(before) => self.exchange(new, content, before).map_err(|error| of(error).into()),
            None => new.take_name(&self.name).map(|()| true).map_err(|error| of(error).into()),
        }
    }

    /// Gives the name to the new file, and takes back what had it. If that is not `before`, another program was faster, and its file gets the name back.
    fn exchange(&self, new: NewFile<'_>, content: &[u8], before: &[u8]) -> io::Result<bool> {
        let swap = || renameat_with(&self.dir, &new.name, &self.dir, &self.name, RenameFlags::EXCHANGE);
        match swap() {
            Ok(()) => {}
            // The file system cannot do it: the moment since the comparison remains.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                return new.take_name(&self.name).map(|()| true);
            }
            Err(error) => return Err(error.into()),
        }
        if self.has(&new.name, before) {
            return Ok(true);
        }
        swap()?;
        // The name was taken once more meanwhile: the last one has it.
        if !self.has(&new.name, content) {
            swap()?;
        }
        Ok(false)
    }

    fn has(&self, name: &OsStr, content: &[u8]) -> bool {
        let bytes = open(&self.dir, Path::new(name), true).and_then(|file| {
            let mut bytes = Vec::new();
            // Not a pipe, whose content would be taken away.
            if file.metadata()?.is_file() {
                file.take(content.len() as u64 + 1).read_to_end(&mut bytes)?;
                return Ok(Some(bytes));
            }
            Ok(None)
        });
        bytes.is_ok_and(|bytes| bytes.as_deref() == Some(content))
    }
}

fn parent(path: &Path) -> Option<&Path> {
    path.parent().filter(|parent| !parent.as_os_str().is_empty())
}

fn lock_of(folder: &Metadata) -> FolderLock {
    let mut locks = LOCKS.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (folder.dev(), folder.ino());
    if let Some(lock) = locks.get(&key).and_then(Weak::upgrade) {
        return lock;
    }
    locks.retain(|_, lock| lock.strong_count() > 0);
    let lock = Arc::default();
    locks.insert(key, Arc::downgrade(&lock));
    lock
}

/// Why a file cannot be changed.
#[derive(Debug, thiserror::Error)]
pub(super) enum ChangeError {
    #[error(transparent)]
    Path(#[from] PathError),
    #[error("`{0}` is a link to a file that does not exist: use another path")]
    Dangling(String),
    #[error("`{0}` is a link to a link, and so on: use another path")]
    TooManyLinks(String),
    #[error("`{0}` is read-only: use another file, or ask the user to make it writable")]
    ReadOnly(String),
    #[error("`{path}` has more than {most} bytes: change it with another tool, or ask the user")]
    TooLarge { path: String, most: u64 },
}

/// A file without its name yet. It is removed if it does not get it.
struct NewFile<'d> {
    dir: &'d Dir,
    name: OsString,
    is_named: bool,
}

impl<'d> NewFile<'d> {
    fn create(dir: &'d Dir, old: Option<&Metadata>) -> io::Result<(File, Self)> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        // What others may not read must not be readable meanwhile.
        let mode = if old.is_some() { 0o600 } else { 0o666 };
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = OsString::from(format!(".onionskin-{}-{number}.tmp", std::process::id()));
            let file = dir.open_with(&name, OpenOptions::new().write(true).create_new(true).mode(mode));
            match file {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                file => {
                    let file = file?;
                    let new = Self { dir, name, is_named: false };
                    if let Some(old) = old {
                        // Another owner's file can be replaced without the right to give files away.
                        let _ = fchown(&file, Some(old.uid()), Some(old.gid()));
                        file.set_permissions(Permissions::from_mode(old.mode() & 0o777))?;
                    }
                    return Ok((file, new));
                }
            }
        }
    }

    fn take_name(mut self, name: &OsStr) -> io::Result<()> {
        self.dir.rename(&self.name, self.dir, name)?;
        self.is_named = true;
        Ok(())
    }
}

impl Drop for NewFile<'_> {
    fn drop(&mut self) {
        if !self.is_named {
            // It may be gone together with its folder.
            let _ = self.dir.remove_file(&self.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{NewFile, Place};
    use crate::folder::Folder;

    #[test]
    fn a6_what_another_program_put_in_place_since_the_comparison_remains() {
        let all = tempfile::tempdir().unwrap();
        let file = all.path().join("f");
        let folder = Folder::open(all.path()).unwrap();
        let place = Place::open(&folder, "f").unwrap();
        for (found, is_done, left) in [("old", true, "new"), ("other", false, "other")] {
            fs::write(&file, found).unwrap();
            let (written, new) = NewFile::create(&place.dir, None).unwrap();
            std::io::Write::write_all(&mut &written, b"new").unwrap();
            assert_eq!(place.exchange(new, b"new", b"old").unwrap(), is_done);
            assert_eq!(fs::read_to_string(&file).unwrap(), left);
            assert_eq!(fs::read_dir(all.path()).unwrap().count(), 1);
        }
    }
}
