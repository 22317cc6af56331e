//! How much a call of a script may use.

use std::time::Duration;

const MOST_CALLS: usize = 256;
/// Enough for a call with the deepest expressions in a build without optimisation.
const STACK_OF_A_CALL: usize = 2 * 1024 * 1024;

/// How much one call of a script may use.
///
/// The sizes of one value are looked at where it is made, passed or changed by a function or an operator: what is put in place
/// with `a[i] = value` is looked at by itself. All that a call holds is within [`Self::memory_bytes`], however it got there.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScriptLimits {
    /// Operations. Default 1 000 000.
    pub operations: u64,
    /// Time. Default 5 seconds; `Duration::MAX` is no limit.
    pub time: Duration,
    /// Calls of functions inside of each other. Default 32, and 256 at most: a script that is given more is not loaded.
    pub call_depth: usize,
    /// Bytes of one string, or of all strings of one value. Default 256 KiB.
    pub string_bytes: usize,
    /// Items of one array, those of arrays inside of it counted. Default 10 000.
    pub array_items: usize,
    /// Entries of one map, those of maps inside of it counted. Default 10 000.
    pub map_entries: usize,
    /// Bytes of all that a call holds at once: its variables in all functions that run, and what their expressions may copy
    /// of them. Default 64 MiB. It is an estimate, and high rather than low: the more a script's functions call each other
    /// and the more arguments its calls have, the earlier it ends.
    pub memory_bytes: usize,
    /// Bytes of the script's text. Default 64 KiB.
    pub code_bytes: usize,
}

impl Default for ScriptLimits {
    fn default() -> Self {
        Self {
            operations: 1_000_000,
            time: Duration::from_secs(5),
            call_depth: 32,
            string_bytes: 256 * 1024,
            array_items: 10_000,
            map_entries: 10_000,
            memory_bytes: 64 * 1024 * 1024,
            code_bytes: 64 * 1024,
        }
    }
}

impl ScriptLimits {
    /// Why no thread could hold to them.
    pub(super) fn refused(&self) -> Option<String> {
        let depth = self.call_depth;
        (depth > MOST_CALLS)
            .then(|| format!("`call_depth` is {depth}, and {MOST_CALLS} is the most that a script can have"))
    }

    /// The stack that a call needs, in bytes; memory that is not used is not taken.
    pub(super) fn stack(&self) -> usize {
        self.call_depth.clamp(32, MOST_CALLS) * STACK_OF_A_CALL
    }
}
