//! Personal data in a text that arrives in pieces.

use super::numbers::{CUE, is_separator};
use super::tokens::in_token;
use super::{Pii, iban, masked};
use crate::run_hook::DeltaFilter;

/// How much of the shown text still says what follows it.
const CONTEXT: usize = CUE + 40;

/// Masks the pieces of a text.
pub(super) struct PiiDeltas {
    pii: Pii,
    /// The end of the text so far.
    text: String,
    /// How much of it was shown.
    shown: usize,
}

impl PiiDeltas {
    pub(super) fn new(pii: Pii) -> Self {
        Self { pii, text: String::new(), shown: 0 }
    }

    /// Shows the text up to here, or up to a place before that what is found does not reach across.
    fn show(&mut self, end: usize) -> String {
        let found = self.pii.find(&self.text);
        let across = found.iter().find(|found| found.range.start < end && end < found.range.end);
        let end = across.map_or(end, |across| across.range.start).max(self.shown);
        let shown = masked(&self.text, self.shown..end, &found);
        self.shown = end;
        let from = self.shown.saturating_sub(CONTEXT);
        let from = (from..=self.shown).find(|at| self.text.is_char_boundary(*at)).unwrap_or(self.shown);
        self.text.drain(..from);
        self.shown -= from;
        shown
    }
}

impl DeltaFilter for PiiDeltas {
    fn push(&mut self, text: &str) -> String {
        self.text.push_str(text);
        let decided = decided(&self.text, self.shown);
        self.show(decided)
    }

    fn finish(&mut self) -> String {
        let shown = self.show(self.text.len());
        self.text.clear();
        self.shown = 0;
        shown
    }
}

/// The end of the text that no later piece can change: nothing that begins before it can go on behind the end of the text.
fn decided(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let end = bytes.len();
    // What joins a number or a token to the next one is a byte, or two after a dot.
    let mut decided = end.saturating_sub(2);
    let token = (from..end).rev().find(|at| !in_token(bytes[*at])).map_or(from, |at| at + 1);
    decided = decided.min(token);
    let run = (from..end).rev().find(|at| !is_in_run(bytes[*at])).map_or(from, |at| at + 1);
    decided = decided.min(run);
    let account = (from..end).rev().find(|at| !iban::in_iban(bytes[*at])).map_or(from, |at| at + 1);
    if let Some(begin) = (account..end)
        .find(|at| iban::can_begin(&bytes[*at..]) && (*at == 0 || !bytes[*at - 1].is_ascii_alphanumeric()))
    {
        decided = decided.min(begin);
    }
    let decided = decided.max(from);
    (from..=decided).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(from)
}

/// Whether a byte can be in a telephone number, or before it.
fn is_in_run(byte: u8) -> bool {
    byte.is_ascii_digit() || is_separator(byte) || byte == b'+'
}
