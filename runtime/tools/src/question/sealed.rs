//! Sealed runs: a paused run as a text that nobody can change without the key of the program.

use std::fmt::{self, Write as _};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hmac_sha256::HMAC;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::Paused;

/// The version of the sealed form.
const VERSION: u64 = 1;

/// The fewest bytes of a key.
const FEWEST: usize = 32;

/// The key of a program that seals its paused runs ([`Paused::seal`]). It is wiped from memory when it is dropped, and never shown.
pub struct SealKey(Zeroizing<Vec<u8>>);

impl SealKey {
    /// A key of at least 32 random bytes, for example from the program's store of secrets.
    ///
    /// # Errors
    /// Returns [`SealError::WeakKey`] for fewer bytes.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Result<Self, SealError> {
        let bytes = Zeroizing::new(bytes.into());
        if bytes.len() < FEWEST { Err(SealError::WeakKey { bytes: bytes.len() }) } else { Ok(Self(bytes)) }
    }
}

impl fmt::Debug for SealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SealKey").finish_non_exhaustive()
    }
}

/// A paused run cannot be sealed, or a sealed one cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SealError {
    /// The key is too short.
    #[error("a key that seals paused runs has {FEWEST} random bytes at least, and this one has {bytes}")]
    #[non_exhaustive]
    WeakKey {
        /// Its bytes.
        bytes: usize,
    },
    /// It is not a sealed run, or one of a later version.
    #[error("this is not a sealed run: {reason}")]
    #[non_exhaustive]
    Unreadable {
        /// The reason, without content.
        reason: String,
    },
    /// It was changed, or sealed with another key.
    #[error("the sealed run was changed, or sealed with another key: nothing of it is used")]
    Forged,
    /// It is too old.
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
    /// What the seal is about. The numbers have a fixed length, so no two values have the same.
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
    /// The value as a text that can pass through hands that the program does not trust, such as a browser or a queue: HMAC-SHA256 with the
    /// program's key over the whole run (its id, its questions, its tools and their arguments, its records), the version and the expiry.
    /// It hides nothing.
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
    /// Returns [`SealError::Unreadable`] if the value has no JSON.
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

    /// The value of a text that [`seal`](Self::seal) made with this key. Nothing of the text is used before its seal was checked.
    ///
    /// # Errors
    /// Returns [`SealError::Forged`] if the text was changed or sealed with another key, [`SealError::Expired`] after its time, and
    /// [`SealError::Unreadable`] if it is no sealed run.
    pub fn unseal(sealed: &str, key: &SealKey) -> Result<Self, SealError> {
        // The words of a reader could quote the text.
        let Sealed { version, expires, paused, seal } = serde_json::from_str(sealed)
            .map_err(|error| unreadable(format!("{:?} error", error.classify())))?;
        if version != VERSION {
            return Err(unreadable(format!(
                "it has version {version}, and this program reads version {VERSION}"
            )));
        }
        let given = bytes(&seal).ok_or(SealError::Forged)?;
        if !HMAC::verify(Sealed::sealed(expires, &paused), &*key.0, &given) {
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
