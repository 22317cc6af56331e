//! Hooks that apply to the calls of their agent and of all its child agents.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::dynamic::{DynHook, DynNext};
use crate::context::{DynCall, OuterHooks, ToolContext};
use onionskin_definitions::args::Args;
use onionskin_definitions::error::ToolResult;

/// The hooks of an agent that apply to its child runs, inside those of its own parents.
struct Reaching {
    parents: Option<Arc<dyn OuterHooks>>,
    own: Arc<[Arc<dyn DynHook>]>,
}

/// Puts an agent's hooks, outermost first, inside the hooks of its parents, for its child runs; `None` without hooks.
pub fn reaching(
    parents: Option<Arc<dyn OuterHooks>>,
    own: &Arc<[Arc<dyn DynHook>]>,
) -> Option<Arc<dyn OuterHooks>> {
    if own.is_empty() { parents } else { Some(Arc::new(Reaching { parents, own: Arc::clone(own) })) }
}

impl OuterHooks for Reaching {
    fn around<'a>(
        &'a self,
        onion: &'a dyn DynCall,
        cx: &'a ToolContext,
        args: &'a mut Args,
    ) -> BoxFuture<'a, ToolResult> {
        match &self.parents {
            None => DynNext::around(&self.own, onion, cx).step(args),
            Some(parents) => Box::pin(async move {
                let inside = Inside { own: &self.own, onion };
                parents.around(&inside, cx, args).await
            }),
        }
    }
}

/// The layers inside the hooks of the parents.
struct Inside<'a> {
    own: &'a [Arc<dyn DynHook>],
    onion: &'a dyn DynCall,
}

impl DynCall for Inside<'_> {
    fn call_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        DynNext::around(self.own, self.onion, cx).step(args)
    }
}
