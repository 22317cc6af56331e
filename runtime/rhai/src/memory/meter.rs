//! Adds up what a script holds while it runs.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rhai::{Dynamic, Engine, EvalAltResult, Position, Scope};

use super::super::limits::ScriptLimits;
use super::super::lock::lock;
use super::captured::Captured;
use super::need::MemoryNeed;
use super::size::Size;
use super::value_limits::Most;

/// Accesses of a function's variables between two looks at them, at most: the more is held, and the further in, the fewer.
const ACCESSES: usize = 64;
/// Beside the values of [`MemoryNeed::held`]: the result of a function, and its copy.
const RESULT: usize = 2;

/// The memory of one call.
pub(crate) struct Meter {
    frames: Mutex<Frames>,
    is_over: AtomicBool,
    /// Operations since the last look at variables: their values may be outside of variables.
    unseen: AtomicUsize,
    /// Bytes of the largest value from the script's text or the program.
    source: AtomicUsize,
    limit: usize,
    /// The most values outside of variables, in all levels of calls.
    held: usize,
    most: Most,
}

/// The variables of all levels of calls.
struct Frames {
    /// Levels that run a function of the language have none.
    levels: Vec<Option<Frame>>,
    /// The largest value so far.
    largest: usize,
    captured: Captured,
    limit: usize,
    /// Values outside of variables, in one level.
    held: usize,
    most: Most,
}

#[derive(Default)]
struct Frame {
    bytes: usize,
    /// Accesses since the last look.
    accesses: usize,
    /// Accesses until the next look.
    gap: usize,
}

impl Meter {
    pub(crate) fn new(limits: &ScriptLimits, need: MemoryNeed) -> Self {
        let (most, limit, held) = (Most::new(limits), limits.memory_bytes, need.held.saturating_add(RESULT));
        let frames =
            Frames { levels: Vec::new(), largest: 0, captured: Captured::default(), limit, held, most };
        Self {
            frames: Mutex::new(frames),
            is_over: AtomicBool::new(false),
            unseen: AtomicUsize::new(0),
            source: AtomicUsize::new(most.split(need.text).max(need.literal)),
            limit,
            held: held.saturating_mul(limits.call_depth.saturating_add(1)),
            most,
        }
    }

    /// Looks at an engine's variables while it runs.
    pub(crate) fn watch(self: &Arc<Self>, engine: &mut Engine) {
        let meter = Arc::clone(self);
        #[expect(deprecated, reason = "it is marked so as it may change, and the version is pinned")]
        engine.on_var(move |name, _, context| {
            meter.look(context.call_level(), Some(name), context.scope()).map(|()| None)
        });
        let meter = Arc::clone(self);
        #[expect(deprecated, reason = "it is marked so as it may change, and the version is pinned")]
        engine.on_def_var(move |is_run, _, context| {
            if is_run {
                meter.look(context.call_level(), None, context.scope())?;
            }
            Ok(true)
        });
    }

    /// Returns whether the script must end, after one more operation.
    pub(crate) fn is_over(&self) -> bool {
        let unseen = self.unseen.fetch_add(1, Ordering::Relaxed);
        let source = self.source.load(Ordering::Relaxed);
        if unseen.min(self.held).saturating_mul(source) > self.limit {
            self.is_over.store(true, Ordering::Relaxed);
        }
        self.is_over.load(Ordering::Relaxed)
    }

    /// Adds a value that the program passed in.
    pub(crate) fn add_value(&self, value: &Dynamic) {
        let size = Size::measure(value, self.limit);
        self.source.fetch_max(size.bytes.max(self.most.split(size.text)), Ordering::Relaxed);
    }

    /// An access of a variable, or (without a name) a new one.
    fn look(&self, level: usize, name: Option<&str>, scope: &Scope<'_>) -> Result<(), Box<EvalAltResult>> {
        self.unseen.store(0, Ordering::Relaxed);
        let source = self.source.load(Ordering::Relaxed);
        lock(&self.frames).look(level, name, scope, source).map_err(|error| {
            // The caller of a closure may catch its error, so the next operation ends the script again.
            if matches!(error, EvalAltResult::ErrorTerminated(..)) {
                self.is_over.store(true, Ordering::Relaxed);
            }
            error.into()
        })
    }
}

impl Frames {
    /// # Errors
    /// Returns an error if the call holds too much.
    fn look(
        &mut self,
        level: usize,
        name: Option<&str>,
        scope: &Scope<'_>,
        source: usize,
    ) -> Result<(), EvalAltResult> {
        self.levels.resize_with(level + 1, || None);
        let is_new = self.levels[level].is_none();
        let frame = self.levels[level].get_or_insert_default();
        frame.accesses += 1;
        let is_due = is_new || name.is_none() || frame.accesses >= frame.gap;
        if is_due {
            self.add_up(level, scope, source)?;
        }
        // After the look, because the value of this access is in the variable only at the next one.
        let variable = name.and_then(|name| scope.get(name)).filter(|variable| variable.is_shared());
        if let Some(variable) = variable {
            self.captured.reach(variable, level);
        }
        Ok(())
    }

    fn add_up(&mut self, level: usize, scope: &Scope<'_>, source: usize) -> Result<(), EvalAltResult> {
        self.captured.look(level, self.limit);
        let mut size = Size::up_to(self.limit);
        self.largest = self.largest.max(source);
        for (.., variable) in scope.iter_raw() {
            let before = size.bytes;
            (size.text, size.items, size.entries) = (0, 0, 0);
            size.add(variable);
            self.most.check(&size)?;
            self.largest = self.largest.max(size.bytes - before).max(self.most.split(size.text));
        }
        self.levels[level] = Some(Frame { bytes: size.bytes, accesses: 0, gap: 0 });
        let frames = self.levels.iter().flatten().map(|frame| {
            let unseen = self.held.saturating_add(frame.accesses).saturating_mul(self.largest);
            frame.bytes.saturating_add(unseen)
        });
        let total = frames.fold(self.captured.bytes(), usize::saturating_add);
        let free = self.limit.checked_sub(total).ok_or_else(too_much)?;
        // All that is added until the next look must fit, also in the outer functions.
        let gap = (free / 2 / self.largest.max(1)).min(ACCESSES / (level + 1)).max(1);
        self.levels[level] = Some(Frame { bytes: size.bytes, accesses: 0, gap });
        Ok(())
    }
}

fn too_much() -> EvalAltResult {
    EvalAltResult::ErrorTerminated(MEMORY, Position::NONE)
}

/// The value that ends a script that holds too much.
pub(crate) const MEMORY: Dynamic = Dynamic::TRUE;
