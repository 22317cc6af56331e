//! Who may use a server: bearer tokens.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use http::HeaderMap;
use http::header::AUTHORIZATION;
use onionskin_core::{BoxFuture, Secret};
use subtle::ConstantTimeEq as _;
use tokio::sync::Semaphore;

use crate::user::User;

/// Checks bearer tokens, such as the tokens of an OAuth server: their signature, their audience, their expiry.
///
/// ```
/// use onionskin::serve::{TokenVerifier, User};
///
/// struct Directory;
///
/// impl TokenVerifier for Directory {
///     async fn verify(&self, token: &str) -> Option<User> {
///         User::new(token.strip_prefix("demo-")?).ok()
///     }
/// }
/// # let _ = Directory;
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot verify tokens",
    note = "implement `TokenVerifier` for the type: `async fn verify(&self, token: &str) -> Option<User>`"
)]
pub trait TokenVerifier: Send + Sync + 'static {
    /// The user of a token; `None` if the token is not valid. It is called for each request.
    ///
    /// Cancel safety: the future is dropped if the client goes away.
    fn verify(&self, token: &str) -> impl Future<Output = Option<User>> + Send;
}

/// A [`TokenVerifier`] as a trait object.
pub(crate) trait DynTokenVerifier: Send + Sync {
    fn verify_dyn<'v>(&'v self, token: &'v str) -> BoxFuture<'v, Option<User>>;
}

impl<V: TokenVerifier> DynTokenVerifier for V {
    fn verify_dyn<'v>(&'v self, token: &'v str) -> BoxFuture<'v, Option<User>> {
        Box::pin(self.verify(token))
    }
}

/// The accepted tokens. Without any, everybody may use the server.
#[derive(Clone, Default)]
pub(crate) struct Gate {
    pub(crate) tokens: Vec<(Secret<String>, User)>,
    pub(crate) verifier: Option<Verifier>,
}

/// A verifier, and the permits of its checks.
#[derive(Clone)]
pub(crate) struct Verifier {
    verifier: Arc<dyn DynTokenVerifier>,
    checks: Arc<Semaphore>,
}

impl Verifier {
    pub(crate) fn new(verifier: impl TokenVerifier) -> Self {
        Self { verifier: Arc::new(verifier), checks: Arc::new(Semaphore::new(MAX_CHECKS)) }
    }

    async fn verify(&self, token: &str, patience: Duration) -> Result<Option<User>, Refused> {
        let _permit = self.checks.try_acquire().map_err(|_| Refused::Busy)?;
        let check = AssertUnwindSafe(self.verifier.verify_dyn(token)).catch_unwind();
        match tokio::time::timeout(patience, check).await {
            Ok(Ok(user)) => Ok(user),
            Ok(Err(_)) => {
                tracing::error!("the verifier of tokens panicked");
                Ok(None)
            }
            Err(_) => Err(Refused::Busy),
        }
    }
}

/// Why a request is refused.
pub(crate) enum Refused {
    NoToken,
    WrongToken,
    /// The verifier is busy or slow.
    Busy,
}

/// The maximum number of tokens that a verifier checks at once.
const MAX_CHECKS: usize = 64;

impl Gate {
    /// Whether a token is required.
    pub(crate) fn is_closed(&self) -> bool {
        !self.tokens.is_empty() || self.verifier.is_some()
    }

    /// The user of a request; `None` if no token is required.
    ///
    /// # Errors
    /// Returns an error if a token is required and the request has no valid one.
    pub(crate) async fn user(
        &self,
        headers: &HeaderMap,
        patience: Duration,
    ) -> Result<Option<User>, Refused> {
        if !self.is_closed() {
            return Ok(None);
        }
        let token = bearer(headers).ok_or(Refused::NoToken)?;
        // Each token is compared, so that the time does not depend on which one it is.
        let mut found = None;
        for (known, user) in &self.tokens {
            if bool::from(known.expose().as_bytes().ct_eq(token.as_bytes())) {
                found = Some(user.clone());
            }
        }
        if let (None, Some(verifier)) = (&found, &self.verifier) {
            found = verifier.verify(token, patience).await?;
        }
        found.map(Some).ok_or(Refused::WrongToken)
    }
}

/// The bearer token of a request.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate").field("is_closed", &self.is_closed()).finish_non_exhaustive()
    }
}
