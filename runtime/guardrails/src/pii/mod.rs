//! Personal data in texts: what counts, where it is, and guardrails that mask or refuse it.

mod folded;
mod guardrails;
mod iban;
mod json;
mod numbers;
mod stream;
mod tokens;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::ops::Range;

pub use guardrails::{MaskPii, RejectPii};
use serde::{Deserialize, Serialize};

use self::folded::Folded;
use self::json::{JsonDeltas, Numbers};
use self::stream::{PiiDeltas, TextDeltas};
use super::pace::{Pace, parts};
use onionskin_core::run_hooks::DeltaFilter;

/// A kind of personal data that [`Pii`] finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PiiKind {
    /// An email address.
    Email,
    /// A telephone number: international, North American, national with a leading zero, or after a word such as "call".
    Phone,
    /// The number of a payment card, with a correct check digit.
    Card,
    /// A social security number of the United States.
    Ssn,
    /// An international bank account number, with correct check digits.
    Iban,
    /// A public address of the internet protocol, version 4 or 6.
    Ip,
}

impl PiiKind {
    /// All kinds.
    pub const ALL: [Self; 6] = [Self::Email, Self::Phone, Self::Card, Self::Ssn, Self::Iban, Self::Ip];

    /// The kind as a word, such as `email`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Phone => "phone",
            Self::Card => "card",
            Self::Ssn => "ssn",
            Self::Iban => "iban",
            Self::Ip => "ip",
        }
    }
}

impl fmt::Display for PiiKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One place with personal data in a text. It does not hold the data.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PiiMatch {
    /// The kind.
    pub kind: PiiKind,
    /// The place in the text, in bytes.
    pub range: Range<usize>,
}

/// Finds personal data in texts: by its form, and by check digits where there are some. Names, addresses and birthdays of people
/// have no form, so it does not find them. The book says how often it is right on a set of labelled texts.
///
/// ```
/// use onionskin::guardrails::{Pii, PiiKind};
///
/// let pii = Pii::new();
/// assert_eq!(pii.mask("Write to ada@example.org or call +44 20 7946 0018."), "Write to [email] or call [phone].");
/// assert_eq!(pii.mask("Order 4111-2026 of 2026-11-22 costs 10.50."), "Order 4111-2026 of 2026-11-22 costs 10.50.");
///
/// let cards = Pii::only([PiiKind::Card]);
/// assert_eq!(cards.find("4111 1111 1111 1111")[0].range, 0..19);
/// assert!(cards.find("ada@example.org").is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pii {
    kinds: Vec<PiiKind>,
}

impl Default for Pii {
    fn default() -> Self {
        Self::new()
    }
}

impl Pii {
    /// Finds all kinds.
    pub fn new() -> Self {
        Self::only(PiiKind::ALL)
    }

    /// Finds these kinds only.
    pub fn only(kinds: impl IntoIterator<Item = PiiKind>) -> Self {
        Self { kinds: kinds.into_iter().collect() }
    }

    /// The places with personal data, in the order of the text. They do not overlap. Digits, letters, blanks and hyphens of
    /// other widths and scripts are read as ASCII, and invisible characters are ignored.
    pub fn find(&self, text: &str) -> Vec<PiiMatch> {
        let mut found = Vec::new();
        if text.is_ascii() {
            self.search(&mut Search::default(), text, true, &mut found);
            return apart(found);
        }
        let folded = Folded::new(text);
        self.search(&mut Search::default(), &folded.text, true, &mut found);
        in_original(&folded, apart(found))
    }

    fn search(&self, search: &mut Search, text: &str, is_end: bool, found: &mut Vec<PiiMatch>) {
        let mut add = |kind, range| {
            if self.kinds.contains(&kind) {
                found.push(PiiMatch { kind, range });
            }
        };
        search.tokens.search(text, is_end, &mut add);
        search.accounts.search(text, is_end, &mut add);
        search.numbers.search(text, is_end, &mut add);
    }

    /// The text with the kind in place of the data: `[email]`. Borrowed if nothing is found.
    pub fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let found = self.find(text);
        if found.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(masked(text, 0..text.len(), &found)) }
    }

    /// As [`Self::find`], and gives way between the parts of a long text.
    async fn find_in_parts(&self, text: &str, pace: &mut Pace) -> Vec<PiiMatch> {
        let (mut folded, mut search, mut found) = (Folded::default(), Search::default(), Vec::new());
        for part in parts(text) {
            pace.part(part.len()).await;
            folded.push(part);
            self.search(&mut search, &folded.text, false, &mut found);
        }
        self.search(&mut search, &folded.text, true, &mut found);
        in_original(&folded, apart(found))
    }

    /// The text with the kinds in place of the data; `None` if nothing is found.
    async fn change(&self, text: &str, pace: &mut Pace) -> Option<String> {
        let found = self.find_in_parts(text, pace).await;
        (!found.is_empty()).then(|| masked(text, 0..text.len(), &found))
    }

    /// Masks the texts that `each` passes to a function one after the other, and that become what it returns. They are searched between two
    /// such passes, of which the first changes nothing.
    async fn change_each<T>(
        &self,
        all: &mut T,
        each: impl Fn(&mut T, &mut dyn FnMut(&str) -> Option<String>),
    ) {
        let mut texts = Vec::new();
        each(all, &mut |text| {
            texts.push(text.to_owned());
            None
        });
        let (mut changed, mut pace) = (HashMap::new(), Pace::default());
        for text in texts {
            if let Some(masked) = self.change(&text, &mut pace).await {
                changed.insert(text, masked);
            }
        }
        if !changed.is_empty() {
            each(all, &mut |text| changed.get(text).cloned());
        }
    }

    /// The JSON text with the kinds in place of the data in its strings. `None` if no value changes.
    async fn change_json(&self, text: &str) -> Option<String> {
        let (mut filter, mut pace) = (JsonDeltas::new(self.clone(), Numbers::Stay), Pace::default());
        let mut masked = String::new();
        for part in parts(text) {
            pace.part(part.len()).await;
            masked.push_str(&filter.push(part));
        }
        masked.push_str(&filter.finish());
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
        let is_same = masked == text || value(text).is_some_and(|old| value(&masked) == Some(old));
        (!is_same).then_some(masked)
    }

    /// A filter that masks the pieces of a text. All of them together are what [`Self::mask`] makes of the whole text. In an answer of a
    /// type it masks the strings of the JSON by value, and its numbers stay.
    ///
    /// ```
    /// use onionskin::guardrails::Pii;
    /// use onionskin::run_hooks::DeltaFilter as _;
    ///
    /// let mut filter = Pii::new().deltas();
    /// let shown = [filter.push("It is ada@exam"), filter.push("ple.org, I think."), filter.finish()];
    /// assert_eq!(shown.concat(), "It is [email], I think.");
    /// ```
    #[must_use]
    pub fn deltas(&self) -> impl DeltaFilter + 'static {
        TextDeltas::Plain(PiiDeltas::new(self.clone()), Numbers::Stay)
    }

    /// As [`Self::deltas`], with strings in place of numbers that are personal data.
    fn deltas_of_numbers_too(&self) -> impl DeltaFilter + 'static {
        TextDeltas::Plain(PiiDeltas::new(self.clone()), Numbers::Masked)
    }
}

/// The places in which the searches of a text are. Each goes over the text once, also if it arrives in pieces.
#[derive(Default)]
struct Search {
    tokens: tokens::Tokens,
    accounts: iban::Accounts,
    numbers: numbers::Numbers,
}

impl Search {
    /// The end of the text in which each match is found that begins there, whatever follows.
    fn decided(&self) -> usize {
        self.tokens.at.min(self.accounts.at).min(self.numbers.at)
    }

    /// The text is without its first bytes now, which are decided.
    fn forget(&mut self, bytes: usize) {
        self.tokens.forget(bytes);
        self.accounts.at -= bytes;
        self.numbers.forget(bytes);
    }
}

/// The matches in the order of the text. Those that overlap are one, of the kind of the first and longest.
fn apart(mut found: Vec<PiiMatch>) -> Vec<PiiMatch> {
    let order = |kind| match kind {
        PiiKind::Email | PiiKind::Ip => 0,
        PiiKind::Iban => 1,
        PiiKind::Phone | PiiKind::Card | PiiKind::Ssn => 2,
    };
    found.sort_by_key(|found| (found.range.start, usize::MAX - found.range.end, order(found.kind)));
    let mut apart: Vec<PiiMatch> = Vec::with_capacity(found.len());
    for next in found {
        match apart.last_mut() {
            Some(last) if next.range.start < last.range.end => {
                last.range.end = last.range.end.max(next.range.end);
            }
            _ => apart.push(next),
        }
    }
    apart
}

/// The same matches in the original text.
fn in_original(folded: &Folded, mut found: Vec<PiiMatch>) -> Vec<PiiMatch> {
    for found in &mut found {
        found.range = folded.begin(found.range.start)..folded.end(found.range.end);
    }
    found
}

/// A part of the text with the kinds in place of the data. No match is partly inside of it.
fn masked(text: &str, part: Range<usize>, found: &[PiiMatch]) -> String {
    let mut shown = String::with_capacity(part.len());
    let mut from = part.start;
    for found in found.iter().filter(|found| part.start <= found.range.start && found.range.end <= part.end) {
        shown.push_str(&text[from..found.range.start]);
        shown.push('[');
        shown.push_str(found.kind.as_str());
        shown.push(']');
        from = found.range.end;
    }
    shown.push_str(&text[from..part.end]);
    shown
}

/// The kinds in these texts, as words.
async fn kinds_in<'t>(pii: &Pii, texts: impl IntoIterator<Item = &'t str>) -> Option<String> {
    let (mut kinds, mut pace) = (BTreeSet::new(), Pace::default());
    for text in texts {
        kinds.extend(pii.find_in_parts(text, &mut pace).await.into_iter().map(|found| found.kind));
    }
    let words: Vec<_> = kinds.iter().map(|kind| kind.as_str()).collect();
    (!words.is_empty()).then(|| words.join(", "))
}
