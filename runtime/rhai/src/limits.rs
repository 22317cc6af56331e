//! The limits of a call of a script.

use std::time::Duration;

const MOST_CALLS: usize = 256;
/// Enough for a call with the deepest expressions in a build without optimisation.
const STACK_OF_A_CALL: usize = 2 * 1024 * 1024;

/// The limits of one call of a script.
///
/// A call that exceeds one ends with a tool error of kind [`Limit`](onionskin_core::ErrorKind::Limit), or of kind
/// [`Timeout`](onionskin_core::ErrorKind::Timeout) for [`Self::time`].
///
/// ```
/// use onionskin::rhai::{Script, ScriptLimits};
///
/// let mut limits = ScriptLimits::default();
/// limits.operations = 10_000;
/// let script = Script::new("fn one() { 1 }").limits(limits);
/// # drop(script);
/// ```
///
/// The size of a value is checked when a function or an operator makes, passes or changes it; with `a[i] = value`, only `value`
/// is checked. [`Self::memory_bytes`] bounds everything that a call holds.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScriptLimits {
    /// Maximum number of operations: steps of Rhai's evaluator, including the steps of closures. Default: 1,000,000.
    pub operations: u64,
    /// Maximum time. It is compared at every 64th operation, so a function of the program that the script calls is not
    /// interrupted. `Duration::MAX` means no limit. Default: 5 seconds.
    pub time: Duration,
    /// Maximum depth of calls of functions, at most 256: a larger limit is an error of [`from_code`](super::from_code).
    /// Default: 32.
    pub call_depth: usize,
    /// Maximum number of bytes of one string, or of all strings of one value. Default: 256 KiB.
    pub string_bytes: usize,
    /// Maximum number of items of one array, including the items of nested arrays. Default: 10,000.
    pub array_items: usize,
    /// Maximum number of entries of one map, including the entries of nested maps. Default: 10,000.
    pub map_entries: usize,
    /// Maximum number of bytes that a call holds at once: the variables of all running functions, and the copies that
    /// their expressions may make. The number is an estimate, and rather too high: a script with deeper calls and more
    /// arguments ends earlier. Default: 64 MiB.
    pub memory_bytes: usize,
    /// Maximum number of bytes of the text of the script: a longer one is an error of [`from_code`](super::from_code).
    /// Default: 64 KiB.
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
    /// Why no thread can satisfy these limits.
    pub(super) fn refused(&self) -> Option<String> {
        let depth = self.call_depth;
        (depth > MOST_CALLS)
            .then(|| format!("`call_depth` is {depth}, and {MOST_CALLS} is the most that a script can have"))
    }

    /// The stack that a call needs, in bytes. Unused memory is not allocated.
    pub(super) fn stack(&self) -> usize {
        self.call_depth.clamp(32, MOST_CALLS) * STACK_OF_A_CALL
    }
}
