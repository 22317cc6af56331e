//! `Filesystem` holds the root folder of the tools.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::folder::Folder;

const MAX_OUTPUT: usize = 64 * 1024;

/// The folder of the tools `filesystem.*`, which programs provide with
/// [`provide`](onionskin_core::declaration::AgentBuilder::provide). A clone has the same folder. Feature `filesystem`, Unix only.
///
/// An agent that is declared by hand takes tools with a folder of their own by [`read_tool`](Self::read_tool) and its neighbours.
#[derive(Clone)]
pub struct Filesystem {
    pub(super) folder: Folder,
    pub(super) max_output: usize,
}

/// The root folder of the tools `filesystem.*` cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FilesystemError {
    /// The folder cannot be opened.
    #[error("cannot open the folder `{}` for the tools `filesystem.*`: {source}; name a folder that exists", path.display())]
    #[non_exhaustive]
    Open {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl Filesystem {
    /// Opens the root folder. A relative path is taken from the working directory. The folder stays open, so that it may be renamed later.
    ///
    /// # Errors
    /// Returns an error if the folder does not exist or cannot be opened.
    pub fn at(folder: impl AsRef<Path>) -> Result<Self, FilesystemError> {
        let path = folder.as_ref();
        let folder =
            Folder::open(path).map_err(|source| FilesystemError::Open { path: path.to_owned(), source })?;
        Ok(Self { folder, max_output: MAX_OUTPUT })
    }

    /// The files of a folder that is open.
    #[cfg(feature = "skills")]
    pub(crate) fn in_folder(folder: Folder) -> Self {
        Self { folder, max_output: MAX_OUTPUT }
    }

    /// The handle of the folder.
    #[cfg(feature = "skills")]
    pub(crate) fn handle(&self) -> &cap_std::fs::Dir {
        self.folder.handle()
    }

    /// Sets the maximum number of bytes of file content, names or matches in one result. The result then says where to go on. Default: 64 KiB.
    #[must_use]
    pub fn max_output(mut self, bytes: usize) -> Self {
        self.max_output = bytes;
        self
    }
}

/// Shows no path.
impl fmt::Debug for Filesystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Filesystem").field("max_output", &self.max_output).finish_non_exhaustive()
    }
}
