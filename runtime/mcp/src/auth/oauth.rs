//! How a program logs in to servers, and where the browser comes back to.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, Weak};

use onionskin_core::secret::Secret;
use reqwest::Url;
use tokio::time::Instant;

use super::authority::{Authority, Begin, LOGIN};
use super::error::OAuthError;
use super::store::{InMemory, Login, TokenStore};
use crate::endpoint::{self, Mistake};
use crate::mutex::lock;
use crate::visible::name;

/// Logins that wait for a person at a time. The oldest ones end first.
const WAITING: usize = 1_024;

/// How a program logs in to servers that require OAuth: with PKCE, as the authorization of MCP asks for. Requires the feature `mcp-auth`.
///
/// A server that requires a login answers with 401. Then the call, or the start of the server, ends with
/// [`HttpError::LoginRequired`](crate::HttpError::LoginRequired), which has the address to open in the person's browser. The browser comes back to
/// the [redirect](Self::redirect) address of the program, which gives the whole address to [`Self::finish`]; the next call works. The
/// tokens are stored in a [store](Self::store), and are refreshed. A server that asks for more scopes (403) gets a new login in the same way.
///
/// Where the server's descriptions lead to addresses of this machine or of a private network, they are not requested, unless the configured
/// address of the server is there too. Nothing is requested without TLS, except on this machine and from the server's own address.
///
/// ```
/// use onionskin::mcp::{HttpError, OAuth, ServerConfig, TokenFolder};
///
/// let oauth = OAuth::new()
///     .redirect("https://clerk.example.com/logged-in")
///     .store(TokenFolder::new("/var/lib/clerk/tokens"))
///     .for_each_user();
/// let issues = ServerConfig::http("https://issues.example.com/mcp").oauth(oauth.clone());
///
/// // In the handler of `/logged-in`, for the user of the browser's session:
/// # async fn handler(oauth: OAuth, uri: &str, session_user: &str) -> Result<(), onionskin::mcp::OAuthError> {
/// if oauth.waiting(uri).is_some_and(|login| login.user.as_deref() == Some(session_user)) {
///     let login = oauth.finish(uri).await?;
///     println!("connected to {}", login.server);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct OAuth {
    pub(super) redirect: Option<String>,
    pub(super) client: Option<(String, Option<Secret<String>>)>,
    /// The address of the client's description.
    pub(super) document: Option<String>,
    pub(super) name: Option<String>,
    pub(super) scopes: Option<Vec<String>>,
    each_user: bool,
    /// Whose login it is, within a run.
    user: Option<String>,
    pub(super) shared: Arc<Shared>,
}

/// What all copies share.
pub(super) struct Shared {
    pub(super) store: Arc<dyn TokenStore>,
    authorities: Mutex<HashMap<Login, Weak<Authority>>>,
    /// The logins that wait for a person, by the number in their addresses.
    waiting: Mutex<HashMap<String, Waiting>>,
    /// The server that a client with a secret is for.
    client_server: OnceLock<String>,
}

/// A login that waits for a person.
struct Waiting {
    authority: Arc<Authority>,
    begin: Begin,
    since: Instant,
}

impl Shared {
    fn new(store: Arc<dyn TokenStore>) -> Arc<Self> {
        Arc::new(Self {
            store,
            authorities: Mutex::default(),
            waiting: Mutex::default(),
            client_server: OnceLock::new(),
        })
    }

    pub(super) fn add(&self, number: String, (authority, begin): (Arc<Authority>, Begin)) {
        let mut waiting = lock(&self.waiting);
        waiting.retain(|_, waits| waits.since.elapsed() < LOGIN);
        if waiting.len() >= WAITING {
            let oldest =
                waiting.iter().min_by_key(|(_, waits)| waits.since).map(|(number, _)| number.clone());
            oldest.and_then(|oldest| waiting.remove(&oldest));
        }
        waiting.insert(number, Waiting { authority, begin, since: Instant::now() });
    }

    pub(super) fn remove(&self, number: &str) {
        lock(&self.waiting).remove(number);
    }

    /// Whether the client of the settings may be shown to this server. One with a secret is for the first server only.
    pub(super) fn client_is_for(&self, oauth: &OAuth, server: &Url) -> bool {
        match &oauth.client {
            Some((_, Some(_))) => {
                let server = server.origin().ascii_serialization() + server.path();
                *self.client_server.get_or_init(|| server.clone()) == server
            }
            Some((_, None)) | None => true,
        }
    }
}

impl Default for OAuth {
    fn default() -> Self {
        Self::new()
    }
}

impl OAuth {
    /// Logins whose tokens are stored in memory, until another store is set. Without a [redirect](Self::redirect) address no login begins: stored
    /// tokens are used and refreshed.
    pub fn new() -> Self {
        Self {
            redirect: None,
            client: None,
            document: None,
            name: None,
            scopes: None,
            each_user: false,
            user: None,
            shared: Shared::new(Arc::new(InMemory::default())),
        }
    }

    /// Sets the address of the program to which the browser comes back: `https://clerk.example.com/logged-in`, or, for a program on the machine of the
    /// person, `http://127.0.0.1:8976/logged-in`.
    #[must_use]
    pub fn redirect(mut self, address: impl Into<String>) -> Self {
        self.redirect = Some(address.into());
        self.changed()
    }

    /// Sets where the tokens are stored. Set it before the value is cloned: copies made before keep their store.
    #[must_use]
    pub fn store(mut self, store: impl TokenStore) -> Self {
        self.shared = Shared::new(Arc::new(store));
        self
    }

    /// Sets the client that is registered for this program at the authorization server, with its secret if it has one. Without it, the
    /// program registers itself. A secret is for one server: the value and its copies then log in to the first one only.
    #[must_use]
    pub fn client(mut self, id: impl Into<String>, secret: Option<Secret<String>>) -> Self {
        self.client = Some((id.into(), secret));
        self.changed()
    }

    /// Sets the address, with `https`, of the description of this program as a client (a client ID metadata document). Authorization servers that
    /// read such descriptions take it as the client; at others the program registers itself.
    #[must_use]
    pub fn client_document(mut self, address: impl Into<String>) -> Self {
        self.document = Some(address.into());
        self.changed()
    }

    /// Sets the name under which the program registers itself, which people read when they log in. Default: `Onionskin`.
    #[must_use]
    pub fn client_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self.changed()
    }

    /// Sets the scopes that a login asks for, in place of those that the server names. Scopes that the server asks for later are added.
    #[must_use]
    pub fn scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.scopes = Some(scopes.into_iter().map(Into::into).collect());
        self.changed()
    }

    /// Gives each [user](onionskin_core::RunContext::user) of the runs a login of their own. Calls of runs without a user end with an error. The tools are
    /// listed without a user; if the server refuses that, they have to be [locked](crate::snapshot).
    #[must_use]
    pub fn for_each_user(mut self) -> Self {
        self.each_user = true;
        self.changed()
    }

    /// Logins of other settings are others.
    fn changed(mut self) -> Self {
        self.shared = Shared::new(Arc::clone(&self.shared.store));
        self
    }

    /// Begins a login to the server at this address before a call needs it, and returns the address for the person's browser. `user` is
    /// `None` unless [each user](Self::for_each_user) logs in.
    ///
    /// Cancel safety: a login that was dropped can begin again.
    ///
    /// # Errors
    /// Returns an error if the server does not say how to log in, if the program could not become a client there, or if no
    /// [redirect](Self::redirect) is set.
    pub async fn begin(&self, server: &str, user: Option<&str>) -> Result<String, OAuthError> {
        self.authority_for(server, user)?.begin(None).await
    }

    /// Whose login the browser comes back from with this address: the whole one, or its path and query. `None` if no login waits for it.
    pub fn waiting(&self, address: &str) -> Option<Login> {
        let number = value(&self.url(address)?, "state")?;
        let waiting = lock(&self.shared.waiting);
        let waits = waiting.get(&number).filter(|waits| waits.since.elapsed() < LOGIN)?;
        Some(waits.authority.login().clone())
    }

    /// Finishes the login of the browser that came back to this address: the whole one, or its path and query. The tokens are in
    /// the store then. Returns whose login it is.
    ///
    /// The address is checked: it must be that of a login that began with this value or a copy of it within the last 10 minutes. A web program
    /// with several users first has to check that the browser is the one of the user whom [`Self::waiting`] names: otherwise somebody
    /// could give a user the account of somebody else.
    ///
    /// Cancel safety: if it is dropped, the login is finished all the same, or has to begin again.
    ///
    /// # Errors
    /// Returns an error if no such login waits, if the person refused, or if the authorization server gives no tokens. The login has to begin
    /// again then.
    pub async fn finish(&self, address: &str) -> Result<Login, OAuthError> {
        let url = self.url(address).ok_or(OAuthError::Unknown)?;
        let number = value(&url, "state").ok_or(OAuthError::Unknown)?;
        let waits = lock(&self.shared.waiting).remove(&number);
        let waits = waits.filter(|waits| waits.since.elapsed() < LOGIN).ok_or(OAuthError::Unknown)?;
        let code = value(&url, "code").filter(|code| !code.is_empty()).map(Secret::new).ok_or_else(|| {
            let error = value(&url, "error").unwrap_or_else(|| "the address has no code".to_owned());
            let description = value(&url, "error_description").map(|text| format!(": {text}"));
            name(&format!("{error}{}", description.unwrap_or_default()))
        });
        let issuer = value(&url, "iss");
        waits.authority.finish(waits.begin, code, number, issuer).await?;
        Ok(waits.authority.login().clone())
    }

    fn url(&self, address: &str) -> Option<Url> {
        Url::parse(address).ok().or_else(|| Url::parse(self.redirect.as_deref()?).ok()?.join(address).ok())
    }

    /// Removes the tokens of a login from the store, and returns whether it had some. The authorization server is not asked; its own page ends the login there.
    ///
    /// Cancel safety: the tokens are removed or not; call it again.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn forget(&self, server: &str, user: Option<&str>) -> Result<bool, OAuthError> {
        self.authority_for(server, user)?.forget().await
    }

    fn authority_for(&self, server: &str, user: Option<&str>) -> Result<Arc<Authority>, OAuthError> {
        let setting = |setting, reason: &str| OAuthError::Setting { setting, reason: reason.to_owned() };
        let address = match endpoint::read(server, &BTreeMap::new()) {
            Ok((address, _)) => address,
            Err(Mistake::Address(reason) | Mistake::Header(_, reason)) => {
                return Err(setting("server", reason));
            }
        };
        self.check().map_err(|(name, reason)| setting(name, reason))?;
        match user {
            Some("") => return Err(setting("for_each_user", "the name of the user is empty")),
            Some(_) if !self.each_user => {
                return Err(setting("for_each_user", "it is not set, and one login is for all users"));
            }
            Some(_) | None => {}
        }
        let oauth = Self { user: user.map(str::to_owned), ..self.clone() };
        oauth.authority(&address).ok_or_else(|| setting("for_each_user", "give the user who logs in"))
    }

    /// Whether the login depends on the user of a run.
    pub(crate) fn is_for_users(&self) -> bool {
        self.each_user && self.user.is_none()
    }

    /// The login of this user.
    pub(crate) fn with_user(&self, user: String) -> Self {
        Self { user: Some(user), ..self.clone() }
    }

    /// The login for a server. `None` if it depends on a user who is not known.
    pub(crate) fn authority(&self, server: &Url) -> Option<Arc<Authority>> {
        if self.each_user && self.user.is_none() {
            return None;
        }
        let user = self.user.clone().filter(|_| self.each_user);
        let mut address = server.clone();
        // It may be secret.
        address.set_query(None);
        let login = Login { server: address.into(), user };
        let mut authorities = lock(&self.shared.authorities);
        if let Some(known) = authorities.get(&login).and_then(Weak::upgrade) {
            return Some(known);
        }
        authorities.retain(|_, authority| authority.strong_count() > 0);
        let authority = Arc::new(Authority::new(login.clone(), server.clone(), self.clone()));
        authorities.insert(login, Arc::downgrade(&authority));
        Some(authority)
    }

    /// # Errors
    /// Returns a setting that cannot be used, and why.
    pub(crate) fn check(&self) -> Result<(), (&'static str, &'static str)> {
        const OWN_CLIENT: &str =
            "it has no effect beside `client`, which is registered already; remove one of them";
        if self.client.is_some() {
            let without_effect =
                [(self.document.is_some(), "client_document"), (self.name.is_some(), "client_name")];
            if let Some((_, setting)) = without_effect.into_iter().find(|(is_set, _)| *is_set) {
                return Err((setting, OWN_CLIENT));
            }
        }
        let parsed = |address: &Option<String>| address.as_deref().map(Url::parse);
        match parsed(&self.redirect) {
            None => {}
            Some(Ok(url)) if matches!(url.scheme(), "https") => {}
            Some(Ok(url)) if url.scheme() == "http" && onionskin_tls::is_loopback(url.host_str()) => {}
            Some(_) => {
                return Err((
                    "redirect",
                    "expected an address with `https`, or one of this machine, such as `http://127.0.0.1:8976/logged-in`",
                ));
            }
        }
        match parsed(&self.document) {
            None => Ok(()),
            Some(Ok(url)) if url.scheme() == "https" && url.path().len() > 1 => Ok(()),
            Some(_) => Err(("client_document", "expected an address with `https` and a path")),
        }
    }
}

fn value(url: &Url, name: &str) -> Option<String> {
    url.query_pairs().find_map(|(key, value)| (key == name).then(|| value.into_owned()))
}

impl fmt::Debug for OAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuth")
            .field("redirect", &self.redirect)
            .field("client", &self.client.as_ref().map(|(id, _)| id))
            .field("each_user", &self.each_user)
            .finish_non_exhaustive()
    }
}
