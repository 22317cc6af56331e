//! The patterns of a schema, compiled once per walk, with bounded work.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::time::{Duration, Instant};

use regex_lite::{Regex, RegexBuilder};

use super::budget::Budget;

/// The limits of memory tried for a compiled pattern, in bytes; the last one is the regex library's own
/// limit.
const SIZES: [usize; 4] = [SMALL, 64 << 10, 1 << 20, 10 << 20];

/// Up to this size a pattern costs one step per byte of a text.
const SMALL: usize = 4 << 10;

/// The minimum memory of a state of a compiled pattern.
const STATE: usize = 24;

/// The maximum number of steps of a match, which may be in every state at each byte. A match that could take
/// more is not started.
const MOST_STEPS: usize = 500_000_000;

/// The maximum memory of all compiled patterns of one walk.
const MOST_MEMORY: usize = 64 << 20;

/// The maximum time of one walk for compiling, and for matching patterns that are not small. Most matches are
/// far quicker than the worst case of their size, so the time is measured.
const MOST_TIME: Duration = Duration::from_secs(2);

/// The patterns that a walk has compiled.
#[derive(Default)]
pub(super) struct Patterns<'s> {
    compiled: HashMap<&'s str, Option<(Regex, usize)>>,
    memory: usize,
    time: Duration,
}

impl<'s> Patterns<'s> {
    /// Whether a text matches; `None` for a pattern of another dialect, which cannot be checked.
    pub(super) fn matches(&mut self, pattern: &'s str, text: &str, budget: &Budget) -> Option<bool> {
        let compiled = match self.compiled.entry(pattern) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(_) if self.time > MOST_TIME || self.memory > MOST_MEMORY => {
                budget.spend();
                return Some(false);
            }
            Entry::Vacant(place) => {
                let begun = Instant::now();
                let compiled = compile(pattern);
                self.time += begun.elapsed();
                self.memory += compiled.as_ref().map_or(0, |(_, size)| *size);
                place.insert(compiled)
            }
        };
        let (regex, size) = compiled.as_ref()?;
        if text.len().saturating_mul(size / STATE) > MOST_STEPS || self.time > MOST_TIME {
            // An unchecked value is refused.
            budget.spend();
        }
        if !budget.take(1 + text.len() as u64) {
            return Some(false);
        }
        let begun = (*size > SMALL).then(Instant::now);
        let matches = regex.is_match(text);
        self.time += begun.map_or(Duration::ZERO, |begun| begun.elapsed());
        Some(matches)
    }
}

/// Whether texts can be compared with the pattern.
pub(super) fn compiles(pattern: &str) -> bool {
    compile(pattern).is_some()
}

/// The pattern, and how much memory it takes at most.
fn compile(pattern: &str) -> Option<(Regex, usize)> {
    SIZES.into_iter().find_map(|size| Some((RegexBuilder::new(pattern).size_limit(size).build().ok()?, size)))
}
