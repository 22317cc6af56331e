//! Tokens in files.

use std::fmt::Write as _;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use onionskin_core::secret::Secret;
use onionskin_core::servers::BoxError;
use sha2::{Digest as _, Sha256};

use super::store::{Login, TokenStore};

/// The largest file that is read.
const MOST_BYTES: u64 = 1 << 20;
/// The longest name of a file that every system takes, with an extension.
const LONGEST_NAME: usize = 200;
/// So much of a longer one can be read; the rest is a hash.
const LONGEST_READABLE: usize = 100;
/// The pause between two attempts to lock a file, and the time for all of them.
const PAUSE: Duration = Duration::from_millis(50);
const TIME: Duration = Duration::from_secs(30);

/// Keeps the tokens of logins in the files of a folder. On Unix, only the user of the program can read them (mode 600; the folder is made with
/// mode 700, and must not be writable for others). Programs that use the folder at the same time do not disturb each other.
///
/// ```no_run
/// use onionskin::mcp::{OAuth, ServerConfig, TokenFolder};
///
/// let oauth = OAuth::new().store(TokenFolder::new("/var/lib/clerk/tokens"));
/// let docs = ServerConfig::http("https://docs.example.com/mcp").oauth(oauth);
/// ```
#[derive(Debug, Clone)]
pub struct TokenFolder(PathBuf);

impl TokenFolder {
    /// A store in this folder, which is made when the first tokens are saved.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self(folder.into())
    }

    fn file(&self, login: &Login, extension: &str) -> PathBuf {
        let whole = match &login.user {
            Some(user) => format!("{}\n{user}", login.server),
            None => login.server.clone(),
        };
        // Some systems hold names of different case for equal, and no name may leave the folder.
        let mut name = String::new();
        for byte in whole.bytes() {
            match byte {
                b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' => name.push(byte.into()),
                _ => drop(write!(name, "_{byte:02x}")),
            }
        }
        if name.len() > LONGEST_NAME {
            let hash = Sha256::digest(whole.as_bytes());
            name.truncate(LONGEST_READABLE);
            // No shorter name has two of these signs together.
            name.push_str("__");
            for byte in hash {
                let _ = write!(name, "{byte:02x}");
            }
        }
        self.0.join(format!("{name}.{extension}"))
    }

    fn make(&self) -> io::Result<()> {
        let mut folder = DirBuilder::new();
        folder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
        folder.create(&self.0)?;
        self.check()
    }

    /// # Errors
    /// Returns an error if others could put tokens of theirs into the folder.
    fn check(&self) -> io::Result<()> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            if fs::metadata(&self.0)?.permissions().mode() & 0o022 != 0 {
                return Err(io::Error::other("other users can write to this folder"));
            }
        }
        Ok(())
    }

    fn read(&self, login: &Login) -> io::Result<Option<String>> {
        let path = self.file(login, "json");
        match fs::metadata(&path) {
            // A pipe may never end, and opening it may block forever.
            Ok(file) if !file.is_file() => return Err(named(&path, &"this is not a file")),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(named(&path, &error)),
        }
        self.check().map_err(|error| named(&self.0, &error))?;
        let mut tokens = String::new();
        File::open(&path)
            .and_then(|file| file.take(MOST_BYTES + 1).read_to_string(&mut tokens))
            .map_err(|error| named(&path, &error))?;
        if tokens.len() as u64 > MOST_BYTES {
            return Err(named(&path, &"it has more than 1 MiB"));
        }
        Ok(Some(tokens))
    }

    fn write(&self, login: &Login, tokens: Option<&str>) -> io::Result<()> {
        let path = self.file(login, "json");
        let Some(tokens) = tokens else {
            return match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(named(&path, &error)),
                _ => Ok(()),
            };
        };
        if tokens.len() as u64 > MOST_BYTES {
            return Err(named(&path, &"it would have more than 1 MiB"));
        }
        self.make().map_err(|error| named(&self.0, &error))?;
        // It has the mode 600 from the beginning.
        let new = tempfile::NamedTempFile::new_in(&self.0).and_then(|mut new| {
            new.write_all(tokens.as_bytes())?;
            new.as_file().sync_all()?;
            new.persist(&path).map_err(|error| error.error)
        });
        new.map(drop).map_err(|error| named(&path, &error))
    }

    /// The locked file. `None` if another program has locked it.
    fn locked(&self, login: &Login) -> io::Result<Option<File>> {
        let path = self.file(login, "lock");
        self.make().map_err(|error| named(&self.0, &error))?;
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(|error| named(&path, &error))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(named(&path, &error)),
        }
    }
}

fn named(path: &Path, reason: &dyn std::fmt::Display) -> io::Error {
    io::Error::other(format!("`{}`: {reason}", path.display()))
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, BoxError> {
    Ok(tokio::task::spawn_blocking(work).await??)
}

impl TokenStore for TokenFolder {
    fn load<'a>(&'a self, login: &'a Login) -> BoxFuture<'a, Result<Option<Secret<String>>, BoxError>> {
        let (folder, login) = (self.clone(), login.clone());
        Box::pin(async move { Ok(blocking(move || folder.read(&login)).await?.map(Secret::new)) })
    }

    fn save<'a>(
        &'a self,
        login: &'a Login,
        tokens: Option<Secret<String>>,
    ) -> BoxFuture<'a, Result<(), BoxError>> {
        let (folder, login) = (self.clone(), login.clone());
        Box::pin(blocking(move || {
            folder.write(&login, tokens.as_ref().map(|tokens| tokens.expose().as_str()))
        }))
    }

    fn lock<'a>(&'a self, login: &'a Login) -> BoxFuture<'a, Result<Box<dyn Send>, BoxError>> {
        let (folder, login) = (self.clone(), login.clone());
        Box::pin(async move {
            let begun = Instant::now();
            loop {
                let (folder, login) = (folder.clone(), login.clone());
                if let Some(file) = blocking(move || folder.locked(&login)).await? {
                    return Ok(Box::new(file) as Box<dyn Send>);
                }
                if begun.elapsed() > TIME {
                    return Err(format!("another program has locked it for {TIME:?}").into());
                }
                tokio::time::sleep(PAUSE).await;
            }
        })
    }
}
