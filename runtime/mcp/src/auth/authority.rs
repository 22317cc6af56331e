//! One login: its tokens, their refresh, and how it begins anew.

use std::error::Error;
use std::sync::{Arc, Mutex as SyncMutex};
use std::time::Duration;

use onionskin_core::secret::Secret;
use reqwest::Url;
use rmcp::transport::auth::{AuthError, AuthorizationManager, OAuthClientConfig, WWWAuthenticateParams};
use tokio::sync::Mutex;
use tokio::time::Instant;
use tracing::instrument::WithSubscriber as _;
use tracing::subscriber::NoSubscriber;

use super::error::OAuthError;
use super::fetch::{self, Fetcher};
use super::oauth::OAuth;
use super::store::Login;
use super::stored::{Client, Saved, Stored};
use crate::http_error::HttpError;
use crate::mutex::lock;
use crate::visible::{cut, visible};

/// How long a login that began can be finished.
pub(super) const LOGIN: Duration = Duration::from_mins(10);
/// The longest reason that is shown.
const LONGEST: usize = 500;
/// The name of the program for an authorization server that asks for one.
const CLIENT_NAME: &str = "Onionskin";

/// One login to one server.
pub(crate) struct Authority {
    login: Login,
    server: Url,
    oauth: OAuth,
    /// The client whose tokens are saved.
    client: Arc<SyncMutex<Option<Client>>>,
    /// The token of the last request.
    sent: SyncMutex<Option<Secret<String>>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    manager: Option<AuthorizationManager>,
    begun: Option<Begun>,
}

/// A login that waits for a person.
#[derive(Clone)]
struct Begun {
    address: String,
    challenge: Option<String>,
    at: Instant,
}

impl Authority {
    pub(super) fn new(login: Login, server: Url, oauth: OAuth) -> Self {
        Self {
            login,
            server,
            oauth,
            client: Arc::default(),
            sent: SyncMutex::default(),
            state: Mutex::default(),
        }
    }

    pub(super) fn login(&self) -> &Login {
        &self.login
    }

    /// The access token, refreshed if it is about to end. `None` without a login, or if it has to be renewed by a person.
    pub(crate) async fn token(&self) -> Result<Option<Secret<String>>, HttpError> {
        let token = match self.stored().await?.and_then(|stored| stored.token()) {
            Some(token) if token.is_over => self.renew(&token.value).await?,
            Some(token) => Some(token.value),
            None => None,
        };
        lock(&self.sent).clone_from(&token);
        Ok(token)
    }

    /// The text without the token of the last request.
    pub(crate) fn hide(&self, text: String) -> String {
        match &*lock(&self.sent) {
            Some(token) if text.contains(token.expose()) => text.replace(token.expose(), "[authorization]"),
            _ => text,
        }
    }

    /// A token in place of one that the server refused, or that is about to end. `None` if a person has to log in.
    pub(crate) async fn renew(&self, former: &Secret<String>) -> Result<Option<Secret<String>>, HttpError> {
        let mut state = self.state.lock().await;
        let Some(stored) = self.stored().await? else { return Ok(None) };
        // Another call may have renewed it meanwhile.
        if let Some(token) = stored.token()
            && token.value.expose() != former.expose()
            && !token.is_over
        {
            return Ok(Some(token.value));
        }
        if !stored.can_be_refreshed() {
            return Ok(None);
        }
        let renewed = self.refreshed(&mut state, stored).with_subscriber(NoSubscriber::new()).await;
        match renewed {
            Ok(token) => Ok(token),
            Err(AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_)) => Ok(None),
            Err(error) => Err(HttpError::Login { reason: self.reason(&error) }),
        }
    }

    async fn refreshed(
        &self,
        state: &mut State,
        stored: Stored,
    ) -> Result<Option<Secret<String>>, AuthError> {
        let manager = self.manager(state).await?;
        let found = manager.resolve_metadata().await?;
        // Tokens of one authorization server are not sent to another one.
        if stored.credentials.issuer.is_some() && stored.credentials.issuer != found.metadata.issuer {
            return Ok(None);
        }
        manager.set_metadata(found.metadata);
        self.configure(manager, stored.client)?;
        manager.refresh_token().await?;
        Ok(Some(Secret::new(manager.get_access_token().await?)))
    }

    /// Begins a login for a request that was answered with this challenge, and returns the error of the request.
    pub(crate) async fn required(self: &Arc<Self>, challenge: Option<String>) -> HttpError {
        if self.oauth.redirect.is_none() {
            return HttpError::Unauthorized { challenge };
        }
        match self.begin(challenge).await {
            Ok(address) => HttpError::LoginRequired { address },
            Err(error) => HttpError::Login { reason: error.to_string() },
        }
    }

    /// Whether a challenge with the status 403 asks for scopes that the login does not have.
    pub(crate) async fn lacks(&self, challenge: Option<&str>) -> Result<bool, HttpError> {
        let Some(challenge) = challenge.filter(|_| self.oauth.redirect.is_some()) else { return Ok(false) };
        let asked = WWWAuthenticateParams::parse(challenge, &self.server);
        let granted =
            self.stored().await?.map(|stored| stored.credentials.granted_scopes).unwrap_or_default();
        let is_granted = |scope: &str| granted.iter().any(|granted| granted == scope);
        // A server that asks for a scope that it has given would do so for ever.
        let lacks =
            asked.scope.as_deref().unwrap_or_default().split_whitespace().any(|scope| !is_granted(scope));
        Ok(asked.is_insufficient_scope() && lacks)
    }

    /// Begins a login, and returns the address for the person's browser. One that already waits is used again.
    pub(super) async fn begin(self: &Arc<Self>, challenge: Option<String>) -> Result<String, OAuthError> {
        let Some(redirect) = self.oauth.redirect.clone() else {
            let reason = "it has no address to which the browser comes back".to_owned();
            return Err(OAuthError::Setting { setting: "redirect", reason });
        };
        let mut state = self.state.lock().await;
        if let Some(begun) = &state.begun
            && begun.challenge == challenge
            && begun.at.elapsed() < LOGIN / 2
        {
            return Ok(begun.address.clone());
        }
        let stored = Stored::load(&*self.oauth.shared.store, &self.login).await.map_err(OAuthError::Store)?;
        let made = self.page(&mut state, challenge.as_deref(), redirect, stored);
        let made = made.with_subscriber(NoSubscriber::new()).await;
        let address = made.map_err(|error| OAuthError::Begin { reason: self.reason(&error) })?;
        let page = Url::parse(&address).ok().filter(|page| fetch::is_page(page, &self.server));
        let number = page.as_ref().and_then(|page| {
            page.query_pairs().find_map(|(name, value)| (name == "state").then(|| value.into_owned()))
        });
        let Some(number) = number else {
            let reason = "its page for people is not an address that a browser may open".to_owned();
            return Err(OAuthError::Begin { reason });
        };
        self.oauth.shared.add(number, Arc::clone(self));
        state.begun = Some(Begun { address: address.clone(), challenge, at: Instant::now() });
        Ok(address)
    }

    /// Finds the authorization server, becomes a client of it, and returns the address of its page for people.
    async fn page(
        &self,
        state: &mut State,
        challenge: Option<&str>,
        redirect: String,
        stored: Option<Stored>,
    ) -> Result<String, AuthError> {
        let manager = self.manager(state).await?;
        let found = manager.resolve_metadata_from_challenge(challenge).await?.metadata;
        manager.set_metadata(found.clone());
        // What is known of a login at another authorization server is of no use here.
        let stored = stored.filter(|stored| stored.credentials.issuer == found.issuer);
        let mut scopes = match &self.oauth.scopes {
            Some(scopes) => scopes.clone(),
            None => manager.select_initial_scopes(&[]).await,
        };
        let granted = stored.iter().flat_map(|stored| &stored.credentials.granted_scopes);
        let asked =
            challenge.and_then(|challenge| WWWAuthenticateParams::parse(challenge, &self.server).scope);
        let asked: Vec<_> =
            asked.iter().flat_map(|scope| scope.split_whitespace()).map(str::to_owned).collect();
        for scope in granted.chain(&asked) {
            if !scopes.contains(scope) {
                scopes.push(scope.clone());
            }
        }
        let scopes: Vec<_> = scopes.iter().map(String::as_str).collect();
        let takes_documents = found.additional_fields.get("client_id_metadata_document_supported")
            == Some(&serde_json::Value::Bool(true));
        let (id, secret) = match (&self.oauth.client, &self.oauth.document) {
            (Some((id, secret)), _) => (id.clone(), secret.as_ref().map(|secret| secret.expose().clone())),
            (None, Some(document)) if takes_documents => (document.clone(), None),
            (None, _) => {
                match stored.map(|stored| stored.client).filter(|client| client.redirect == redirect) {
                    Some(client) => (client.id, client.secret),
                    None => {
                        let name = self.oauth.name.as_deref().unwrap_or(CLIENT_NAME);
                        let client = manager.register_client(name, &redirect, &scopes).await?;
                        (client.client_id, client.client_secret)
                    }
                }
            }
        };
        self.configure(manager, Client { id, secret, redirect })?;
        manager.get_authorization_url(&scopes).await
    }

    /// Trades the code of a finished login for tokens.
    pub(super) async fn finish(
        &self,
        code: &str,
        number: &str,
        issuer: Option<&str>,
    ) -> Result<(), OAuthError> {
        let mut state = self.state.lock().await;
        let Some(manager) = &state.manager else { return Err(OAuthError::Unknown) };
        let exchange = manager.exchange_code_for_token_with_issuer(code, number, issuer);
        let exchanged = exchange.with_subscriber(NoSubscriber::new()).await;
        exchanged.map_err(|error| match error {
            AuthError::CredentialStoreError(reason) => OAuthError::Store(reason.into()),
            error => OAuthError::Exchange { reason: self.reason(&error).replace(code, "[code]") },
        })?;
        state.begun = None;
        Ok(())
    }

    /// Ends the login here. The authorization server is not asked.
    pub(super) async fn forget(&self) -> Result<(), OAuthError> {
        let mut state = self.state.lock().await;
        *state = State::default();
        self.oauth.shared.store.save(&self.login, None).await.map_err(OAuthError::Store)
    }

    async fn manager<'s>(&self, state: &'s mut State) -> Result<&'s mut AuthorizationManager, AuthError> {
        if state.manager.is_none() {
            let fetcher = Fetcher::new(&self.server);
            let fetcher = fetcher.map_err(|error| AuthError::InternalError(error.to_string()))?;
            let mut manager =
                AuthorizationManager::new_with_oauth_http_client(self.server.as_str(), Arc::new(fetcher))
                    .await?;
            manager.set_credential_store(Saved {
                store: Arc::clone(&self.oauth.shared.store),
                login: self.login.clone(),
                client: Arc::clone(&self.client),
            });
            state.manager = Some(manager);
        }
        state.manager.as_mut().ok_or(AuthError::NoAuthorizationSupport)
    }

    fn configure(&self, manager: &mut AuthorizationManager, client: Client) -> Result<(), AuthError> {
        let mut config = OAuthClientConfig::new(&client.id, &client.redirect);
        if let Some(secret) = &client.secret {
            config = config.with_client_secret(secret);
        }
        manager.configure_client(config)?;
        *lock(&self.client) = Some(client);
        Ok(())
    }

    async fn stored(&self) -> Result<Option<Stored>, HttpError> {
        Stored::load(&*self.oauth.shared.store, &self.login).await.map_err(|error| HttpError::Login {
            reason: format!("its tokens cannot be read: {}", visible(&error.to_string())),
        })
    }

    /// An error of the library with its causes, as text for people.
    fn reason(&self, error: &AuthError) -> String {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            let more = error.to_string();
            if !text.contains(&more) {
                text = format!("{text}: {more}");
            }
            cause = error.source();
        }
        let client = lock(&self.client).clone();
        if let Some(secret) = client.and_then(|client| client.secret) {
            text = text.replace(&secret, "[secret of the client]");
        }
        cut(visible(&text), LONGEST)
    }
}
