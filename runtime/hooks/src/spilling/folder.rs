//! The folder of spilled results.

use std::collections::VecDeque;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use onionskin_core::{CancellationToken, RunContext};
use tempfile::{NamedTempFile, TempDir};

use crate::key::root;
use crate::lock::lock;

/// The default maximum number of bytes of all files.
const MAX_BYTES: u64 = 256 << 20;

/// The folder of the hook [`spill`](struct@crate::spill), a service: `.provide(SpillFolder::temporary()?)`.
///
/// Only the run that stored a result can read it, with its parents and children. The [id](onionskin_core::RunContext::run_id) of a run says
/// which run it is, so apps that share the folder must not run one id at the same time. Its file is removed when another result is stored after the
/// end of the run, and at the latest with the folder. If the files have too many bytes, the oldest ones are removed. The folder is removed with
/// the last clone. Only the system's user can open it.
///
/// ```
/// use onionskin::hooks::SpillFolder;
///
/// # fn main() -> std::io::Result<()> {
/// let folder = SpillFolder::temporary()?.max_bytes(64 << 20);
/// # drop(folder);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct SpillFolder {
    folder: Arc<TempDir>,
    max_bytes: u64,
    files: Arc<Mutex<Files>>,
}

/// The files, the oldest first.
#[derive(Debug, Default)]
struct Files {
    stored: VecDeque<Stored>,
    bytes: u64,
}

#[derive(Debug)]
struct Stored {
    name: String,
    path: PathBuf,
    bytes: u64,
    run_id: String,
    /// Cancelled at the end of the run.
    run_ended: CancellationToken,
}

impl SpillFolder {
    /// Creates a folder in the system's folder for temporary files.
    ///
    /// # Errors
    /// Returns the error of the system if the folder cannot be created.
    pub fn temporary() -> io::Result<Self> {
        Self::inside(&std::env::temp_dir())
    }

    /// Creates a folder in this folder.
    ///
    /// # Errors
    /// Returns the error of the system if the folder cannot be created.
    pub fn inside(parent: &Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("onionskin-").tempdir_in(parent)?;
        Ok(Self { folder: Arc::new(folder), max_bytes: MAX_BYTES, files: Arc::default() })
    }

    /// Sets the largest number of bytes of all files together. A file counts when it is written as a whole. Default: 256 MiB.
    ///
    /// # Panics
    /// Panics if the number is zero, because nothing could be stored.
    #[must_use]
    pub fn max_bytes(self, most: u64) -> Self {
        assert!(
            most > 0,
            "a `SpillFolder` of 0 bytes stores nothing: remove the hook `spill`, or allow some bytes"
        );
        Self { max_bytes: most, ..self }
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Stores the text of a result of a run.
    pub(super) async fn store(&self, run: &RunContext, name: &str, text: String) -> io::Result<()> {
        let (this, root) = (self.clone(), root(run));
        let stored = Stored {
            name: name.to_owned(),
            path: self.path().join(name),
            bytes: text.len() as u64,
            run_id: root.run_id().to_owned(),
            run_ended: root.cancellation().clone(),
        };
        tokio::task::spawn_blocking(move || this.write(stored, &text)).await?
    }

    fn write(&self, stored: Stored, text: &str) -> io::Result<()> {
        if stored.bytes > self.max_bytes {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let mut file = NamedTempFile::new_in(self.path())?;
        file.write_all(text.as_bytes())?;
        lock(&self.files).add(stored, file, self.max_bytes)
    }

    /// The file of a result that this run may read.
    pub(super) fn find(&self, run: &RunContext, name: &str) -> Option<PathBuf> {
        let run_id = root(run).run_id();
        let files = lock(&self.files);
        let found = files.stored.iter().find(|stored| stored.name == name && stored.run_id == run_id);
        found.map(|stored| stored.path.clone())
    }
}

impl Files {
    /// Adds a file under its name, in place of the one that an earlier start of the run stored. Those of ended runs leave first, also this one,
    /// then the oldest ones.
    fn add(&mut self, new: Stored, file: NamedTempFile, max_bytes: u64) -> io::Result<()> {
        let earlier = self.stored.iter().position(|stored| stored.name == new.name);
        if new.run_ended.is_cancelled() && earlier.is_some() {
            // The run was dropped, and its next start may have stored the text since.
            return Ok(());
        }
        file.persist(&new.path)?;
        if let Some(earlier) = earlier.and_then(|at| self.stored.remove(at)) {
            self.bytes -= earlier.bytes;
        }
        self.bytes += new.bytes;
        self.stored.push_back(new);
        let Self { stored, bytes } = self;
        stored.retain(|stored| {
            let stays = !stored.run_ended.is_cancelled();
            if !stays {
                *bytes -= stored.bytes;
                stored.remove();
            }
            stays
        });
        while self.bytes > max_bytes
            && let Some(oldest) = self.stored.pop_front()
        {
            self.bytes -= oldest.bytes;
            oldest.remove();
        }
        Ok(())
    }
}

impl Stored {
    fn remove(&self) {
        if let Err(error) = fs::remove_file(&self.path)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(%error, "a spilled result was not removed; it leaves with its folder");
        }
    }
}
