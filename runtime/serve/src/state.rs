//! The state of a call that waits for answers, as a text that a client keeps: encrypted, bound to one user and one call, for a limited
//! time, and usable once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead as _, Payload};
use chacha20poly1305::{KeyInit as _, XChaCha20Poly1305, XNonce};
use onionskin_core::question::Paused;
use serde_json::Value;

use crate::error::ServeError;

/// The time that people have for an answer.
pub(crate) const DEFAULT_TTL: Duration = Duration::from_hours(1);
/// The maximum number of used states of one user that are remembered. Beyond it none of this user is accepted until some expire.
const MAX_USED: usize = 20_000;
/// The maximum number of bytes of a state. The client sends it with a request, whose length is bounded too.
const MAX_STATE: usize = 2 * 1024 * 1024;
const NONCE_BYTES: usize = 24;
const EXPIRY_BYTES: usize = 8;

/// The call that a state belongs to.
pub(crate) struct Binding {
    bytes: Vec<u8>,
    user: Option<String>,
}

impl Binding {
    /// The call of a tool or of a prompt by a user. Arguments are compared as values: a client may write their keys in another order.
    pub(crate) fn new(server: &str, user: Option<&str>, method: &str, name: &str, arguments: &Value) -> Self {
        let mut bytes = b"onionskin call 1".to_vec();
        for part in [server, user.unwrap_or_default(), method, name, &sorted(arguments)] {
            bytes.extend((part.len() as u64).to_be_bytes());
            bytes.extend(part.as_bytes());
        }
        bytes.push(user.is_some().into());
        Self { bytes, user: user.map(str::to_owned) }
    }
}

/// JSON with sorted keys.
fn sorted(value: &Value) -> String {
    match value {
        Value::Object(object) => {
            let mut keys: Vec<_> = object.iter().collect();
            keys.sort_by_key(|(key, _)| *key);
            let fields: Vec<_> = keys
                .into_iter()
                .map(|(key, value)| format!("{}:{}", Value::from(key.as_str()), sorted(value)))
                .collect();
            format!("{{{}}}", fields.join(","))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(sorted).collect::<Vec<_>>().join(",")),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

/// The reason why a state is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum StateError {
    /// It was changed, made with another key, or belongs to another call or user.
    #[error("the request state does not belong to this call: begin again without it")]
    Forged,
    #[error("the request state has expired: begin again without it")]
    Expired,
    #[error("the request state was used before: begin again without it")]
    Used,
    #[error("the server has too many calls that wait for answers: try again later")]
    Full,
}

/// Seals and opens states.
pub(crate) struct StateKeeper {
    cipher: XChaCha20Poly1305,
    ttl: Duration,
    /// The used states of each user, with the second of their expiry.
    used: Mutex<HashMap<Option<String>, UsedStates>>,
}

type UsedStates = HashMap<[u8; NONCE_BYTES], u64>;

/// A state that was opened, and is not used yet.
pub(crate) struct Opened {
    pub(crate) paused: Paused,
    nonce: [u8; NONCE_BYTES],
    expires: u64,
}

impl StateKeeper {
    pub(crate) fn new(key: &[u8; 32], ttl: Duration) -> Self {
        Self { cipher: XChaCha20Poly1305::new(key.into()), ttl, used: Mutex::default() }
    }

    /// The paused run as a text for the client.
    ///
    /// # Errors
    /// Returns an error if the system gives no random numbers or the run cannot be serialised.
    pub(crate) fn seal(&self, paused: &Paused, binding: &Binding) -> Result<String, ServeError> {
        let mut nonce = [0; NONCE_BYTES];
        random(&mut nonce)?;
        let expires = now().saturating_add(self.ttl.as_secs());
        let mut plain = expires.to_be_bytes().to_vec();
        serde_json::to_writer(&mut plain, paused)
            .map_err(|error| ServeError::Connection(error.to_string()))?;
        let payload = Payload { msg: &plain, aad: &binding.bytes };
        let sealed = self.cipher.encrypt(XNonce::from_slice(&nonce), payload);
        let sealed = sealed.map_err(|_| ServeError::Connection("a paused run is too long".to_owned()))?;
        let state = URL_SAFE_NO_PAD.encode([nonce.as_slice(), &sealed].concat());
        if state.len() > MAX_STATE {
            return Err(ServeError::Connection(format!(
                "a call that waits would need a state of {} bytes",
                state.len()
            )));
        }
        Ok(state)
    }

    /// Opens a state that a client brought back for this call.
    ///
    /// # Errors
    /// Returns an error if it does not belong to the call, has expired, or was used.
    pub(crate) fn open(&self, state: &str, binding: &Binding) -> Result<Opened, StateError> {
        let bytes = URL_SAFE_NO_PAD.decode(state).map_err(|_| StateError::Forged)?;
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE_BYTES>().ok_or(StateError::Forged)?;
        let payload = Payload { msg: sealed, aad: &binding.bytes };
        let plain =
            self.cipher.decrypt(XNonce::from_slice(nonce), payload).map_err(|_| StateError::Forged)?;
        let (expires, paused) = plain.split_first_chunk::<EXPIRY_BYTES>().ok_or(StateError::Forged)?;
        let expires = u64::from_be_bytes(*expires);
        if expires < now() {
            return Err(StateError::Expired);
        }
        if self.used().get(&binding.user).is_some_and(|used| used.contains_key(nonce)) {
            return Err(StateError::Used);
        }
        let paused = serde_json::from_slice(paused).map_err(|_| StateError::Forged)?;
        Ok(Opened { paused, nonce: *nonce, expires })
    }

    /// Uses a state: from now on nobody can open it again.
    ///
    /// # Errors
    /// Returns an error if another request used it meanwhile, or if too many are remembered.
    pub(crate) fn use_up(&self, opened: &Opened, binding: &Binding) -> Result<(), StateError> {
        let (mut all, now) = (self.used(), now());
        let used = all.entry(binding.user.clone()).or_default();
        if used.len() >= MAX_USED {
            used.retain(|_, expires| *expires >= now);
        }
        if used.len() >= MAX_USED {
            return Err(StateError::Full);
        }
        if used.insert(opened.nonce, opened.expires).is_some() {
            return Err(StateError::Used);
        }
        if all.len() > MAX_USERS {
            all.retain(|_, used| used.values().any(|expires| *expires >= now));
        }
        Ok(())
    }

    fn used(&self) -> std::sync::MutexGuard<'_, HashMap<Option<String>, UsedStates>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The number of users beyond which those without a state of the last hour are removed.
const MAX_USERS: usize = 1000;

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// Fills bytes with random numbers of the system.
///
/// # Errors
/// Returns an error if the system gives none.
pub(crate) fn random(bytes: &mut [u8]) -> Result<(), ServeError> {
    getrandom::fill(bytes).map_err(|error| ServeError::Random(error.to_string()))
}

/// An id that nobody can guess.
///
/// # Errors
/// As [`random`].
pub(crate) fn new_id() -> Result<String, ServeError> {
    let mut bytes = [0; 16];
    random(&mut bytes)?;
    Ok(hex(&bytes))
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect()
}
