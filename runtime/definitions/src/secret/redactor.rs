//! Finds the encodings of secrets in texts with `aho-corasick`, and masks them.

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use aho_corasick::AhoCorasick;
use zeroize::Zeroize;

use super::encodings::encodings;
use super::environment::keys;
use super::value::MASK;

/// Masks in the order of preference.
pub(super) const MASKS: [&str; 3] = [MASK, "[hidden]", "***"];

/// The marks of a cut text.
const CUTS: [&str; 2] = ["..", "\u{2026}"];

/// The number of layers of similar size that are merged.
const ALIKE: usize = 3;

/// The maximum number of bytes before a cut that are shown although they could begin a secret.
const SHORT: usize = 3;

/// Finds secrets in texts and replaces them with a mask. Cheap to clone.
///
/// Each secret is found in its usual encodings: plain, in JSON, percent-encoded, in Base64, and as hexadecimal
/// digits. Secrets of fewer than six bytes are not redacted.
///
/// ```
/// use onionskin::secret::Redactor;
///
/// let redactor = Redactor::new([(&b"hunter2!"[..], "[password]".into())]);
/// assert_eq!(redactor.redact("it is hunter2!"), "it is [password]");
/// ```
// Added secrets become a new layer, and layers of similar size are merged. So adding secrets one by one costs
// little more than adding all at once.
#[derive(Clone)]
pub struct Redactor {
    layers: Vec<Arc<Layer>>,
    /// The mask for a secret without its own mask, or with a mask that shows a secret.
    mask: &'static str,
}

/// The number of bytes of an encoding that the automaton looks for; the rest is compared at each match. Each byte
/// costs the automaton time and memory.
const BEGINNING: usize = 12;

/// Secrets that are searched for in one pass.
struct Layer {
    secrets: Vec<Arc<Needle>>,
    /// For each encoding: its secret and its index among the secret's encodings. They are sorted by the encodings' texts.
    encodings: Vec<(usize, usize)>,
    /// For each pattern of the automaton: the encodings that begin with it.
    alike: Vec<Range<usize>>,
    /// `None` if there are too many encodings; every text is then masked as a whole.
    automaton: Option<AhoCorasick>,
    longest: usize,
}

/// One secret.
pub(super) struct Needle {
    id: u64,
    encodings: Vec<String>,
    mask: Option<Arc<str>>,
}

impl Needle {
    /// A secret with the default mask; `None` if it is too short to redact.
    pub(super) fn from_secret(secret: &[u8]) -> Option<Arc<Self>> {
        Some(Self::new(secret, None)).filter(|secret| !secret.encodings.is_empty()).map(Arc::new)
    }

    fn new(secret: &[u8], mask: Option<Arc<str>>) -> Self {
        Self { id: id(secret), encodings: encodings(secret), mask }
    }
}

impl Drop for Needle {
    fn drop(&mut self) {
        self.encodings.zeroize();
    }
}

/// The id of a secret, without storing the secret. Valid in this process only.
pub(super) fn id(secret: &[u8]) -> u64 {
    static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    HASHER.hash_one(secret)
}

impl Layer {
    fn new(secrets: Vec<Arc<Needle>>) -> Self {
        let of = |(at, secret): (usize, &Arc<Needle>)| {
            (0..secret.encodings.len()).map(move |encoding| (at, encoding))
        };
        let mut encodings: Vec<_> = secrets.iter().enumerate().flat_map(of).collect();
        let text = |(secret, encoding): &(usize, usize)| secrets[*secret].encodings[*encoding].as_str();
        encodings.sort_unstable_by(|one, other| text(one).cmp(text(other)));
        let begin = |at: usize| {
            let text = text(&encodings[at]).as_bytes();
            &text[..text.len().min(BEGINNING)]
        };
        let mut alike: Vec<Range<usize>> = Vec::new();
        for at in 0..encodings.len() {
            match alike.last_mut() {
                Some(last) if begin(last.start) == begin(at) => last.end = at + 1,
                _ => alike.push(at..at + 1),
            }
        }
        let automaton = AhoCorasick::new(alike.iter().map(|alike| begin(alike.start))).ok();
        let longest = encodings.iter().map(|encoding| text(encoding).len()).max().unwrap_or(0);
        Self { secrets, encodings, alike, automaton, longest }
    }

    /// The encodings in the text: each with the index of its secret and its byte range. `None` without an
    /// automaton.
    fn matches<'l>(&'l self, text: &'l str) -> Option<impl Iterator<Item = (usize, Range<usize>)> + 'l> {
        let beginnings = self.automaton.as_ref()?.find_overlapping_iter(text);
        Some(beginnings.flat_map(move |one| {
            let rest = &text.as_bytes()[one.start()..];
            let alike = &self.encodings[self.alike[one.pattern().as_usize()].clone()];
            let found =
                alike.iter().filter(move |encoding| rest.starts_with(self.text(**encoding).as_bytes()));
            found.map(move |encoding| (encoding.0, one.start()..one.start() + self.text(*encoding).len()))
        }))
    }

    fn text(&self, (secret, encoding): (usize, usize)) -> &str {
        &self.secrets[secret].encodings[encoding]
    }

    fn shows(&self, text: &str) -> bool {
        self.matches(text).is_none_or(|mut found| found.next().is_some())
    }

    /// Whether a longer encoding begins with this text.
    fn begins_with(&self, text: &str) -> bool {
        let at = self.encodings.partition_point(|encoding| self.text(*encoding) <= text);
        self.encodings.get(at).is_some_and(|encoding| self.text(*encoding).starts_with(text))
    }
}

/// A part of a text to hide.
struct Match<'n> {
    start: usize,
    end: usize,
    /// The length of the longest encoding in it.
    length: usize,
    mask: &'n str,
}

impl Redactor {
    /// Creates a redactor for these secrets, each with its mask.
    pub fn new<'s>(secrets: impl IntoIterator<Item = (&'s [u8], Arc<str>)>) -> Self {
        let secrets = secrets.into_iter().map(|(secret, mask)| Arc::new(Needle::new(secret, Some(mask))));
        Self::default().and_layer(secrets.collect())
    }

    /// Finds the keys in the environment variables of the program, as the redactor of each session does: values of variables with
    /// the name of a key ([`is_key`](super::is_key)) that have 16 bytes or more.
    pub fn from_environment() -> Self {
        Self::default().and(keys().iter().map(|key| Arc::new(Needle::new(key, None))))
    }

    /// Adds more secrets.
    pub(super) fn and(self, secrets: impl IntoIterator<Item = Arc<Needle>>) -> Self {
        self.and_layer(secrets.into_iter().collect())
    }

    /// The number of automata that search a text.
    #[cfg(test)]
    pub(super) fn layers(&self) -> usize {
        self.layers.len()
    }

    /// The bytes of the automata.
    #[cfg(test)]
    pub(super) fn size(&self) -> usize {
        self.layers.iter().filter_map(|layer| layer.automaton.as_ref()).map(AhoCorasick::memory_usage).sum()
    }

    /// Adds the secrets of another redactor.
    pub(super) fn with(self, others: &Self) -> Self {
        let known: HashSet<u64> = self.secrets().map(|secret| secret.id).collect();
        let new = others.secrets().filter(|secret| !known.contains(&secret.id)).map(Arc::clone);
        let new: Vec<_> = new.collect();
        self.and_layer(new)
    }

    /// Returns a redactor that hides the secrets of this one and of `others`.
    #[must_use]
    pub fn beside(mut self, others: &Self) -> Self {
        self.layers.extend(others.layers.iter().map(Arc::clone));
        self.choose_mask();
        self
    }

    /// Removes some secrets.
    pub(super) fn without(mut self, ids: &HashSet<u64>) -> Self {
        let is_kept = |secret: &&Arc<Needle>| !ids.contains(&secret.id);
        for layer in &mut self.layers {
            if !layer.secrets.iter().all(|secret| is_kept(&secret)) {
                *layer = Arc::new(Layer::new(layer.secrets.iter().filter(is_kept).map(Arc::clone).collect()));
            }
        }
        self.layers.retain(|layer| !layer.secrets.is_empty());
        self.choose_mask();
        self
    }

    fn and_layer(mut self, mut secrets: Vec<Arc<Needle>>) -> Self {
        secrets.retain(|secret| !secret.encodings.is_empty());
        if secrets.is_empty() {
            return self;
        }
        let size = |count: usize| count.ilog2() / 2;
        loop {
            let alike = |layer: &&Arc<Layer>| size(layer.secrets.len()) <= size(secrets.len());
            let alike = self.layers.iter().rev().take_while(alike).count();
            if alike < ALIKE {
                break;
            }
            let merged = self.layers.split_off(self.layers.len() - alike);
            secrets.extend(merged.iter().flat_map(|layer| &layer.secrets).map(Arc::clone));
        }
        self.layers.push(Arc::new(Layer::new(secrets)));
        self.choose_mask();
        self
    }

    /// Replaces a mask that shows a secret, because it would be redacted again in every text.
    fn choose_mask(&mut self) {
        let free = MASKS.into_iter().find(|mask| !self.layers.iter().any(|layer| layer.shows(mask)));
        self.mask = free.unwrap_or_default();
    }

    fn secrets(&self) -> impl Iterator<Item = &Arc<Needle>> {
        self.layers.iter().flat_map(|layer| &layer.secrets)
    }

    /// Whether there are no secrets.
    pub fn is_empty(&self) -> bool {
        self.layers.is_empty()
    }

    /// Replaces each secret in the text by its mask. A text without secrets is borrowed unchanged. A text
    /// that was cut can end within a secret, so a possible beginning of a secret before a cut is hidden.
    pub fn redact<'t>(&self, text: impl Into<Cow<'t, str>>) -> Cow<'t, str> {
        let text = text.into();
        let Some(mut found) = self.find(&text) else {
            // Owned, because a borrowed result means that the text is unchanged.
            return Cow::Owned(MASK.to_owned());
        };
        found.extend(self.cut(&text));
        if found.is_empty() { text } else { Cow::Owned(masked(&text, &merged(found))) }
    }

    /// Whether the text contains a secret, or the beginning of one before a cut.
    pub fn shows(&self, text: &str) -> bool {
        self.layers.iter().any(|layer| layer.shows(text)) || self.cut(text).next().is_some()
    }

    /// The redacted part of an unfinished text that can be emitted, and the index of the rest, where a secret
    /// may have begun. The part is empty if nothing can be emitted.
    pub(super) fn redact_prefix(&self, text: &str) -> (String, usize) {
        let Some(found) = self.find(text) else { return (String::new(), text.len()) };
        let mut found = merged(found);
        let mut end = self.begun(text);
        while let Some(last) = found.last().filter(|last| last.end > end) {
            end = end.min(last.start);
            found.pop();
        }
        (masked(&text[..end], &found), end)
    }

    /// The index of an encoding that the end of the text cuts off; the text's length if there is none.
    pub(super) fn begun(&self, text: &str) -> usize {
        let longest = self.layers.iter().map(|layer| layer.longest).max().unwrap_or(0);
        let starts = text.char_indices().map(|(at, _)| at).rev();
        let starts = starts.take_while(|at| text.len() - at < longest);
        let begun = starts.filter(|at| self.layers.iter().any(|layer| layer.begins_with(&text[*at..])));
        begun.last().unwrap_or(text.len())
    }

    /// The beginnings of secrets before a cut.
    fn cut<'n>(&'n self, text: &str) -> impl Iterator<Item = Match<'n>> {
        let mut from = 0;
        // Each mark is searched for once: a text may hold many of one and none of the other.
        let mut marks = CUTS.map(|mark| text.match_indices(mark).peekable());
        std::iter::from_fn(move || {
            let mut next_mark = || {
                let next = marks.iter_mut().filter_map(|marks| Some((marks.peek()?.0, marks)));
                next.min_by_key(|(at, _)| *at)?.1.next()
            };
            while let Some((at, mark)) = next_mark() {
                let part = &text[from..at];
                let (start, end) = [part, part.trim_end_matches([' ', '\n', '[', '(', '"'])]
                    .map(|part| (from + self.begun(part), from + part.len()))
                    .into_iter()
                    .max_by_key(|(start, end)| end - start)?;
                from = at + mark.len();
                if end - start > SHORT {
                    return Some(Match { start, end, length: end - start, mask: self.mask });
                }
            }
            None
        })
    }

    /// The parts to hide.
    fn find<'n>(&'n self, text: &str) -> Option<Vec<Match<'n>>> {
        let mut found = Vec::new();
        for layer in &self.layers {
            found.extend(layer.matches(text)?.map(|(secret, place)| {
                let own = layer.secrets[secret].mask.as_deref();
                let mask = own.filter(|mask| !self.layers.iter().any(|layer| layer.shows(mask)));
                Match {
                    start: place.start,
                    end: place.end,
                    length: place.len(),
                    mask: mask.unwrap_or(self.mask),
                }
            }));
        }
        Some(found)
    }
}

impl Default for Redactor {
    fn default() -> Self {
        Self { layers: Vec::new(), mask: MASK }
    }
}

/// The parts in order, with overlapping parts merged.
fn merged(mut found: Vec<Match<'_>>) -> Vec<Match<'_>> {
    found.sort_by_key(|one| one.start);
    let mut merged: Vec<Match<'_>> = Vec::new();
    for one in found {
        match merged.last_mut().filter(|last| one.start < last.end) {
            Some(last) => {
                last.end = last.end.max(one.end);
                if one.length > last.length {
                    (last.length, last.mask) = (one.length, one.mask);
                }
            }
            None => merged.push(one),
        }
    }
    merged
}

fn masked(text: &str, found: &[Match<'_>]) -> String {
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for one in found {
        out.push_str(&text[at..one.start]);
        out.push_str(one.mask);
        at = one.end;
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::secret::Redact as _;

    #[test]
    fn t8_what_cannot_be_looked_for_does_not_pass() {
        let layer = Layer {
            secrets: Vec::new(),
            encodings: Vec::new(),
            alike: Vec::new(),
            automaton: None,
            longest: 0,
        };
        let redactor = Redactor { layers: vec![Arc::new(layer)], mask: MASK };
        let mut text = "anything".to_owned();
        text.redact(&redactor);
        assert_eq!((text.as_str(), &*redactor.redact("anything")), (MASK, MASK));
    }

    #[test]
    fn t8_a_secret_that_stands_in_its_own_mask_is_hidden_by_another() {
        let redactor = Redactor::new([(&b"secret"[..], MASK.into()), (b"hunter2", MASK.into())]);
        let hidden = redactor.redact("secret and hunter2");
        assert_eq!(hidden, "[hidden] and [hidden]");
        assert_eq!(redactor.and(Needle::from_secret(b"hidden")).redact("secret, hidden"), "***, ***");
    }

    #[test]
    fn t8_what_a_cut_left_of_a_secret_is_hidden() {
        let redactor = Redactor::default().and(Needle::from_secret(b"hunter2-\"hunter2\"-hunter2"));
        for (text, hidden) in [
            ("found the string \"hunter2-\\\"hun...", "found the string \"[secret]..."),
            (
                "it is hunter2-\u{2026} and hunt\n[.. 5 bytes left out ..]",
                "it is [secret]\u{2026} and [secret]\n[.. 5 bytes left out ..]",
            ),
            ("the hun... and hunger... and ...", "the hun... and hunger... and ..."),
        ] {
            assert_eq!(redactor.redact(text), hidden);
            assert_eq!(redactor.shows(text), text != hidden);
        }
    }

    #[test]
    fn t8_many_cuts_are_looked_at_in_one_pass() {
        let redactor = Redactor::default().and(Needle::from_secret(b"hunter2-hunter2"));
        // The text has none of the other mark: a search for that one at each cut takes minutes.
        for mark in CUTS {
            let cuts = mark.repeat(400_000 / mark.len());
            let begun = Instant::now();
            assert_eq!(redactor.redact(format!("{cuts} hunter2{mark}")), format!("{cuts} [secret]{mark}"));
            assert!(begun.elapsed() < Duration::from_mins(1), "{:?}", begun.elapsed());
        }
        assert_eq!(
            redactor.redact("hunter2\u{2026}..hunter2..\u{2026}"),
            "[secret]\u{2026}..[secret]..\u{2026}"
        );
    }

    #[test]
    fn t8_many_secrets_that_come_one_by_one_are_in_few_layers() {
        let token = |at: u32| format!("token-{at:08}-{}", "x".repeat(40));
        let mut redactor = Redactor::default();
        for at in 0..300 {
            redactor = redactor.and(Needle::from_secret(token(at).as_bytes()));
        }
        assert_eq!(
            redactor.redact(format!("{} {} {}", token(0), token(150), token(299))),
            "[secret] [secret] [secret]"
        );
        assert!(redactor.layers() < 16, "{} layers", redactor.layers());
        let forgotten = HashSet::from([id(token(150).as_bytes())]);
        assert_eq!(
            redactor.without(&forgotten).redact(format!("{} {}", token(150), token(151))),
            format!("{} [secret]", token(150))
        );
    }
}
