//! Personal data in a text that arrives in pieces.

use super::folded::Folded;
use super::json::{JsonDeltas, Numbers};
use super::numbers::CUE;
use super::{Pii, PiiMatch, Search, apart, in_original, masked};
use onionskin_core::run_hooks::DeltaFilter;

/// How much of the shown text still says what follows it.
const CONTEXT: usize = CUE + 40;

/// Masks the pieces of a text. The shown text is behind the arrived text by as much as a match can have: some hundred bytes at most.
pub(super) struct PiiDeltas {
    pii: Pii,
    /// The end of the text so far.
    text: String,
    /// The same as it is searched; the places below are in it.
    folded: Folded,
    /// How much of it was shown.
    shown: usize,
    search: Search,
    /// What was found behind the shown text.
    found: Vec<PiiMatch>,
}

impl PiiDeltas {
    pub(super) fn new(pii: Pii) -> Self {
        Self {
            pii,
            text: String::new(),
            folded: Folded::default(),
            shown: 0,
            search: Search::default(),
            found: Vec::new(),
        }
    }

    /// Shows the text that no later piece can change.
    fn show(&mut self, is_end: bool) -> String {
        self.pii.search(&mut self.search, &self.folded.text, is_end, &mut self.found);
        let decided = if is_end { self.folded.text.len() } else { self.search.decided() };
        if decided <= self.shown {
            return String::new();
        }
        let found = apart(self.found.clone());
        let across = found.iter().find(|found| found.range.start < decided && decided < found.range.end);
        let end = across.map_or(decided, |across| across.range.start);
        let part = self.folded.begin(self.shown)..self.folded.begin(end);
        let shown = masked(&self.text, part, &in_original(&self.folded, found));
        self.shown = end;
        self.forget();
        shown
    }

    /// Forgets the shown text, but for its end.
    fn forget(&mut self) {
        self.found.retain(|found| found.range.end > self.shown);
        let from = self.folded.text.floor_char_boundary(self.shown.saturating_sub(CONTEXT));
        self.text.drain(..self.folded.forget(from));
        self.shown -= from;
        self.search.forget(from);
        for found in &mut self.found {
            found.range = found.range.start - from..found.range.end - from;
        }
    }
}

impl DeltaFilter for PiiDeltas {
    fn push(&mut self, text: &str) -> String {
        self.text.push_str(text);
        self.folded.push(text);
        self.show(false)
    }

    fn finish(&mut self) -> String {
        let shown = self.show(true);
        *self = Self::new(self.pii.clone());
        shown
    }
}

/// Masks the pieces of a text, which may be JSON.
pub(super) enum TextDeltas {
    /// With what becomes of numbers if it is JSON.
    Plain(PiiDeltas, Numbers),
    Json(JsonDeltas),
}

impl DeltaFilter for TextDeltas {
    fn push(&mut self, text: &str) -> String {
        match self {
            Self::Plain(plain, _) => plain.push(text),
            Self::Json(json) => json.push(text),
        }
    }

    fn finish(&mut self) -> String {
        match self {
            Self::Plain(plain, _) => plain.finish(),
            Self::Json(json) => json.finish(),
        }
    }

    fn expect_json(&mut self) {
        if let Self::Plain(plain, numbers) = self {
            *self = Self::Json(JsonDeltas::new(plain.pii.clone(), *numbers));
        }
    }
}
