//! Tokens in files.

use std::fmt::Write as _;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use futures_util::future::BoxFuture;
use onionskin_core::secret::Secret;
use onionskin_core::servers::BoxError;

use super::store::{Login, TokenStore};

/// The largest file that is read.
const MOST_BYTES: u64 = 1 << 20;
/// The longest name of a file that every system takes, with an extension.
const LONGEST_NAME: usize = 240;

/// Keeps the tokens of logins in the files of a folder, which only the user of the program can read (mode 600, in a folder of mode 700).
/// Programs that use the folder at the same time do not disturb each other.
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

    fn file(&self, login: &Login, extension: &str) -> io::Result<PathBuf> {
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
            let reason =
                "the address of the server and the name of the user are too long for the name of a file";
            return Err(io::Error::new(io::ErrorKind::InvalidFilename, reason));
        }
        Ok(self.0.join(format!("{name}.{extension}")))
    }

    fn make(&self) -> io::Result<()> {
        let mut folder = DirBuilder::new();
        folder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
        folder.create(&self.0)
    }

    fn read(&self, login: &Login) -> io::Result<Option<String>> {
        let path = self.file(login, "json")?;
        let size = match fs::metadata(&path) {
            Ok(file) => file.len(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(named(&path, &error)),
        };
        if size > MOST_BYTES {
            return Err(named(&path, &"it has more than 1 MiB"));
        }
        fs::read_to_string(&path).map(Some).map_err(|error| named(&path, &error))
    }

    fn write(&self, login: &Login, tokens: Option<&str>) -> io::Result<()> {
        let path = self.file(login, "json")?;
        let Some(tokens) = tokens else {
            return match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(named(&path, &error)),
                _ => Ok(()),
            };
        };
        self.make().map_err(|error| named(&self.0, &error))?;
        // It has the mode 600 from the beginning.
        let new = tempfile::NamedTempFile::new_in(&self.0).and_then(|mut new| {
            new.write_all(tokens.as_bytes())?;
            new.as_file().sync_all()?;
            new.persist(&path).map_err(|error| error.error)
        });
        new.map(drop).map_err(|error| named(&path, &error))
    }

    fn locked(&self, login: &Login) -> io::Result<File> {
        let path = self.file(login, "lock")?;
        self.make().map_err(|error| named(&self.0, &error))?;
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(|error| named(&path, &error))?;
        file.lock().map_err(|error| named(&path, &error))?;
        Ok(file)
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
            let file = blocking(move || folder.locked(&login)).await?;
            Ok(Box::new(file) as Box<dyn Send>)
        })
    }
}
