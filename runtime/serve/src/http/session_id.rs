//! Ids of sessions, which belong to the user that began them: a user cannot use the session of another one. The id proves it by itself, so
//! that each process with the same key accepts it.

use hmac_sha256::HMAC;

use crate::user::User;

/// The number of bytes of the proof.
const PROOF_BYTES: usize = 16;

/// Adds proofs to ids, and checks them.
#[derive(Clone)]
pub(crate) struct SessionIds {
    key: [u8; 32],
}

impl SessionIds {
    pub(crate) fn new(key: [u8; 32]) -> Self {
        Self { key }
    }

    /// The id for the client.
    pub(crate) fn shown(&self, id: &str, user: Option<&User>) -> String {
        format!("{id}.{}", self.proof(id, user))
    }

    /// The id of the session, if it belongs to the user.
    pub(crate) fn own<'i>(&self, shown: &'i str, user: Option<&User>) -> Option<&'i str> {
        let (id, proof) = shown.rsplit_once('.')?;
        let expected = self.proof(id, user);
        bool::from(subtle::ConstantTimeEq::ct_eq(proof.as_bytes(), expected.as_bytes())).then_some(id)
    }

    fn proof(&self, id: &str, user: Option<&User>) -> String {
        let mut text = b"onionskin session 1".to_vec();
        text.push(user.is_some().into());
        let user = user.map_or("", User::id);
        text.extend((user.len() as u64).to_be_bytes());
        text.extend(user.as_bytes());
        text.extend(id.as_bytes());
        let proof = HMAC::mac(&text, self.key);
        proof[..PROOF_BYTES].iter().fold(String::new(), |digits, byte| format!("{digits}{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o2_a_session_belongs_to_its_user() {
        let ids = SessionIds::new([1; 32]);
        let (ada, bob) = (User::new("ada"), User::new("bob"));
        let shown = ids.shown("s1", Some(&ada));
        assert_eq!(ids.own(&shown, Some(&ada)), Some("s1"));
        assert_eq!(ids.own(&shown, Some(&bob)), None);
        assert_eq!(ids.own(&shown, None), None);
        assert_eq!(ids.own(&shown.replace("s1", "s2"), Some(&ada)), None);
        assert_eq!(ids.own("s1", None), None);
        assert_eq!(SessionIds::new([2; 32]).own(&shown, Some(&ada)), None);
        let nobody = ids.shown("s1", None);
        assert_eq!(ids.own(&nobody, None), Some("s1"));
        assert_eq!(ids.own(&nobody, Some(&User::new(""))), None);
    }
}
