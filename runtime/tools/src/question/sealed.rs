//! Sealed runs: paused runs as texts that nobody can change without the program's key.

use std::fmt::{self, Write as _};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hmac_sha256::HMAC;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::Paused;

/// The version of the sealed form.
const VERSION: u64 = 1;

/// The minimum number of bytes of a key.
const MIN_KEY_BYTES: usize = 32;

/// A key that seals paused runs ([`Paused::seal`]). Dropping it wipes it from memory, and `Debug` does not
/// show it.
pub struct SealKey(Zeroizing<Vec<u8>>);

impl SealKey {
    /// Creates a key from at least 32 random bytes, for example from a secret store.
    ///
    /// # Errors
    /// Returns [`SealError::WeakKey`] for fewer bytes.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Result<Self, SealError> {
        let bytes = Zeroizing::new(bytes.into());
        if bytes.len() < MIN_KEY_BYTES {
            Err(SealError::WeakKey { bytes: bytes.len() })
        } else {
            Ok(Self(bytes))
        }
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl SealKey {
    /// A key for another purpose.
    pub fn derive(&self, purpose: &[u8]) -> [u8; 32] {
        HMAC::mac(purpose, &*self.0)
    }
}

impl fmt::Debug for SealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SealKey").finish_non_exhaustive()
    }
}

/// The reason why a run cannot be sealed or unsealed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SealError {
    /// The key is too short.
    #[error(
        "a key that seals paused runs needs at least {MIN_KEY_BYTES} random bytes, and this one has {bytes}"
    )]
    #[non_exhaustive]
    WeakKey {
        /// Its bytes.
        bytes: usize,
    },
    /// The text is not a sealed run, or has another version.
    #[error("this is not a sealed run: {reason}")]
    #[non_exhaustive]
    Unreadable {
        /// The reason, without content.
        reason: String,
    },
    /// The text was changed, or sealed with another key.
    #[error("the sealed run was changed, or sealed with another key: nothing of it is used")]
    Forged,
    /// The seal expired this long ago.
    #[error("the sealed run expired {0:?} ago: run the agent again")]
    Expired(Duration),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sealed {
    version: u64,
    /// Seconds since 1970.
    expires: u64,
    paused: String,
    /// In hexadecimal digits.
    seal: String,
}

impl Sealed {
    /// The bytes that the seal signs. The numbers have a fixed length, so the bytes of two values differ.
    fn sealed(expires: u64, paused: &str) -> Vec<u8> {
        [
            b"onionskin paused run".as_slice(),
            &VERSION.to_be_bytes(),
            &expires.to_be_bytes(),
            paused.as_bytes(),
        ]
        .concat()
    }
}

fn unreadable(reason: impl fmt::Display) -> SealError {
    SealError::Unreadable { reason: reason.to_string() }
}

impl Paused {
    /// Serialises the value for untrusted parties, such as a browser or a queue, and signs it: HMAC-SHA256
    /// with the key over the whole run (its id, questions, tools, arguments and records), the version and the
    /// expiry. The text is not encrypted.
    ///
    /// ```
    /// # use onionskin::{RunError, ScriptedModel, ScriptedTurn, agent, tool};
    /// use std::time::{Duration, SystemTime};
    ///
    /// use onionskin::question::{Paused, SealError, SealKey};
    ///
    /// # /// Pays.
    /// # #[tool(approval)]
    /// # fn pay(cents: u32) {}
    /// # agent! { Payer { instruction: "Pay.", function_tools: [pay] } }
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let model = ScriptedModel::turns([ScriptedTurn::call("pay", serde_json::json!({ "cents": 500 }))]);
    /// # let Err(RunError::Paused(paused)) = Payer::builder().model(model).build().await.unwrap().run("Pay Ada.").await else { panic!() };
    /// let key = SealKey::new([7; 32])?;
    /// let sealed = paused.seal(&key, SystemTime::now() + Duration::from_secs(3600))?;
    /// assert_eq!(Paused::unseal(&sealed, &key)?, paused);
    /// assert_eq!(Paused::unseal(&sealed.replace("500", "5"), &key), Err(SealError::Forged));
    /// # Ok::<_, SealError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    /// Returns [`SealError::Unreadable`] if the value cannot be serialised.
    pub fn seal(&self, key: &SealKey, expires: SystemTime) -> Result<String, SealError> {
        let paused = serde_json::to_string(self).map_err(unreadable)?;
        let expires = expires.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let seal = HMAC::mac(Sealed::sealed(expires, &paused), &*key.0);
        let seal = seal.iter().fold(String::new(), |mut digits, byte| {
            // Writing to a string cannot fail.
            let _ = write!(digits, "{byte:02x}");
            digits
        });
        serde_json::to_string(&Sealed { version: VERSION, expires, paused, seal }).map_err(unreadable)
    }

    /// Verifies and deserialises a text that [`seal`](Self::seal) returned for this key. It uses nothing of
    /// the text before it has verified the seal.
    ///
    /// # Errors
    /// Returns [`SealError::Forged`] if the text was changed or sealed with another key,
    /// [`SealError::Expired`] after its expiry, and [`SealError::Unreadable`] if it is not a sealed run.
    pub fn unseal(sealed: &str, key: &SealKey) -> Result<Self, SealError> {
        // A serde error could quote the text.
        let Sealed { version, expires, paused, seal } = serde_json::from_str(sealed)
            .map_err(|error| unreadable(format!("{:?} error", error.classify())))?;
        if version != VERSION {
            return Err(unreadable(format!(
                "it has version {version}, and this program reads version {VERSION}"
            )));
        }
        let provided = bytes(&seal).ok_or(SealError::Forged)?;
        if !HMAC::verify(Sealed::sealed(expires, &paused), &*key.0, &provided) {
            return Err(SealError::Forged);
        }
        let expires = UNIX_EPOCH.checked_add(Duration::from_secs(expires));
        if let Some(ago) = expires.and_then(|expires| SystemTime::now().duration_since(expires).ok()) {
            return Err(SealError::Expired(ago));
        }
        serde_json::from_str(&paused).map_err(unreadable)
    }
}

/// The bytes of 64 hexadecimal digits.
fn bytes(digits: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if digits.len() != 64 || !digits.is_ascii() {
        return None;
    }
    for (byte, at) in bytes.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(&digits[at..at + 2], 16).ok()?;
    }
    Some(bytes)
}
