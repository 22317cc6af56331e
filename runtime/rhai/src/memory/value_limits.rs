//! `Most` limits one value.

use rhai::{Engine, EvalAltResult, Position};

use super::super::limits::ScriptLimits;
use super::size::Size;

/// Bytes that one function of the language makes of a letter: a text of its own in an array.
const SPLIT: usize = 64;

/// The limits of one value.
#[derive(Clone, Copy)]
pub(crate) struct Most {
    pub(crate) text: usize,
    items: usize,
    entries: usize,
}

impl Most {
    pub(super) fn new(limits: &ScriptLimits) -> Self {
        Self { text: limits.string_bytes, items: limits.array_items, entries: limits.map_entries }
    }

    /// The limits of an engine.
    pub(crate) fn from_engine(engine: &Engine) -> Self {
        Self {
            text: engine.max_string_size(),
            items: engine.max_array_size(),
            entries: engine.max_map_size(),
        }
    }

    /// Rhai checks a value when it is passed, and not when it grows in place.
    ///
    /// # Errors
    /// Returns an error if the value exceeds the limits.
    pub(crate) fn check(self, size: &Size) -> Result<(), EvalAltResult> {
        match self {
            _ if size.text > self.text => Err(too_large("Length of string")),
            _ if size.items > self.items => Err(too_large("Size of array")),
            _ if size.entries > self.entries => Err(too_large("Size of object map")),
            _ => Ok(()),
        }
    }

    /// # Errors
    /// Returns an error if a text of that many bytes is too long.
    pub(crate) fn check_text(self, bytes: usize) -> Result<(), EvalAltResult> {
        if bytes > self.text { Err(too_large("Length of string")) } else { Ok(()) }
    }

    /// The size that a function of the language may make of a text.
    pub(super) fn split(self, text: usize) -> usize {
        let items = text.min(self.items.saturating_add(self.entries));
        text.saturating_add(items.saturating_mul(SPLIT))
    }
}

fn too_large(what: &str) -> EvalAltResult {
    EvalAltResult::ErrorDataTooLarge(what.to_owned(), Position::NONE)
}
