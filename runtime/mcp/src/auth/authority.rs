//! One login: its tokens, their refresh, and how it begins anew.

use std::collections::{HashSet, VecDeque};
use std::future::ready;
use std::sync::{Arc, Mutex as SyncMutex};
use std::time::Duration;

use onionskin_core::secret::{Redactor, Secret};
use onionskin_core::servers::BoxError;
use reqwest::Url;
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationMetadata, AuthorizationMetadataSource, OAuthClientConfig,
    WWWAuthenticateParams,
};
use tokio::sync::Mutex;
use tokio::time::Instant;
use tracing::instrument::WithSubscriber as _;
use tracing::subscriber::NoSubscriber;

use super::error::OAuthError;
use super::fetch::{self, Fetcher};
use super::oauth::OAuth;
use super::post_answer::Refusal;
use super::reason::{self, reason};
use super::store::Login;
use super::stored::{Client, Saved, Stored};
use crate::http_error::{HttpError, LoginAddress};
use crate::mutex::lock;
use crate::visible::name;

/// How long a login that began can be finished.
pub(super) const LOGIN: Duration = Duration::from_mins(10);
/// A login that began less than this ago is used again, whatever the server says meanwhile.
const AGAIN: Duration = Duration::from_mins(1);
/// The time for all requests of one step.
const STEP: Duration = Duration::from_mins(1);
/// The longest address of a page, so that browsers take it.
const LONGEST_ADDRESS: usize = 8 << 10;
/// The name of the program for an authorization server that asks for one.
const CLIENT_NAME: &str = "Onionskin";
/// Tokens that answers of the server may still repeat.
const HIDDEN: usize = 8;

/// One login to one server.
pub(crate) struct Authority {
    login: Login,
    server: Url,
    oauth: OAuth,
    /// Held while tokens are refreshed.
    refresh: Arc<Mutex<()>>,
    /// The login that waits for a person. Held while one begins.
    begun: Mutex<Option<Begun>>,
    hidden: SyncMutex<Hidden>,
}

/// The tokens of the last requests.
#[derive(Default)]
struct Hidden {
    tokens: VecDeque<Secret<String>>,
    redactor: Arc<Redactor>,
}

/// A login that waits for a person.
struct Begun {
    address: String,
    number: String,
    /// What the server asked for.
    asked: Requested,
    at: Instant,
}

/// What a challenge asks for.
#[derive(Default, PartialEq, Eq)]
struct Requested {
    metadata: Option<Url>,
    scope: Option<String>,
    is_wider: bool,
}

impl Requested {
    fn read(challenge: Option<&str>, server: &Url) -> Self {
        let Some(challenge) = challenge else { return Self::default() };
        let read = WWWAuthenticateParams::parse(challenge, server);
        let is_wider = read.is_insufficient_scope();
        Self { metadata: read.resource_metadata_url, scope: read.scope, is_wider }
    }

    fn scopes(&self) -> impl Iterator<Item = &str> {
        self.scope.iter().flat_map(|scope| scope.split_whitespace())
    }
}

/// The part of the protocol library that knows one login, until a person comes back.
pub(super) struct Begin {
    manager: AuthorizationManager,
    fetcher: Arc<Fetcher>,
    client: Arc<SyncMutex<Option<Client>>>,
    /// Whether the server or its host describes the login. Otherwise its addresses are guessed.
    is_described: bool,
    /// The scopes that it asks for.
    asked: Arc<SyncMutex<Vec<String>>>,
}

impl Authority {
    pub(super) fn new(login: Login, server: Url, oauth: OAuth) -> Self {
        Self {
            login,
            server,
            oauth,
            refresh: Arc::default(),
            begun: Mutex::default(),
            hidden: SyncMutex::default(),
        }
    }

    pub(super) fn login(&self) -> &Login {
        &self.login
    }

    /// The tokens that the server may repeat.
    pub(crate) fn redactor(&self) -> Arc<Redactor> {
        Arc::clone(&lock(&self.hidden).redactor)
    }

    fn hide(&self, token: &Secret<String>) {
        let mut hidden = lock(&self.hidden);
        if hidden.tokens.iter().any(|known| known.expose() == token.expose()) {
            return;
        }
        hidden.tokens.push_back(token.clone());
        if hidden.tokens.len() > HIDDEN {
            hidden.tokens.pop_front();
        }
        let all = hidden.tokens.iter().map(|token| (token.expose().as_bytes(), "[authorization]".into()));
        hidden.redactor = Arc::new(Redactor::new(all));
    }

    /// The access token, refreshed if it is about to end. `None` without a login, or if it has to be renewed by a person.
    pub(crate) async fn token(self: &Arc<Self>) -> Result<Option<Secret<String>>, HttpError> {
        let token = self.stored().await?.map(|stored| stored.token()).transpose()?.flatten();
        match token {
            Some(token) if token.is_over => self.renew(&token.value).await,
            Some(token) => {
                self.hide(&token.value);
                Ok(Some(token.value))
            }
            None => Ok(None),
        }
    }

    /// A token in place of one that the server refused, or that is about to end. `None` if a person has to log in.
    pub(crate) async fn renew(
        self: &Arc<Self>,
        former: &Secret<String>,
    ) -> Result<Option<Secret<String>>, HttpError> {
        let (authority, former) = (Arc::clone(self), former.clone());
        // A server gives some refresh tokens once, so the answer is stored even if nobody waits for it any more.
        let alone = Arc::clone(&self.refresh).lock_owned();
        let renewed = step(alone, async move { authority.renewed(&former).await }).await;
        renewed.unwrap_or_else(|reason| Err(HttpError::Login { reason }))
    }

    async fn renewed(&self, former: &Secret<String>) -> Result<Option<Secret<String>>, HttpError> {
        let Some(stored) = self.stored().await? else { return Ok(None) };
        // Another call may have renewed it meanwhile.
        if let Some(token) = stored.token()?
            && token.value.expose() != former.expose()
            && !token.is_over
        {
            self.hide(&token.value);
            return Ok(Some(token.value));
        }
        if !stored.can_be_refreshed() || !self.oauth.shared.client_is_for(&self.oauth, &self.server) {
            return Ok(None);
        }
        let mut begin = self.begin_with(stored.asked.clone()).await.map_err(|error| failed(&error))?;
        if let Err(error) = begin.refresh(&stored).await {
            if !begin.refused(&error) {
                return Err(failed(&error));
            }
            if matches!(error, AuthError::TokenRefreshFailed(_)) && begin.fetcher.refusal() == Refusal::Clear
            {
                // The client may not be known there any more.
                let store = &self.oauth.shared.store;
                store.save(&self.login, None).await.map_err(|error| unstored(&error))?;
            }
            return Ok(None);
        }
        let token = self.stored().await?.map(|stored| stored.token()).transpose()?.flatten();
        if let Some(token) = &token {
            self.hide(&token.value);
        }
        Ok(token.map(|token| token.value))
    }

    /// Begins a login for a request that was answered with this challenge, and returns the error of the request.
    pub(crate) async fn required(self: &Arc<Self>, challenge: Option<String>) -> HttpError {
        if self.oauth.redirect.is_none() {
            return HttpError::Unauthorized { challenge };
        }
        match self.begin(challenge).await {
            Ok(address) => HttpError::LoginRequired { address: LoginAddress::new(address) },
            Err(error) => HttpError::Login { reason: error.to_string() },
        }
    }

    /// Whether a challenge with the status 403 asks for scopes that no login has asked for yet. A server that refuses a call with all scopes
    /// would ask for ever.
    pub(crate) async fn lacks(&self, challenge: Option<&str>) -> Result<bool, HttpError> {
        let asked = Requested::read(challenge, &self.server);
        if self.oauth.redirect.is_none() || !asked.is_wider {
            return Ok(false);
        }
        let known =
            self.stored().await?.map(|stored| [stored.credentials.granted_scopes, stored.asked].concat());
        let known = known.unwrap_or_default();
        Ok(asked.scopes().any(|scope| !known.iter().any(|known| known == scope)))
    }

    /// Begins a login, and returns the address for the person's browser. One that already waits is used again.
    pub(super) async fn begin(self: &Arc<Self>, challenge: Option<String>) -> Result<String, OAuthError> {
        let Some(redirect) = self.oauth.redirect.clone() else {
            let reason = "it has no address to which the browser comes back".to_owned();
            return Err(OAuthError::Setting { setting: "redirect", reason });
        };
        let authority = Arc::clone(self);
        let begun = step(ready(()), async move { authority.begun(challenge, redirect).await }).await;
        begun.unwrap_or_else(|reason| Err(OAuthError::Begin { reason }))
    }

    async fn begun(
        self: &Arc<Self>,
        challenge: Option<String>,
        redirect: String,
    ) -> Result<String, OAuthError> {
        let mut begun = self.begun.lock().await;
        let asked = Requested::read(challenge.as_deref(), &self.server);
        if let Some(begun) = &*begun {
            let age = begun.at.elapsed();
            if age < AGAIN || (age < LOGIN / 2 && begun.asked == asked) {
                return Ok(begun.address.clone());
            }
        }
        if !self.oauth.shared.client_is_for(&self.oauth, &self.server) {
            let reason =
                "its client is one of another server: give each server an `OAuth` of its own".to_owned();
            return Err(OAuthError::Begin { reason });
        }
        let refused = |reason: &str| OAuthError::Begin { reason: reason.to_owned() };
        let stored = match Stored::load(&*self.oauth.shared.store, &self.login).await {
            Ok(stored) => stored,
            Err(error) if error.is::<reason::Unreadable>() => None,
            Err(error) => return Err(OAuthError::Store(error)),
        };
        let begin = self.begin_with(Vec::new()).await;
        let mut begin = begin.map_err(|error| OAuthError::Begin { reason: reason(&error) })?;
        let address = begin.page(self, challenge.as_deref(), &asked, redirect, stored).await;
        let address = address.map_err(|error| match error {
            AuthError::RegistrationFailed(_) if !begin.is_described => OAuthError::NoLogin,
            AuthError::RegistrationFailed(_) => OAuthError::NotRegistered { reason: reason(&error) },
            error => OAuthError::Begin { reason: reason(&error) },
        })?;
        if address.len() > LONGEST_ADDRESS {
            return Err(refused("the address of its page is longer than 8 KiB"));
        }
        let page = Url::parse(&address).ok().filter(|page| fetch::is_page(page, &self.server));
        let page =
            page.ok_or_else(|| refused("its page for people is not an address that a browser may open"))?;
        // Ours is the last one.
        let numbers = page.query_pairs().filter(|(name, _)| name == "state");
        let number = numbers.last().map(|(_, number)| number.into_owned());
        let number = number.ok_or_else(|| refused("the address of its page has no `state`"))?;
        // A person may still be at the page of the former one.
        self.oauth.shared.add(number.clone(), (Arc::clone(self), begin));
        *begun = Some(Begun { address: address.clone(), number, asked, at: Instant::now() });
        Ok(address)
    }

    /// Trades the code of a finished login for tokens. The login does not wait any longer.
    pub(super) async fn finish(
        self: &Arc<Self>,
        begin: Begin,
        code: Result<Secret<String>, String>,
        number: String,
        issuer: Option<String>,
    ) -> Result<(), OAuthError> {
        let authority = Arc::clone(self);
        let finished = step(Arc::clone(&self.refresh).lock_owned(), async move {
            {
                let mut begun = authority.begun.lock().await;
                if begun.as_ref().is_some_and(|begun| begun.number == number) {
                    *begun = None;
                }
            }
            let code = code.map_err(|reason| OAuthError::Refused { reason })?;
            let store = &authority.oauth.shared.store;
            let _guard = store.lock(&authority.login).await.map_err(OAuthError::Store)?;
            let exchange =
                begin.manager.exchange_code_for_token_with_issuer(code.expose(), &number, issuer.as_deref());
            exchange.await.map(drop).map_err(|error| match error {
                AuthError::CredentialStoreError(reason) => OAuthError::Store(reason.into()),
                error => OAuthError::Exchange { reason: reason(&error) },
            })
        });
        finished.await.unwrap_or_else(|reason| Err(OAuthError::Exchange { reason }))
    }

    /// Ends the login here, and returns whether there was one. The authorization server is not asked.
    pub(super) async fn forget(&self) -> Result<bool, OAuthError> {
        if let Some(begun) = self.begun.lock().await.take() {
            self.oauth.shared.remove(&begun.number);
        }
        let _alone = self.refresh.lock().await;
        let store = &self.oauth.shared.store;
        let _guard = store.lock(&self.login).await.map_err(OAuthError::Store)?;
        let had_login = store.load(&self.login).await.map_err(OAuthError::Store)?.is_some();
        store.save(&self.login, None).await.map_err(OAuthError::Store)?;
        Ok(had_login)
    }

    /// The library, for a new login or a refresh of one that asked for these scopes.
    async fn begin_with(&self, asked: Vec<String>) -> Result<Begin, AuthError> {
        let fetcher = Fetcher::new(&self.server);
        let fetcher = Arc::new(fetcher.map_err(|error| AuthError::InternalError(error.to_string()))?);
        // Its query may be secret.
        let mut server = self.server.clone();
        server.set_query(None);
        let requests = Arc::clone(&fetcher);
        let mut manager = AuthorizationManager::new_with_oauth_http_client(server.as_str(), requests).await?;
        let client: Arc<SyncMutex<Option<Client>>> = Arc::default();
        let asked = Arc::new(SyncMutex::new(asked));
        manager.set_credential_store(Saved {
            store: Arc::clone(&self.oauth.shared.store),
            login: self.login.clone(),
            client: Arc::clone(&client),
            asked: Arc::clone(&asked),
        });
        Ok(Begin { manager, fetcher, client, is_described: false, asked })
    }

    async fn stored(&self) -> Result<Option<Stored>, HttpError> {
        let stored = Stored::load(&*self.oauth.shared.store, &self.login).await;
        stored.map_err(|error| unstored(&error))
    }
}

impl Begin {
    /// Finds the authorization server, becomes a client of it, and returns the address of its page for people.
    async fn page(
        &mut self,
        authority: &Authority,
        challenge: Option<&str>,
        asked: &Requested,
        redirect: String,
        stored: Option<Stored>,
    ) -> Result<String, AuthError> {
        let found = self.discover(challenge).await?;
        let OAuth { client, document, name, scopes, .. } = &authority.oauth;
        // What is known of a login at another authorization server is of no use here.
        let stored = stored.filter(|stored| stored.credentials.issuer == found.issuer);
        let mut all = match scopes {
            Some(scopes) => scopes.clone(),
            None => self.manager.select_initial_scopes(&[]).await,
        };
        if asked.is_wider {
            let granted = stored.iter().flat_map(|stored| &stored.credentials.granted_scopes).cloned();
            all.extend(granted.chain(asked.scopes().map(str::to_owned)));
        }
        let mut known = HashSet::new();
        all.retain(|scope| known.insert(scope.clone()));
        let scopes: Vec<_> = all.iter().map(String::as_str).collect();
        let takes_documents = found.additional_fields.get("client_id_metadata_document_supported")
            == Some(&serde_json::Value::Bool(true));
        let name = name.as_deref().unwrap_or(CLIENT_NAME);
        let mut is_reused = false;
        let client = match (client, document) {
            (Some((id, secret)), _) => {
                let secret = secret.as_ref().map(|secret| secret.expose().clone());
                Client::new(id.clone(), secret, redirect.clone())
            }
            (None, Some(document)) if takes_documents => {
                Client::new(document.clone(), None, redirect.clone())
            }
            (None, _) => {
                match stored.map(|stored| stored.client).filter(|client| client.redirect == redirect) {
                    Some(client) => {
                        is_reused = true;
                        client
                    }
                    None => self.register(name, &redirect, &scopes).await?,
                }
            }
        };
        let mut address = self.address(client.clone(), challenge, &scopes).await?;
        if is_reused {
            // A client that is not known there any more gets a page of an error, from which nobody comes back.
            let is_forgotten = self.fetcher.refuses_page(&address).await;
            let other = if is_forgotten { self.register(name, &redirect, &scopes).await.ok() } else { None };
            // Some servers take an address once.
            address = self.address(other.unwrap_or(client), challenge, &scopes).await?;
        }
        *lock(&self.asked) = all;
        Ok(address)
    }

    /// Becomes a client of the authorization server.
    async fn register(&mut self, name: &str, redirect: &str, scopes: &[&str]) -> Result<Client, AuthError> {
        // The kind of program is a part of the registration.
        self.configure(Client::new(String::new(), None, redirect.to_owned()))?;
        let client = self.manager.register_client(name, redirect, scopes).await?;
        Ok(Client::new(client.client_id, client.client_secret, redirect.to_owned()))
    }

    /// The address of the page for people, for this client.
    async fn address(
        &mut self,
        client: Client,
        challenge: Option<&str>,
        scopes: &[&str],
    ) -> Result<String, AuthError> {
        self.configure(Client { challenge: challenge.map(str::to_owned), ..client })?;
        self.manager.get_authorization_url(scopes).await
    }

    /// Refreshes the tokens, which are stored then.
    async fn refresh(&mut self, stored: &Stored) -> Result<(), AuthError> {
        let found = self.discover(stored.client.challenge.as_deref()).await?;
        // Tokens of one authorization server are not sent to another one.
        if stored.credentials.issuer != found.issuer {
            return Err(AuthError::AuthorizationRequired);
        }
        self.configure(stored.client.clone())?;
        self.manager.refresh_token().await.map(drop)
    }

    /// Whether an error says that a person has to log in again.
    fn refused(&self, error: &AuthError) -> bool {
        match error {
            AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_) => true,
            AuthError::TokenRefreshFailed(_) => self.fetcher.refusal() != Refusal::None,
            _ => false,
        }
    }

    /// The description of the authorization server.
    async fn discover(&mut self, challenge: Option<&str>) -> Result<AuthorizationMetadata, AuthError> {
        let found = self.manager.resolve_metadata_from_challenge(challenge).await?;
        let metadata = found.metadata;
        self.is_described = found.source != AuthorizationMetadataSource::LegacyEndpointFallback;
        if self.is_described {
            // The library does not compare the issuer with the address of each form of description.
            if !self.fetcher.read_description_of(metadata.issuer.as_deref()) {
                let reason = "the description of the authorization server is not at its own address";
                return Err(AuthError::MetadataError(reason.to_owned()));
            }
            // Without the field, the server does not have it (MCP, authorization code protection).
            if metadata.code_challenge_methods_supported.is_none() {
                return Err(AuthError::PkceUnsupported);
            }
        }
        self.manager.set_metadata(metadata.clone());
        Ok(metadata)
    }

    fn configure(&mut self, client: Client) -> Result<(), AuthError> {
        let kind = if client.redirect.starts_with("https://") { "web" } else { "native" };
        let mut config = OAuthClientConfig::new(&client.id, &client.redirect).with_application_type(kind);
        if let Some(secret) = &client.secret {
            config = config.with_client_secret(secret);
        }
        self.manager.configure_client(config)?;
        *lock(&self.client) = Some(client);
        Ok(())
    }
}

fn unstored(error: &BoxError) -> HttpError {
    HttpError::Login { reason: format!("the store of its tokens failed: {}", name(&error.to_string())) }
}

fn failed(error: &AuthError) -> HttpError {
    HttpError::Login { reason: reason(error) }
}

/// Does work that goes on if nobody waits for it any more, within a time that begins when it is `alone`. The protocol library logs codes.
async fn step<G: Send + 'static, T: Send + 'static>(
    alone: impl Future<Output = G> + Send + 'static,
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, String> {
    let work = async move {
        let _alone = alone.await;
        tokio::time::timeout(STEP, work).await
    };
    match tokio::spawn(work.with_subscriber(NoSubscriber::new())).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(_)) => Err(format!("the authorization server did not answer within {STEP:?}")),
        Err(_) => Err("the program is shutting down".to_owned()),
    }
}
