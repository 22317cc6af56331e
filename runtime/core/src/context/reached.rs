//! The arguments that have reached the code of a call that runs now. A question shows them, and its answer counts for them only.

use std::mem::replace;
use std::sync::Arc;

use super::{Extra, ToolContext};
use crate::args::Args;
use crate::lock::lock;

/// Arguments on their way inwards, as JSON text. Boxed twice, because nearly every layer has none.
pub(crate) type Reached = Option<Box<Arc<str>>>;

impl ToolContext {
    /// The arguments for the next layer, if they differ from those of this one and a question can be answered.
    #[inline]
    pub(crate) fn reaching(&self, args: &Args) -> Reached {
        if self.run.can_ask() { self.changed_since(args) } else { None }
    }

    #[cold]
    fn changed_since(&self, args: &Args) -> Reached {
        let text = args.text();
        let is_same = self.arguments_here().is_some_and(|here| here == text);
        (!is_same).then(|| Box::new(text))
    }

    /// Sets the arguments while a layer is polled. Layers of one call can run concurrently, with other arguments each.
    #[inline]
    pub(crate) fn at_arguments(&self, reached: &Reached) -> Option<HeldArguments> {
        reached.as_deref().map(|reached| self.hold_arguments(reached))
    }

    #[cold]
    fn hold_arguments(&self, reached: &Arc<str>) -> HeldArguments {
        let extra = self.extra();
        let before = lock(&extra.reached).replace(Arc::clone(reached));
        HeldArguments { extra, before }
    }

    /// The arguments that have reached the code that runs now; `None` outside of a run.
    pub(super) fn arguments_here(&self) -> Option<Arc<str>> {
        let reached = self.extra_if_any().and_then(|extra| lock(&extra.reached).clone());
        reached.or_else(|| self.arguments.clone())
    }
}

/// Restores the arguments of the layer outside, also after a panic.
pub(crate) struct HeldArguments {
    extra: Arc<Extra>,
    before: Option<Arc<str>>,
}

impl Drop for HeldArguments {
    fn drop(&mut self) {
        let inner = replace(&mut *lock(&self.extra.reached), self.before.take());
        drop(inner);
    }
}
