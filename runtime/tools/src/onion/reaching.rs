//! Hooks that apply to the calls of their agent and of all its child agents.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::dynamic::{DynHook, DynNext};
use crate::context::{DynCall, Outside, ToolContext};
use onionskin_definitions::args::Args;
use onionskin_definitions::error::ToolResult;

/// The hooks of an agent that apply to its child runs, outermost first.
struct Reaching(Arc<[Arc<dyn DynHook>]>);

/// Wraps these hooks for child runs; `None` without hooks.
pub fn reaching(hooks: Vec<Arc<dyn DynHook>>) -> Option<Arc<dyn Outside>> {
    (!hooks.is_empty()).then(|| Arc::new(Reaching(hooks.into())) as Arc<dyn Outside>)
}

/// Combines the hooks of a parent agent and of its child.
pub fn both(above: Option<Arc<dyn Outside>>, beneath: Option<Arc<dyn Outside>>) -> Option<Arc<dyn Outside>> {
    match (above, beneath) {
        (Some(above), Some(beneath)) => Some(Arc::new(Both { above, beneath })),
        (above, beneath) => above.or(beneath),
    }
}

impl Outside for Reaching {
    fn around<'a>(
        &'a self,
        onion: &'a dyn DynCall,
        cx: &'a ToolContext,
        args: &'a mut Args,
    ) -> BoxFuture<'a, ToolResult> {
        DynNext::around(&self.0, onion, cx).step(args)
    }
}

struct Both {
    above: Arc<dyn Outside>,
    beneath: Arc<dyn Outside>,
}

impl Outside for Both {
    fn around<'a>(
        &'a self,
        onion: &'a dyn DynCall,
        cx: &'a ToolContext,
        args: &'a mut Args,
    ) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let inner = Inside { beneath: &*self.beneath, onion };
            self.above.around(&inner, cx, args).await
        })
    }
}

/// The layers inside the parent's hooks.
struct Inside<'a> {
    beneath: &'a dyn Outside,
    onion: &'a dyn DynCall,
}

impl DynCall for Inside<'_> {
    fn call_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        self.beneath.around(self.onion, cx, args)
    }
}
