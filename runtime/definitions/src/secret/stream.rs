//! Redaction of a text that arrives in pieces.

use std::sync::Arc;

use super::redactor::Redactor;

/// Redacts one text that arrives in pieces. It holds back the possible beginning of a secret.
///
/// ```
/// use std::sync::Arc;
/// use onionskin::secret::{Redactor, StreamRedactor};
///
/// let redactor = Redactor::new([(&b"hunter2!"[..], "[password]".into())]);
/// let mut text = StreamRedactor::new(Arc::new(redactor));
/// let pieces = [text.push("it is hun"), text.push("ter2!"), text.finish()];
/// assert_eq!(pieces.concat(), "it is [password]");
/// ```
pub struct StreamRedactor {
    redactor: Arc<Redactor>,
    rest: String,
    /// The first bytes of a character that was split.
    bytes: Vec<u8>,
}

impl StreamRedactor {
    /// Creates a redactor for one text.
    pub fn new(redactor: Arc<Redactor>) -> Self {
        Self { redactor, rest: String::new(), bytes: Vec::new() }
    }

    /// Replaces the redactor, for example after a secret was added to the session. It applies to the text
    /// that is held back and to later pieces.
    pub fn set_redactor(&mut self, redactor: Arc<Redactor>) {
        self.redactor = redactor;
    }

    /// Adds a piece and returns the redacted text that cannot be part of an incomplete secret. The returned
    /// text may be empty.
    pub fn push(&mut self, piece: &str) -> String {
        self.rest.push_str(piece);
        let (settled, end) = self.redactor.redact_prefix(&self.rest);
        self.rest.drain(..end);
        settled
    }

    /// As [`push`](Self::push), for a piece that can end within a character.
    pub fn push_bytes(&mut self, piece: &[u8]) -> String {
        self.bytes.extend_from_slice(piece);
        let whole = match str::from_utf8(&self.bytes) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.bytes.len(),
        };
        let bytes: Vec<u8> = self.bytes.drain(..whole).collect();
        self.push(&String::from_utf8_lossy(&bytes))
    }

    /// Returns the redacted rest of the text after its last piece. The redactor can then begin a new text.
    pub fn finish(&mut self) -> String {
        self.rest.push_str(&String::from_utf8_lossy(&std::mem::take(&mut self.bytes)));
        self.redactor.redact(std::mem::take(&mut self.rest)).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;

    fn redactor() -> Arc<Redactor> {
        static NEEDLES: LazyLock<Arc<Redactor>> = LazyLock::new(|| {
            let secrets = ["hunter2!hunter2!", "abcabcabd", "hunter2!", "abcabd"];
            Arc::new(Redactor::new(secrets.iter().map(|secret| (secret.as_bytes(), Arc::from("[secret]")))))
        });
        Arc::clone(&NEEDLES)
    }

    fn in_pieces(pieces: &[&str]) -> String {
        let mut held = StreamRedactor::new(redactor());
        let mut all: String = pieces.iter().map(|piece| held.push(piece)).collect();
        all.push_str(&held.finish());
        all
    }

    #[test]
    fn t8_a_secret_that_is_split_is_hidden_and_what_is_none_is_not_kept() {
        assert_eq!(in_pieces(&["it is hun", "ter", "2", "! and"]), "it is [secret] and");
        assert_eq!(in_pieces(&["it is hun", "dred"]), "it is hundred");
        let mut held = StreamRedactor::new(redactor());
        assert_eq!(held.push("nothing begins here."), "nothing begins here.");
        assert_eq!((held.push("hunter2!").as_str(), held.push("x").as_str()), ("", "[secret]x"));
    }

    proptest! {
        #[test]
        fn t8_however_a_text_is_cut_it_comes_out_as_if_it_were_not(
            text in "(hunter2!|hunter|hun|abc|abd|ab|aHVudGVyMi|ü| |x){0,12}",
            cuts in proptest::collection::vec(0_usize..80, 0..6),
        ) {
            let mut cuts: Vec<_> = cuts.into_iter().filter(|at| text.is_char_boundary(*at)).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let pieces: Vec<_> = cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
            let whole = redactor().redact(text.as_str()).into_owned();
            prop_assert_eq!(in_pieces(&pieces), whole.clone());
            prop_assert!(!redactor().shows(&whole));
        }
    }
}
