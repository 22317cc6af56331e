//! The text that a store has for a login.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use onionskin_core::secret::Secret;
use onionskin_core::servers::BoxError;
use rmcp::transport::auth::{AuthError, CredentialRefreshGuard, CredentialStore, StoredCredentials};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::reason::Unreadable;
use super::store::{Login, TokenStore};
use crate::http_error::HttpError;
use crate::mutex::lock;

/// A token that ends sooner is refreshed before it is sent.
const RESERVE: Duration = Duration::from_secs(30);

/// Tokens, and the client that they were given to.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Stored {
    pub(super) client: Client,
    pub(super) credentials: StoredCredentials,
    /// The scopes that were asked for. The server may have granted fewer.
    #[serde(default)]
    pub(super) asked: Vec<String>,
}

/// This program, as an authorization server knows it.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Client {
    pub(super) id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) secret: Option<String>,
    pub(super) redirect: String,
    /// The challenge that led to the authorization server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) challenge: Option<String>,
}

impl Client {
    pub(super) fn new(id: String, secret: Option<String>, redirect: String) -> Self {
        Self { id, secret, redirect, challenge: None }
    }
}

/// An access token.
pub(super) struct Token {
    pub(super) value: Secret<String>,
    pub(super) is_over: bool,
}

impl Stored {
    pub(super) async fn load(store: &dyn TokenStore, login: &Login) -> Result<Option<Self>, BoxError> {
        let Some(text) = store.load(login).await? else { return Ok(None) };
        // The parser's own message may quote a token.
        let stored = serde_json::from_str(text.expose());
        stored.map(Some).map_err(|_| Unreadable.into())
    }

    async fn save(&self, store: &dyn TokenStore, login: &Login) -> Result<(), BoxError> {
        store.save(login, Some(Secret::new(serde_json::to_string(self)?))).await
    }

    /// The tokens. The fields are private to the library; its JSON is that of the standard.
    fn tokens(&self) -> Option<Value> {
        serde_json::to_value(self.credentials.token_response.as_ref()?).ok()
    }

    /// The access token. `None` if the text has none.
    ///
    /// # Errors
    /// Returns an error for a token that is not sent as others are.
    pub(super) fn token(&self) -> Result<Option<Token>, HttpError> {
        let Some(tokens) = self.tokens() else { return Ok(None) };
        let Some(value) = tokens["access_token"].as_str() else { return Ok(None) };
        if !tokens["token_type"].as_str().is_some_and(|kind| kind.eq_ignore_ascii_case("bearer")) {
            return Err(HttpError::Login { reason: "its tokens are not bearer tokens".to_owned() });
        }
        // Zero is what servers write that do not say it.
        let lasts = tokens["expires_in"].as_u64().filter(|lasts| *lasts > 0);
        let is_over = lasts.zip(self.credentials.token_received_at).is_some_and(|(lasts, received)| {
            let reserve = RESERVE.min(Duration::from_secs(lasts) / 2);
            let ends = Duration::from_secs(received).saturating_add(Duration::from_secs(lasts));
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            now.saturating_add(reserve) >= ends
        });
        Ok(Some(Token { value: Secret::new(value.to_owned()), is_over }))
    }

    pub(super) fn can_be_refreshed(&self) -> bool {
        self.tokens().is_some_and(|tokens| tokens["refresh_token"].is_string())
    }
}

/// The library's view of the store.
pub(super) struct Saved {
    pub(super) store: Arc<dyn TokenStore>,
    pub(super) login: Login,
    /// The client whose tokens are saved.
    pub(super) client: Arc<Mutex<Option<Client>>>,
    pub(super) asked: Arc<Mutex<Vec<String>>>,
}

fn failed(error: &BoxError) -> AuthError {
    AuthError::CredentialStoreError(error.to_string())
}

#[async_trait]
impl CredentialStore for Saved {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        let stored = Stored::load(&*self.store, &self.login).await.map_err(|error| failed(&error))?;
        Ok(stored.map(|stored| stored.credentials))
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let client = lock(&self.client).clone();
        let client = client.ok_or_else(|| failed(&"there is no client".into()))?;
        let asked = lock(&self.asked).clone();
        let stored = Stored { client, credentials, asked };
        stored.save(&*self.store, &self.login).await.map_err(|error| failed(&error))
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.store.save(&self.login, None).await.map_err(|error| failed(&error))
    }

    async fn on_refresh_token_rejected(&self, credentials: &StoredCredentials) -> Result<(), AuthError> {
        let stored = Stored::load(&*self.store, &self.login).await.map_err(|error| failed(&error))?;
        let tokens = |credentials: &StoredCredentials| serde_json::to_value(&credentials.token_response).ok();
        let Some(mut stored) = stored.filter(|stored| tokens(&stored.credentials) == tokens(credentials))
        else {
            return Ok(());
        };
        // Other calls do not try it again.
        stored.credentials.token_response = None;
        stored.save(&*self.store, &self.login).await.map_err(|error| failed(&error))
    }

    async fn acquire_refresh_guard(&self) -> Result<Option<CredentialRefreshGuard>, AuthError> {
        let guard = self.store.lock(&self.login).await.map_err(|error| failed(&error))?;
        Ok(Some(CredentialRefreshGuard::new(guard)))
    }
}
