//! How a program logs in to servers, and where the browser comes back to.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, Weak};

use onionskin_core::secret::Secret;
use reqwest::Url;
use tokio::time::Instant;

use super::authority::{Authority, LOGIN};
use super::error::OAuthError;
use super::store::{InMemory, Login, TokenStore};
use crate::endpoint::{self, Mistake};
use crate::mutex::lock;
use crate::visible::visible;

/// Logins that wait for a person at a time. The oldest ones end first.
const WAITING: usize = 1_024;

/// How a program logs in to servers that require OAuth: with PKCE, as the authorization of MCP asks for. It needs the feature `mcp-auth`.
///
/// A server that requires a login answers with 401. Then the call, or the start of the server, ends with
/// [`HttpError::LoginRequired`](crate::HttpError::LoginRequired), which has the address to open in the person's browser. The browser comes back to
/// the [redirect](Self::redirect) address of the program, which gives the whole address to [`Self::finish`]; the next call works. The
/// tokens are stored in a [store](Self::store), and are refreshed. A server that asks for more scopes (403) gets a new login in the same way.
///
/// Where the server's descriptions lead to addresses of this machine or its network, they are not requested, unless
/// the server itself is there. Nothing is requested without TLS, except on this machine and from the server's own address.
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
/// // In the handler of `/logged-in`:
/// # async fn handler(oauth: OAuth, uri: &str) -> Result<(), onionskin::mcp::OAuthError> {
/// let login = oauth.finish(uri).await?;
/// println!("{:?} may use {}", login.user, login.server);
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
    waiting: Mutex<HashMap<String, (Arc<Authority>, Instant)>>,
}

impl Shared {
    fn new(store: Arc<dyn TokenStore>) -> Arc<Self> {
        Arc::new(Self { store, authorities: Mutex::default(), waiting: Mutex::default() })
    }

    pub(super) fn add(&self, number: String, authority: Arc<Authority>) {
        let mut waiting = lock(&self.waiting);
        waiting.retain(|_, (_, begun)| begun.elapsed() < LOGIN);
        if waiting.len() >= WAITING {
            let oldest =
                waiting.iter().min_by_key(|(_, (_, begun))| *begun).map(|(number, _)| number.clone());
            oldest.and_then(|oldest| waiting.remove(&oldest));
        }
        waiting.insert(number, (authority, Instant::now()));
    }

    fn waiting(&self, number: &str) -> Option<Arc<Authority>> {
        let waiting = lock(&self.waiting);
        let (authority, begun) = waiting.get(number)?;
        (begun.elapsed() < LOGIN).then(|| Arc::clone(authority))
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
        self
    }

    /// Sets where the tokens are stored. Set it before the value is cloned: copies made before keep their store.
    #[must_use]
    pub fn store(mut self, store: impl TokenStore) -> Self {
        self.shared = Shared::new(Arc::new(store));
        self
    }

    /// Sets the client that is registered for this program at the authorization server, with its secret if it has one. Without it, the
    /// program registers itself.
    #[must_use]
    pub fn client(mut self, id: impl Into<String>, secret: Option<Secret<String>>) -> Self {
        self.client = Some((id.into(), secret));
        self
    }

    /// Sets the address, with `https`, of the description of this program as a client (a client ID metadata document). Authorization servers that
    /// read such descriptions take it as the client; at others the program registers itself.
    #[must_use]
    pub fn client_document(mut self, address: impl Into<String>) -> Self {
        self.document = Some(address.into());
        self
    }

    /// Sets the name under which the program registers itself, which people read when they log in. Default: `Onionskin`.
    #[must_use]
    pub fn client_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the scopes that a login asks for, in place of those that the server names. Scopes that the server asks for later are added.
    #[must_use]
    pub fn scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.scopes = Some(scopes.into_iter().map(Into::into).collect());
        self
    }

    /// Lets each [user](onionskin_core::RunContext::user) of the runs log in by themselves. Calls of runs without a user end with an error. The tools are
    /// listed without a user; if the server refuses that, they have to be [locked](crate::snapshot).
    #[must_use]
    pub fn for_each_user(mut self) -> Self {
        self.each_user = true;
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

    /// Finishes the login of the browser that came back to this address: the whole one, or its path and query. The tokens are in
    /// the store then. Returns whose login it is.
    ///
    /// The address is checked: it must be that of a login that began with this value or a copy of it within the last 10 minutes. A web program
    /// with several users also has to check that it comes from the browser of the user for whom it began.
    ///
    /// Cancel safety: if it is dropped, the login has to begin again.
    ///
    /// # Errors
    /// Returns an error if no such login waits, if the person refused, or if the authorization server gives no tokens.
    pub async fn finish(&self, address: &str) -> Result<Login, OAuthError> {
        let url = Url::parse(address).or_else(|_| {
            let redirect = self.redirect.as_deref().unwrap_or("http://localhost");
            Url::parse(redirect).and_then(|redirect| redirect.join(address))
        });
        let url = url.map_err(|_| OAuthError::Unknown)?;
        let value =
            |name: &str| url.query_pairs().find_map(|(key, value)| (key == name).then(|| value.into_owned()));
        let number = value("state").ok_or(OAuthError::Unknown)?;
        let authority = self.shared.waiting(&number).ok_or(OAuthError::Unknown)?;
        let Some(code) = value("code") else {
            lock(&self.shared.waiting).remove(&number);
            let error = value("error").unwrap_or_else(|| "the address has no code".to_owned());
            let description = value("error_description").map(|text| format!(": {text}"));
            let reason = visible(&format!("{error}{}", description.unwrap_or_default()));
            return Err(OAuthError::Refused { reason });
        };
        authority.finish(&code, &number, value("iss").as_deref()).await?;
        lock(&self.shared.waiting).remove(&number);
        Ok(authority.login().clone())
    }

    /// Removes the tokens of a login from the store. The authorization server is not asked; its own page ends the login there.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn forget(&self, server: &str, user: Option<&str>) -> Result<(), OAuthError> {
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
        let oauth = Self { user: user.map(str::to_owned), ..self.clone() };
        oauth.authority(&address).ok_or_else(|| setting("for_each_user", "give the user who logs in"))
    }

    /// Whether the login depends on the user of a run.
    pub(crate) fn is_for_users(&self) -> bool {
        self.each_user
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

impl fmt::Debug for OAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuth")
            .field("redirect", &self.redirect)
            .field("client", &self.client.as_ref().map(|(id, _)| id))
            .field("each_user", &self.each_user)
            .finish_non_exhaustive()
    }
}
