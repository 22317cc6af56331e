//! Hooks that apply to the calls of their agent and of all its child agents.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::dynamic::{DynHook, DynNext};
use crate::context::{DynCall, OuterHooks, ToolContext};
use onionskin_definitions::args::Args;
use onionskin_definitions::error::ToolResult;

/// The hooks of an agent that apply to its child runs, outermost first.
struct Reaching(Arc<[Arc<dyn DynHook>]>);

/// Wraps these hooks for child runs; `None` without hooks.
pub fn reaching(hooks: Vec<Arc<dyn DynHook>>) -> Option<Arc<dyn OuterHooks>> {
    (!hooks.is_empty()).then(|| Arc::new(Reaching(hooks.into())) as Arc<dyn OuterHooks>)
}

/// Combines the hooks of a parent agent and of its child.
pub fn both(
    parent: Option<Arc<dyn OuterHooks>>,
    child: Option<Arc<dyn OuterHooks>>,
) -> Option<Arc<dyn OuterHooks>> {
    match (parent, child) {
        (Some(parent), Some(child)) => Some(Arc::new(Both { parent, child })),
        (parent, child) => parent.or(child),
    }
}

impl OuterHooks for Reaching {
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
    parent: Arc<dyn OuterHooks>,
    child: Arc<dyn OuterHooks>,
}

impl OuterHooks for Both {
    fn around<'a>(
        &'a self,
        onion: &'a dyn DynCall,
        cx: &'a ToolContext,
        args: &'a mut Args,
    ) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let inner = Inside { child: &*self.child, onion };
            self.parent.around(&inner, cx, args).await
        })
    }
}

/// The layers inside the parent's hooks.
struct Inside<'a> {
    child: &'a dyn OuterHooks,
    onion: &'a dyn DynCall,
}

impl DynCall for Inside<'_> {
    fn call_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        self.child.around(self.onion, cx, args)
    }
}
