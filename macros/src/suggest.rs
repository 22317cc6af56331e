//! An error about an unknown name suggests the nearest known one: "did you mean".

pub(crate) use onionskin_vocabulary::nearest;

/// The error for an unknown word: the word that was meant, or all words.
pub(crate) fn unknown(what: &str, word: &str, candidates: &[&str]) -> String {
    match nearest(word, candidates.iter().copied()) {
        Some(near) => format!("unknown {what} `{word}`; did you mean `{near}`?"),
        None => format!("unknown {what} `{word}`; there are: {}", candidates.join(", ")),
    }
}
