//! The onion that the compiler composed for an agent.

use std::sync::Arc;

use onionskin_tools::context::DynCall;
use onionskin_tools::onion::{Call, Core, Definitions, RuntimeHooks};

/// Builds an agent's onion around its dynamic hooks.
pub(crate) type OnionBuilder = fn(RuntimeHooks) -> Onion;

/// A compiled onion.
#[doc(hidden)]
pub struct Onion {
    pub(crate) entry: Arc<dyn DynCall>,
    pub(crate) core: Arc<dyn DynCall>,
    pub(crate) definitions: Definitions,
}

impl Onion {
    pub fn new<C: Call>(core: &Arc<impl Core>, entry: C) -> Self {
        let definitions = core.definitions();
        Self { entry: Arc::new(entry), core: Arc::clone(core) as _, definitions }
    }
}
