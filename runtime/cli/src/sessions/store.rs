//! Where stored sessions are, and the one that a run continues.

use std::ops::Deref;
#[cfg(feature = "sqlite")]
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use onionskin_core::declaration::AppBuilder;
use onionskin_core::model::UsageByModel;
use onionskin_core::run::RunRequest;
use onionskin_core::sessions::{SessionError, SessionStoreError, Sessions};
use onionskin_core::{App, Session};
#[cfg(feature = "sqlite")]
use onionskin_sqlite::Sqlite;

use crate::failure::Failure;
#[cfg(all(feature = "sqlite", unix))]
use crate::output;
use crate::program::Program;
#[cfg(feature = "sqlite")]
use crate::settings::Setting;
#[cfg(feature = "sqlite")]
use crate::states;
use crate::text;

#[cfg(feature = "sqlite")]
use super::words::store_error;
use super::words::{other_user, session_error};

/// The store.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Sessions")]
pub(crate) struct StoreArguments {
    /// Use the sessions of this file.
    ///
    /// Without it, they are those of the program's own store, of the file in your settings, or of a file for the working directory in your
    /// folder of states. A folder that is renamed or moved has another file then: `config` shows which.
    #[cfg(feature = "sqlite")]
    #[arg(long, value_name = "FILE")]
    sessions: Option<PathBuf>,
}

/// The session of a run.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Sessions")]
pub(crate) struct SessionArguments {
    /// Continue the stored session with this id, or begin it.
    ///
    /// Each message and each result is stored as soon as it is there. `sessions` shows what is stored.
    #[arg(long, value_name = "ID")]
    session: Option<String>,

    /// Run for this user, whose budgets and memories the run has. Without it, the run is for the user of the session.
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    user: Option<String>,

    #[command(flatten)]
    store: StoreArguments,

    /// Whether the command stores sessions without `--session`.
    #[arg(skip)]
    stores_all: bool,
}

/// The sessions of editors, which name them.
#[cfg(feature = "acp")]
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Sessions")]
pub(crate) struct ServedSessions {
    /// Run for this user, whose budgets, memories and stored sessions the client has. Without it, a run is for the user of its session.
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    user: Option<String>,

    #[command(flatten)]
    store: StoreArguments,
}

#[cfg(feature = "acp")]
impl ServedSessions {
    /// As the arguments of a command that stores all sessions.
    pub(crate) fn into_arguments(self) -> SessionArguments {
        SessionArguments { session: None, user: self.user, store: self.store, stores_all: true }
    }
}

impl StoreArguments {
    /// The sessions that the clients of an API name, if the option names a file.
    #[cfg(feature = "serve")]
    pub(crate) fn served(&self, has_api: bool) -> Result<SessionArguments, Failure> {
        let stores_all = self.is_named();
        if stores_all && !has_api {
            return Err(Failure::new("`--sessions` is for the sessions of plain HTTP: add `--api`"));
        }
        Ok(SessionArguments { store: self.clone(), stores_all, ..SessionArguments::default() })
    }
}

impl SessionArguments {
    /// The id of the session.
    pub(crate) fn id(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// The user that the option names.
    pub(crate) fn user(&self) -> Option<&str> {
        self.user.as_deref()
    }

    /// The builder with the store, if a session is continued. The program's own store wins over the file of the settings.
    pub(crate) async fn add_to(&self, program: &Program, app: AppBuilder) -> Result<AppBuilder, Failure> {
        let is_named = self.store.is_named();
        match (self.session.is_some() || self.stores_all, app.sessions()) {
            (false, _) if is_named => {
                Err(Failure::new("`--sessions` is for a stored session: add `--session ID`"))
            }
            (true, Some(_)) if is_named => Err(two_stores()),
            (false, _) | (true, Some(_)) => Ok(app),
            // Without the feature, only a program's own store has sessions.
            (true, None) if self.stores_all && !cfg!(feature = "sqlite") => Ok(app),
            (true, None) => self.store.add_to(program, app).await,
        }
    }

    /// Opens the session; none if the arguments name none.
    pub(crate) async fn open(&self, app: &App) -> Result<Option<Session>, Failure> {
        let Some(id) = &self.session else { return Ok(None) };
        let opened = app.open_session(id.as_str()).await;
        let session = opened.map_err(|error| Failure::new(session_error(&error)))?;
        // Each of its runs would fail.
        if let (Some(user), Some(owner)) = (&self.user, session.user())
            && **user != *owner
        {
            return Err(Failure::new(other_user(id)));
        }
        match session.paused() {
            Some(paused) if paused.agent_name() != app.entry().name() => {
                let agent = text::first_line(paused.agent_name());
                Err(Failure::new(format!(
                    "the run that waits in the session `{id}` is one of the agent `{agent}`: name it with `--agent`"
                )))
            }
            _ => Ok(Some(session)),
        }
    }

    /// Says that a session is a new one, and where it is stored: a mistyped id begins one too, and so does a folder that was moved.
    pub(crate) fn note_of_new(&self, program: &Program, session: &Session) -> Option<String> {
        let id = self.id()?;
        let is_new = session.history().is_empty()
            && session.usage() == UsageByModel::default()
            && session.paused().is_none();
        // A setup can have a store of its own.
        let file = if program.setup.is_none() { self.store.place(program) } else { None };
        let place = file.map_or_else(String::new, |file| format!(", in {file}"));
        is_new.then(|| format!("note: the session `{id}` is new{place}"))
    }

    /// The request, as one of the session and for its user.
    pub(crate) fn continues(&self, request: RunRequest, session: &Session) -> RunRequest {
        let request = request.session(session);
        match session.user() {
            Some(user) if self.user.is_none() => request.user(user),
            _ => self.for_user(request),
        }
    }

    /// The request, as one for the user.
    pub(crate) fn for_user(&self, request: RunRequest) -> RunRequest {
        match &self.user {
            Some(user) => request.user(user.as_str()),
            None => request,
        }
    }
}

/// The sessions of a store.
pub(super) struct StoredSessions {
    sessions: Sessions,
    /// The file, for people; none for the store of a program.
    place: Option<String>,
}

impl StoredSessions {
    /// The end of a sentence that says where they are.
    pub(super) fn place(&self) -> String {
        self.place.as_ref().map_or_else(String::new, |place| format!(" in {place}"))
    }

    /// The failure of a command.
    pub(super) fn failure(&self, error: impl Into<SessionError>) -> Failure {
        let error = error.into();
        if let SessionError::Store(SessionStoreError::Missing { session, .. }) = &error {
            return Failure::new(format!("there is no session `{session}`{}", self.place()));
        }
        Failure::new(session_error(&error))
    }
}

impl Deref for StoredSessions {
    type Target = Sessions;

    fn deref(&self) -> &Sessions {
        &self.sessions
    }
}

fn two_stores() -> Failure {
    Failure::new("the program has a store of sessions of its own: remove `--sessions`")
}

#[cfg(feature = "sqlite")]
impl StoreArguments {
    fn is_named(&self) -> bool {
        self.sessions.is_some()
    }

    /// The file, for people.
    fn place(&self, program: &Program) -> Option<String> {
        self.file(program).ok().map(|file| file.place())
    }

    /// The file of the option or the settings, or the one for the working directory.
    fn file(&self, program: &Program) -> Result<File, Failure> {
        let named = self.sessions.as_ref().map(|file| Setting::option("sessions", file));
        if let Some(named) = named.or_else(|| program.settings.sessions.clone()) {
            return Ok(File { path: named.value.clone(), named: Some(named) });
        }
        let path = default_file(program);
        let path = path.ok_or_else(|| {
            Failure::new("there is no folder for sessions: name a file with `--sessions FILE`")
        })?;
        Ok(File { path, named: None })
    }

    async fn add_to(&self, program: &Program, app: AppBuilder) -> Result<AppBuilder, Failure> {
        let file = self.file(program)?.create().await?;
        // A session that continues has spent what it spent.
        let app = if app.has_budget_store() { app } else { app.budget_store(file.clone()) };
        Ok(app.session_store(file))
    }

    /// The sessions that there are. `creates` if the file may be a new one.
    pub(super) async fn sessions(&self, program: &Program, creates: bool) -> Result<StoredSessions, Failure> {
        match (program.prepare(App::builder()).await?.sessions(), &self.sessions) {
            (Some(_), Some(_)) => return Err(two_stores()),
            (Some(sessions), None) => return Ok(StoredSessions { sessions, place: None }),
            (None, _) => {}
        }
        let file = self.file(program)?;
        let sessions = if creates {
            Sessions::new(file.create().await?)
        } else if file.path.exists() {
            Sessions::new(file.open().await?)
        } else if let Some(named) = &file.named {
            return Err(named.failure(format!("there is no file {}", file.place())));
        } else {
            // Nothing was stored yet.
            Sessions::new(onionskin_core::sessions::MemorySessions::default())
        };
        Ok(StoredSessions { sessions, place: Some(file.place()) })
    }
}

/// The file for the working directory, whether it exists or not.
#[cfg(feature = "sqlite")]
pub(crate) fn default_file(program: &Program) -> Option<PathBuf> {
    let folder = states::folder(program)?.join("sessions");
    Some(folder.join(format!("{}.db", states::key("sessions")?)))
}

#[cfg(feature = "sqlite")]
struct File {
    path: PathBuf,
    /// Who names it; none for the one of the working directory.
    named: Option<Setting<PathBuf>>,
}

#[cfg(feature = "sqlite")]
impl File {
    /// Its name, for people.
    fn place(&self) -> String {
        let which = if self.named.is_none() { ", the file for this folder" } else { "" };
        format!("`{}`{which}", text::path(&self.path))
    }

    async fn create(&self) -> Result<Sqlite, Failure> {
        if self.named.is_none() {
            let folder = self.path.parent().unwrap_or(Path::new(""));
            states::make(folder)
                .map_err(|error| Failure::new(format!("`{}` was not made: {error}", folder.display())))?;
        }
        self.open().await
    }

    async fn open(&self) -> Result<Sqlite, Failure> {
        let failed = |error: String| {
            self.named.as_ref().map_or_else(|| Failure::new(&error), |named| named.failure(&error))
        };
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if self.path.is_dir() {
            return Err(failed(format!("{} is a folder: name a file", self.place())));
        }
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            return Err(failed(format!("there is no folder `{}`: make it first", text::path(folder))));
        }
        let opened = Sqlite::open(&self.path).await.map_err(|error| failed(store_error(&error)))?;
        #[cfg(unix)]
        self.warn_of_others();
        Ok(opened)
    }

    /// A new file is the user's alone. One that exists may be shared on purpose.
    #[cfg(unix)]
    fn warn_of_others(&self) {
        use std::os::unix::fs::PermissionsExt as _;

        let Ok(facts) = self.path.metadata() else { return };
        let mode = facts.permissions().mode() & 0o777;
        if mode & 0o007 != 0 {
            let file = text::path(&self.path);
            output::warning(&format!(
                "all users of this machine can open `{file}` (mode {mode:o}), which has your conversations and what you allowed: \
                 `chmod 600 {}` ends this",
                text::shell_word(&file)
            ));
        }
    }
}

#[cfg(not(feature = "sqlite"))]
impl StoreArguments {
    #[expect(clippy::unused_self, reason = "with the feature there is an option")]
    fn is_named(&self) -> bool {
        false
    }

    #[expect(clippy::unused_self, reason = "with the feature there is an option")]
    fn place(&self, _: &Program) -> Option<String> {
        None
    }

    #[expect(clippy::unused_async, reason = "with the feature there is a file")]
    async fn add_to(&self, _: &Program, _: AppBuilder) -> Result<AppBuilder, Failure> {
        Err(no_store())
    }

    pub(super) async fn sessions(&self, program: &Program, _: bool) -> Result<StoredSessions, Failure> {
        let sessions = program.prepare(App::builder()).await?.sessions().ok_or_else(no_store)?;
        Ok(StoredSessions { sessions, place: None })
    }
}

#[cfg(not(feature = "sqlite"))]
fn no_store() -> Failure {
    Failure::new(
        "the program stores no sessions: enable feature `sqlite` of onionskin, or set a store in its `setup`",
    )
}
