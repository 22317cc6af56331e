//! Text that comes in pieces: what may be the beginning of a secret is held back until that is known.

use std::sync::Arc;

use super::needles::Needles;
use crate::model::ModelDelta;

/// One text in pieces.
pub(crate) struct Held {
    needles: Arc<Needles>,
    rest: String,
    /// The beginning of a character that was cut in two.
    #[cfg(any(feature = "mcp", feature = "shell"))]
    bytes: Vec<u8>,
}

impl Held {
    pub(crate) fn new(needles: Arc<Needles>) -> Self {
        Self {
            needles,
            rest: String::new(),
            #[cfg(any(feature = "mcp", feature = "shell"))]
            bytes: Vec::new(),
        }
    }

    /// Looks for these from now on.
    #[cfg(feature = "mcp")]
    pub(crate) fn look_for(&mut self, needles: Arc<Needles>) {
        self.needles = needles;
    }

    /// Takes the next piece, and gives what is known to be, or not to be, a secret.
    pub(crate) fn push(&mut self, piece: &str) -> String {
        self.rest.push_str(piece);
        let (settled, end) = self.needles.settled(&self.rest);
        self.rest.drain(..end);
        settled
    }

    /// As [`push`](Self::push), for a text whose characters may be cut in two as well.
    #[cfg(any(feature = "mcp", feature = "shell"))]
    pub(crate) fn push_bytes(&mut self, piece: &[u8]) -> String {
        self.bytes.extend_from_slice(piece);
        let whole = match str::from_utf8(&self.bytes) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.bytes.len(),
        };
        let bytes: Vec<u8> = self.bytes.drain(..whole).collect();
        self.push(&String::from_utf8_lossy(&bytes))
    }

    /// The text is over: gives what was held back.
    pub(crate) fn finish(&mut self) -> String {
        #[cfg(any(feature = "mcp", feature = "shell"))]
        self.rest.push_str(&String::from_utf8_lossy(&std::mem::take(&mut self.bytes)));
        self.needles.hide(std::mem::take(&mut self.rest)).into_owned()
    }
}

/// The pieces of a model's answer: its text, and its reasoning.
pub(crate) struct HeldDeltas(Option<(Held, Held)>);

impl HeldDeltas {
    /// Without secrets, pieces pass as they are.
    pub(crate) fn new(needles: Option<Arc<Needles>>) -> Self {
        Self(needles.map(|needles| (Held::new(Arc::clone(&needles)), Held::new(needles))))
    }

    /// Takes the next piece, and gives what can be told by now.
    pub(crate) fn push(&mut self, delta: ModelDelta) -> Option<ModelDelta> {
        let Some((text, reasoning)) = &mut self.0 else { return Some(delta) };
        let delta = match delta {
            ModelDelta::Text(piece) => ModelDelta::Text(text.push(&piece)),
            ModelDelta::Reasoning(piece) => ModelDelta::Reasoning(reasoning.push(&piece)),
        };
        Some(delta).filter(|delta| !delta.is_empty())
    }

    /// The answer is over: gives what was held back.
    pub(crate) fn finish(self) -> impl Iterator<Item = ModelDelta> {
        let rest = self.0.map(|(mut text, mut reasoning)| {
            [ModelDelta::Reasoning(reasoning.finish()), ModelDelta::Text(text.finish())]
        });
        rest.into_iter().flatten().filter(|delta| !delta.is_empty())
    }
}

impl ModelDelta {
    fn is_empty(&self) -> bool {
        let (Self::Text(piece) | Self::Reasoning(piece)) = self;
        piece.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;

    fn needles() -> Arc<Needles> {
        static NEEDLES: LazyLock<Arc<Needles>> = LazyLock::new(|| {
            let secrets = ["hunter2!hunter2!", "abcabcabd", "hunter2!", "abcabd"];
            Arc::new(Needles::new(secrets.iter().map(|secret| (secret.as_bytes(), Arc::from("[secret]")))))
        });
        Arc::clone(&NEEDLES)
    }

    fn in_pieces(pieces: &[&str]) -> String {
        let mut held = Held::new(needles());
        let mut all: String = pieces.iter().map(|piece| held.push(piece)).collect();
        all.push_str(&held.finish());
        all
    }

    #[test]
    fn t8_a_secret_that_is_split_is_hidden_and_what_is_none_is_not_kept() {
        assert_eq!(in_pieces(&["it is hun", "ter", "2", "! and"]), "it is [secret] and");
        assert_eq!(in_pieces(&["it is hun", "dred"]), "it is hundred");
        let mut held = Held::new(needles());
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
            let whole = needles().hide(text.as_str()).into_owned();
            prop_assert_eq!(in_pieces(&pieces), whole.clone());
            prop_assert!(!needles().shows(&whole));
        }
    }
}
