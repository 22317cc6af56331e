//! Ids of sessions, which belong to the user that began them: a user cannot use the session of another one. The id proves it by itself, so
//! that each process with the same key accepts it. It can also have what the client said when it initialized, so that another process goes
//! on with the session (`handover.rs`).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac_sha256::HMAC;

use crate::state::hex;
use crate::user::User;

/// The number of bytes of the proof.
const PROOF_BYTES: usize = 16;

/// Adds proofs to ids, and checks them.
#[derive(Clone)]
pub(crate) struct SessionIds {
    key: [u8; 32],
}

/// The parts of an id that belongs to the user.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OwnId<'i> {
    /// The id of the session.
    pub(crate) id: &'i str,
    /// What the id has of the client, if anything.
    pub(crate) state: Option<Vec<u8>>,
}

impl SessionIds {
    pub(crate) fn new(key: [u8; 32]) -> Self {
        Self { key }
    }

    /// The id of the session in an id that is not proven.
    pub(crate) fn unproven(shown: &str) -> &str {
        shown.split('.').next().unwrap_or(shown)
    }

    /// The id for the client, with a state.
    pub(crate) fn shown(&self, id: &str, state: Option<&[u8]>, user: Option<&User>) -> String {
        let state = state.map(|state| format!(".{}", URL_SAFE_NO_PAD.encode(state))).unwrap_or_default();
        let signed = format!("{id}{state}");
        let proof = self.proof(&signed, user);
        format!("{signed}.{proof}")
    }

    /// The parts of an id, if it belongs to the user.
    pub(crate) fn own<'i>(&self, shown: &'i str, user: Option<&User>) -> Option<OwnId<'i>> {
        let (signed, proof) = shown.rsplit_once('.')?;
        let expected = self.proof(signed, user);
        if !bool::from(subtle::ConstantTimeEq::ct_eq(proof.as_bytes(), expected.as_bytes())) {
            return None;
        }
        match signed.split_once('.') {
            None => Some(OwnId { id: signed, state: None }),
            Some((id, state)) => Some(OwnId { id, state: Some(URL_SAFE_NO_PAD.decode(state).ok()?) }),
        }
    }

    fn proof(&self, signed: &str, user: Option<&User>) -> String {
        let mut text = b"onionskin session 1".to_vec();
        text.push(user.is_some().into());
        let user = user.map_or("", User::id);
        text.extend((user.len() as u64).to_be_bytes());
        text.extend(user.as_bytes());
        text.extend(signed.as_bytes());
        let proof = HMAC::mac(&text, self.key);
        hex(&proof[..PROOF_BYTES])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o2_the_id_of_a_session_proves_its_user_and_its_state() {
        let ids = SessionIds::new([1; 32]);
        let (ada, bob) = (User::new("ada").unwrap(), User::new("bob").unwrap());
        let shown = ids.shown("s1", None, Some(&ada));
        assert_eq!(ids.own(&shown, Some(&ada)), Some(OwnId { id: "s1", state: None }));
        assert_eq!(ids.own(&shown, Some(&bob)), None);
        assert_eq!(ids.own(&shown, None), None);
        assert_eq!(ids.own(&shown.replace("s1", "s2"), Some(&ada)), None);
        assert_eq!(ids.own("s1", None), None);
        assert_eq!(SessionIds::unproven(&shown), "s1");
        assert_eq!(SessionIds::new([2; 32]).own(&shown, Some(&ada)), None);
        let nobody = ids.shown("s1", Some(b"{}"), None);
        assert_eq!(ids.own(&nobody, None), Some(OwnId { id: "s1", state: Some(b"{}".to_vec()) }));
        assert_eq!(ids.own(&nobody, Some(&ada)), None);
        assert_eq!(ids.own(&nobody.replacen("s1.", "s1.A", 1), None), None);
    }
}
