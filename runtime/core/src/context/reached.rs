//! The arguments that have reached the code of a call that runs now. A question shows them, and its answer counts for them only.

use std::sync::Arc;

use super::{Extra, ToolContext};
use crate::args::Args;
use crate::lock::lock;

/// Arguments on their way inwards: the number of their text among those of the call. It is a number, because each layer has one, and nearly
/// every layer has the arguments of the one outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reached(u32);

impl Reached {
    /// Those of the layer outside.
    pub(crate) const UNCHANGED: Self = Self(0);
}

/// The texts of arguments that differ from those with which the call began.
#[derive(Default, Clone)]
pub(super) struct ReachedTexts {
    texts: Vec<Arc<str>>,
    /// That of the code that runs now.
    now: u32,
}

impl ReachedTexts {
    fn here(&self) -> Option<&Arc<str>> {
        self.texts.get(usize::try_from(self.now).ok()?.checked_sub(1)?)
    }
}

impl ToolContext {
    /// Brings the arguments that a hook passes on into what the tool gets, so that the hooks inside see it.
    #[cold]
    #[inline(never)]
    pub(crate) fn pass(&self, args: &mut Args) -> Reached {
        args.attach_again(&self.definition().input_schema);
        if !self.run.can_ask() {
            return Reached::UNCHANGED;
        }
        args.watch();
        self.reaching(args)
    }

    /// The arguments for the next layer, if they differ from those of this one and a question can be answered.
    pub(crate) fn reaching(&self, args: &Args) -> Reached {
        if !self.run.can_ask() {
            return Reached::UNCHANGED;
        }
        let text = args.text();
        if self.arguments_here().is_some_and(|here| here == text) {
            return Reached::UNCHANGED;
        }
        let extra = self.extra();
        let mut reached = lock(&extra.reached);
        let at = reached.texts.iter().position(|known| *known == text).unwrap_or(reached.texts.len());
        if at == reached.texts.len() {
            reached.texts.push(text);
        }
        // No call has so many texts that the numbers end.
        Reached(u32::try_from(at + 1).unwrap_or(u32::MAX))
    }

    /// Sets the arguments while a layer is polled. Layers of one call can run concurrently, with other arguments each.
    pub(crate) fn at_arguments(&self, reached: Reached) -> Option<HeldArguments> {
        (reached != Reached::UNCHANGED).then(|| self.hold_arguments(reached))
    }

    /// As [`Self::at_arguments`], for other arguments than those of the layer outside.
    pub(crate) fn hold_arguments(&self, reached: Reached) -> HeldArguments {
        let extra = self.extra();
        let before = std::mem::replace(&mut lock(&extra.reached).now, reached.0);
        HeldArguments { extra, before }
    }

    /// The arguments that have reached the code that runs now; `None` outside of a run.
    pub(super) fn arguments_here(&self) -> Option<Arc<str>> {
        let reached = self.extra_if_any().and_then(|extra| lock(&extra.reached).here().cloned());
        reached.or_else(|| self.arguments.clone())
    }
}

/// Restores the arguments of the layer outside, also after a panic.
pub(crate) struct HeldArguments {
    extra: Arc<Extra>,
    before: u32,
}

impl Drop for HeldArguments {
    fn drop(&mut self) {
        lock(&self.extra.reached).now = self.before;
    }
}
