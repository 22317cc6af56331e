//! Where the tokens of logins are stored.

use std::collections::HashMap;
use std::sync::Mutex;

use futures_util::future::{BoxFuture, ready};
use onionskin_core::secret::Secret;
use onionskin_core::servers::BoxError;

use crate::mutex::lock;

/// Whose login it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Login {
    /// The address of the server, without its query: addresses that differ only in it have one login.
    pub server: String,
    /// The [user](onionskin_core::RunContext::user) of the runs, if [each user](crate::OAuth::for_each_user) logs in.
    pub user: Option<String>,
}

/// Keeps the tokens of logins, as one text for each: for example in a table of a database, encrypted. [`TokenFolder`](crate::TokenFolder)
/// is the ready one. Each method may be dropped before it is done, and called again.
///
/// The text is read at least once for each request. It is a secret: it has the tokens, and the client that they belong to.
///
/// ```
/// use std::collections::HashMap;
/// use std::sync::Mutex;
/// use futures_util::future::{BoxFuture, FutureExt as _};
/// use onionskin::mcp::{Login, TokenStore};
/// use onionskin::secret::Secret;
///
/// #[derive(Default)]
/// struct InMemory(Mutex<HashMap<Login, Secret<String>>>);
///
/// type BoxError = Box<dyn std::error::Error + Send + Sync>;
///
/// impl TokenStore for InMemory {
///     fn load<'a>(&'a self, login: &'a Login) -> BoxFuture<'a, Result<Option<Secret<String>>, BoxError>> {
///         async move { Ok(self.0.lock().unwrap().get(login).cloned()) }.boxed()
///     }
///
///     fn save<'a>(&'a self, login: &'a Login, tokens: Option<Secret<String>>) -> BoxFuture<'a, Result<(), BoxError>> {
///         async move {
///             match tokens {
///                 Some(tokens) => self.0.lock().unwrap().insert(login.clone(), tokens),
///                 None => self.0.lock().unwrap().remove(login),
///             };
///             Ok(())
///         }
///         .boxed()
///     }
/// }
/// ```
pub trait TokenStore: Send + Sync + 'static {
    /// The text of a login; `None` if there is none.
    ///
    /// Cancel safety: it may be dropped, and called again.
    ///
    /// # Errors
    /// Returns the reason why it cannot be read. A missing text is no error.
    fn load<'a>(&'a self, login: &'a Login) -> BoxFuture<'a, Result<Option<Secret<String>>, BoxError>>;

    /// Replaces the text of a login; `None` removes it.
    ///
    /// Cancel safety: if it is dropped, the text is the former or the new one, and whole.
    ///
    /// # Errors
    /// Returns the reason why it cannot be written.
    fn save<'a>(
        &'a self,
        login: &'a Login,
        tokens: Option<Secret<String>>,
    ) -> BoxFuture<'a, Result<(), BoxError>>;

    /// Excludes other processes from refreshing the tokens of a login, until the value is dropped. Servers that give each refresh token once
    /// revoke all of them if two processes use the same one. Within a process, one [`OAuth`](crate::OAuth) and its copies exclude each other;
    /// the default does nothing more.
    ///
    /// Cancel safety: if it is dropped, nobody is excluded.
    ///
    /// # Errors
    /// Returns the reason why they cannot be excluded.
    fn lock<'a>(&'a self, login: &'a Login) -> BoxFuture<'a, Result<Box<dyn Send>, BoxError>> {
        let _ = login;
        Box::pin(ready(Ok(Box::new(()) as Box<dyn Send>)))
    }
}

/// Keeps tokens until the program ends.
#[derive(Default)]
pub(super) struct InMemory(Mutex<HashMap<Login, Secret<String>>>);

impl TokenStore for InMemory {
    fn load<'a>(&'a self, login: &'a Login) -> BoxFuture<'a, Result<Option<Secret<String>>, BoxError>> {
        Box::pin(ready(Ok(lock(&self.0).get(login).cloned())))
    }

    fn save<'a>(
        &'a self,
        login: &'a Login,
        tokens: Option<Secret<String>>,
    ) -> BoxFuture<'a, Result<(), BoxError>> {
        let mut logins = lock(&self.0);
        match tokens {
            Some(tokens) => logins.insert(login.clone(), tokens),
            None => logins.remove(login),
        };
        Box::pin(ready(Ok(())))
    }
}
