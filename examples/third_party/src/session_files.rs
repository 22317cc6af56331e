//! A store of sessions: a file for each session, with a line for each append.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use onionskin_core::BoxFuture;
use onionskin_core::sessions::{
    SessionInfo, SessionLease, SessionPage, SessionQuery, SessionRecord, SessionSelection, SessionStore,
    SessionStoreError,
};
use serde::{Deserialize, Serialize};
use tokio::task;

/// Stores sessions in a folder, which several programs can use at once.
///
/// Calls take turns by a lock on the folder, so it is for tens of sessions, not for thousands.
pub struct SessionFiles {
    folder: PathBuf,
}

impl SessionFiles {
    /// A store in this folder, which is created if there is none.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be created.
    pub fn open(folder: impl Into<PathBuf>) -> io::Result<Self> {
        let folder = folder.into();
        fs::create_dir_all(&folder)?;
        Ok(Self { folder })
    }

    /// Runs a call on a thread that may block, while no other program has the folder.
    fn call<'a, T: Send + 'static>(
        &self,
        work: impl FnOnce(&Path) -> Result<T, SessionStoreError> + Send + 'static,
    ) -> BoxFuture<'a, Result<T, SessionStoreError>> {
        let folder = self.folder.clone();
        let call = task::spawn_blocking(move || {
            // The system releases the lock of a program that ends.
            let lock = File::create(folder.join("lock")).map_err(failed)?;
            lock.lock().map_err(failed)?;
            work(&folder)
        });
        Box::pin(async { call.await.map_err(SessionStoreError::storage)? })
    }
}

fn failed(error: impl Into<io::Error>) -> SessionStoreError {
    let error = error.into();
    match error.kind() {
        ErrorKind::StorageFull => SessionStoreError::full(error),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => SessionStoreError::read_only(error),
        _ => SessionStoreError::storage(error),
    }
}

/// Who has acquired a session, from and until when in milliseconds since 1970.
#[derive(Serialize, Deserialize)]
struct Held {
    holder: String,
    start: u128,
    end: u128,
}

/// The files of one session.
struct Session {
    log: PathBuf,
    lease: PathBuf,
}

impl Session {
    /// An id can have any letters and 256 bytes, which a name of a file cannot: folders have the parts of a long one.
    fn new(folder: &Path, id: &str) -> Self {
        let digits: Vec<_> = id.bytes().map(|byte| format!("{byte:02x}")).collect();
        let parts: Vec<_> = digits.chunks(100).map(<[String]>::concat).collect();
        let path = folder.join(parts.join("/"));
        Self { log: path.with_extension("jsonl"), lease: path.with_extension("lease") }
    }

    /// The records, and the length of the file without an append that a crash cut.
    fn read(&self) -> Result<(Vec<SessionRecord>, usize), SessionStoreError> {
        let content = match fs::read_to_string(&self.log) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            content => content.map_err(failed)?,
        };
        let whole = content.rfind('\n').map_or(0, |end| end + 1);
        let mut records = Vec::new();
        for line in content[..whole].lines() {
            let texts: Vec<String> = serde_json::from_str(line)
                .map_err(|error| SessionStoreError::corrupt(self.log.display(), error))?;
            for text in texts {
                records.push(SessionRecord::from_json(&text)?);
            }
        }
        Ok((records, whole))
    }

    fn held(&self) -> Result<Option<Held>, SessionStoreError> {
        match fs::read(&self.lease) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            // A crash may have cut it. Then nobody has the session.
            content => Ok(serde_json::from_slice(&content.map_err(failed)?).ok()),
        }
    }

    fn acquire(&self, lease: &SessionLease) -> Result<(), SessionStoreError> {
        let start = now();
        let held = Held { holder: lease.holder().into(), start, end: start + lease.time().as_millis() };
        fs::create_dir_all(self.lease.parent().unwrap_or(Path::new("."))).map_err(failed)?;
        let content = serde_json::to_vec(&held).map_err(failed)?;
        fs::write(&self.lease, content).map_err(failed)
    }

    /// Returns whether it had records.
    fn delete(&self) -> Result<bool, SessionStoreError> {
        let remove = |file| match fs::remove_file(file) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            removed => removed.map(|()| true).map_err(failed),
        };
        remove(&self.lease)?;
        remove(&self.log)
    }
}

fn now() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis()
}

/// The ids and files of all sessions in a folder.
fn sessions(folder: &Path, digits: &str) -> io::Result<Vec<(String, Session)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let digits = format!("{digits}{}", path.file_stem().unwrap_or_default().to_string_lossy());
        if path.is_dir() {
            found.extend(sessions(&path, &digits)?);
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            let bytes = (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16));
            let bytes: Vec<_> = bytes.collect::<Result<_, _>>().map_err(io::Error::other)?;
            let id = String::from_utf8(bytes).map_err(io::Error::other)?;
            found.push((id, Session { lease: path.with_extension("lease"), log: path }));
        }
    }
    Ok(found)
}

fn user(records: &[SessionRecord]) -> Option<&str> {
    records.iter().find_map(SessionRecord::user).map(|user| &**user)
}

/// The summary of a session, if one of its messages has the words of the query.
fn summary(
    id: &str,
    records: &[SessionRecord],
    query: &SessionQuery,
    words: &[String],
) -> Option<SessionInfo> {
    let (created, updated) = (records.first()?.at(), records.iter().map(SessionRecord::at).max()?);
    let count = u64::try_from(records.len()).ok()?;
    let summary = SessionInfo::new(id, user(records).map(Into::into), created, updated, count);
    if words.is_empty() {
        return Some(summary);
    }
    let mut texts = records.iter().filter_map(SessionRecord::search_text);
    Some(summary.excerpt(texts.find_map(|text| query.excerpt(&text))?))
}

impl SessionStore for SessionFiles {
    fn acquire<'a>(&'a self, lease: &'a SessionLease) -> BoxFuture<'a, Result<u64, SessionStoreError>> {
        let lease = lease.clone();
        self.call(move |folder| {
            let session = Session::new(folder, lease.session());
            let held = session.held()?.filter(|held| (held.start..held.end).contains(&now()));
            if held.is_some_and(|held| held.holder != lease.holder()) {
                return Err(SessionStoreError::held(lease.session()));
            }
            session.acquire(&lease)?;
            Ok(session.read()?.0.len().try_into().unwrap_or(u64::MAX))
        })
    }

    fn release<'a>(&'a self, lease: &'a SessionLease) -> BoxFuture<'a, Result<(), SessionStoreError>> {
        let lease = lease.clone();
        self.call(move |folder| {
            let session = Session::new(folder, lease.session());
            match session.held()? {
                Some(held) if held.holder == lease.holder() => {
                    fs::remove_file(&session.lease).map_err(failed)
                }
                _ => Ok(()),
            }
        })
    }

    fn append<'a>(
        &'a self,
        lease: &'a SessionLease,
        after: u64,
        records: &'a [SessionRecord],
    ) -> BoxFuture<'a, Result<(), SessionStoreError>> {
        let (lease, records) = (lease.clone(), records.to_vec());
        self.call(move |folder| {
            let session = Session::new(folder, lease.session());
            if session.held()?.is_none_or(|held| held.holder != lease.holder()) {
                return Err(SessionStoreError::lost(lease.session()));
            }
            let (stored, whole) = session.read()?;
            let found = stored.len().try_into().unwrap_or(u64::MAX);
            if found != after {
                return Err(SessionStoreError::changed(lease.session(), after, found));
            }
            session.acquire(&lease)?;
            if records.is_empty() {
                return Ok(());
            }
            let texts: Vec<_> = records.iter().map(SessionRecord::to_json).collect::<Result<_, _>>()?;
            let line = serde_json::to_string(&texts).map_err(failed)? + "\n";
            let mut log = OpenOptions::new().create(true).append(true).open(&session.log).map_err(failed)?;
            log.set_len(whole.try_into().unwrap_or(u64::MAX)).map_err(failed)?;
            log.write_all(line.as_bytes()).and_then(|()| log.sync_data()).map_err(failed)
        })
    }

    fn read<'a>(
        &'a self,
        session: &'a str,
        after: u64,
    ) -> BoxFuture<'a, Result<Vec<SessionRecord>, SessionStoreError>> {
        let session = session.to_owned();
        self.call(move |folder| {
            let (records, _) = Session::new(folder, &session).read()?;
            Ok(records.into_iter().skip(after.try_into().unwrap_or(usize::MAX)).collect())
        })
    }

    fn list<'a>(&'a self, query: &'a SessionQuery) -> BoxFuture<'a, Result<SessionPage, SessionStoreError>> {
        let query = query.clone();
        self.call(move |folder| {
            let words = query.words()?;
            let mut summaries = Vec::new();
            for (id, session) in sessions(folder, "").map_err(failed)? {
                summaries.extend(summary(&id, &session.read()?.0, &query, &words));
            }
            query.page(summaries)
        })
    }

    fn delete<'a>(
        &'a self,
        selection: &'a SessionSelection,
    ) -> BoxFuture<'a, Result<u64, SessionStoreError>> {
        let selection = selection.clone();
        self.call(move |folder| {
            let selected = match selection {
                SessionSelection::Session(id) => vec![Session::new(folder, &id)],
                SessionSelection::User(id) => {
                    let mut selected = Vec::new();
                    for (_, session) in sessions(folder, "").map_err(failed)? {
                        if user(&session.read()?.0) == Some(&*id) {
                            selected.push(session);
                        }
                    }
                    selected
                }
                _ => return Err(SessionStoreError::storage("it has no such selection")),
            };
            let mut deleted = 0;
            for session in selected {
                deleted += u64::from(session.delete()?);
            }
            Ok(deleted)
        })
    }
}
