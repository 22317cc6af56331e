//! A folder that is held by its handle. Each file and folder that is opened through it is in it, whatever happens to links and names meanwhile.

use std::io;
use std::path::Path;
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, FileTypeExt as _, Metadata, OpenOptions, OpenOptionsExt as _};
use rustix::fs::OFlags;

use super::names::shown_path;

/// The most bytes of a path, as Linux has it.
const MAX_PATH: usize = 4096;

/// Why a file cannot be used. The texts name the path as it was given, and never the place of the folder.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PathError {
    #[error("the path is empty: name a file or a folder, or `.` for the root folder")]
    Empty,
    #[error("the path `{0}` contains the character NUL: no file has such a name")]
    Nul(String),
    #[error("the path has {0} bytes, and at most {MAX_PATH} are possible: use shorter names")]
    TooLong(usize),
    #[error("the path `{0}` is absolute: give it relative to the root folder, such as `notes/today.md`")]
    Absolute(String),
    #[error("the path `{0}` leads out of the root folder, by `..` or by a link: use a file within it")]
    Outside(String),
    #[error("`{0}` does not exist: list its folder to see the names")]
    Missing(String),
    #[error("`{0}` is a folder: name a file in it")]
    IsFolder(String),
    #[error("`{0}` is not a folder: list the folder that contains it")]
    NotAFolder(String),
    #[error("a part of the path `{0}` is a file: list the folder that contains it")]
    ThroughAFile(String),
    #[error("`{path}` is a {kind}, which is neither a file nor a folder: use another path")]
    Special { path: String, kind: &'static str },
    #[error("no permission for `{0}`: use another path, or ask the user to change the permissions")]
    NoPermission(String),
    #[error("cannot use `{path}`: {source}")]
    Io { path: String, source: io::Error },
}

impl PathError {
    /// The error of an operation on a path.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the system has many other kinds of errors")]
    pub(crate) fn new(path: &str, source: io::Error) -> Self {
        let shown = shown_path(path);
        match source.kind() {
            io::ErrorKind::NotFound => Self::Missing(shown),
            io::ErrorKind::IsADirectory => Self::IsFolder(shown),
            io::ErrorKind::NotADirectory => Self::ThroughAFile(shown),
            // An error of the system has a number, and that of cap-std has none.
            io::ErrorKind::PermissionDenied if source.raw_os_error().is_none() => Self::Outside(shown),
            io::ErrorKind::PermissionDenied => Self::NoPermission(shown),
            _ => Self::Io { path: shown, source },
        }
    }
}

/// A folder. A clone is another handle of it.
#[derive(Clone)]
pub(crate) struct Folder(Arc<Dir>);

impl Folder {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(Arc::new(Dir::open_ambient_dir(path, ambient_authority())?)))
    }

    pub(crate) fn handle(&self) -> &Dir {
        &self.0
    }

    /// Opens a folder in this one, to keep it.
    #[cfg(feature = "skills")]
    pub(crate) fn inner(&self, path: &str) -> Result<Self, PathError> {
        self.dir(path).map(|dir| Self(Arc::new(dir)))
    }

    /// Opens a folder in this one.
    pub(crate) fn dir(&self, path: &str) -> Result<Dir, PathError> {
        check(path)?;
        self.0.open_dir(path).map_err(|error| {
            let is_other = error.kind() == io::ErrorKind::NotADirectory;
            if is_other { PathError::NotAFolder(shown_path(path)) } else { PathError::new(path, error) }
        })
    }

    /// What a path is, after its links.
    pub(crate) fn metadata(&self, path: &str) -> Result<Metadata, PathError> {
        check(path)?;
        self.0.metadata(path).map_err(|error| PathError::new(path, error))
    }

    /// Opens a file to read it.
    pub(crate) fn file(&self, path: &str) -> Result<File, PathError> {
        // To open a device can have an effect, so it is not opened to see that it is one.
        regular(path, &self.metadata(path)?)?;
        open(&self.0, Path::new(path), false)
            .and_then(|file| Ok((file.metadata()?, file)))
            .map_err(|error| PathError::new(path, error))
            .and_then(|(metadata, file)| regular(path, &metadata).map(|()| file))
    }
}

/// Opens a file to read it. A pipe is opened without waiting for its writer; the caller refuses it then.
pub(crate) fn open(dir: &Dir, path: &Path, no_link: bool) -> io::Result<File> {
    let flags = if no_link { OFlags::NONBLOCK | OFlags::NOFOLLOW } else { OFlags::NONBLOCK };
    dir.open_with(path, OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()))
}

/// Checks the form of a path.
pub(crate) fn check(path: &str) -> Result<(), PathError> {
    match path {
        "" => Err(PathError::Empty),
        _ if path.len() > MAX_PATH => Err(PathError::TooLong(path.len())),
        _ if path.contains('\0') => Err(PathError::Nul(shown_path(path))),
        _ if path.starts_with('/') => Err(PathError::Absolute(shown_path(path))),
        _ => Ok(()),
    }
}

/// Refuses everything but a regular file.
pub(crate) fn regular(path: &str, metadata: &Metadata) -> Result<(), PathError> {
    let kind = metadata.file_type();
    let kind = match () {
        () if kind.is_file() => return Ok(()),
        () if kind.is_dir() => return Err(PathError::IsFolder(shown_path(path))),
        () if kind.is_symlink() => "link",
        () if kind.is_fifo() => "pipe",
        () if kind.is_socket() => "socket",
        () => "device",
    };
    Err(PathError::Special { path: shown_path(path), kind })
}
