//! Calls of a tool through its own hooks and stages.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::inside::Inside;
use super::stages::Stages;
use crate::context::{Depth, DynCall, ToolContext, at_depth};
use crate::onion::{
    Caught, DynHook, DynNext, ForEachClone, Hook, HookTools, LastInner, hook_panicked, tool_panicked,
};
use crate::services::ServiceTypes;
use onionskin_definitions::args::Args;
use onionskin_definitions::error::ToolResult;

/// A hook that is cloned with its tool.
pub(crate) struct ForEach<H>(pub(crate) H);

impl<H: Hook + ForEachClone> DynHook for ForEach<H> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn fork(&self) -> Option<Arc<dyn DynHook>> {
        Some(Arc::new(Self(self.0.for_clone())))
    }

    fn shown_name_dyn(&self) -> String {
        self.0.shown_name().unwrap_or_else(|| self.name().to_owned())
    }

    fn repeats(&self) -> bool {
        H::REPEATS
    }

    fn services_dyn(&self, taken: &mut ServiceTypes) {
        self.0.services_dyn(taken);
    }

    fn tools_dyn(&self, brought: &mut HookTools) {
        self.0.tools_dyn(brought);
    }

    fn call_dyn<'a>(
        &'a self,
        cx: &'a ToolContext,
        args: &'a mut Args,
        next: DynNext<'a>,
    ) -> BoxFuture<'a, ToolResult> {
        self.0.call_dyn(cx, args, next)
    }
}

/// The layers of a tool's calls: hooks, outermost first, then stages, then the tool.
#[derive(Clone, Copy)]
pub(crate) struct Stack<'a> {
    pub(crate) hooks: &'a [Arc<dyn DynHook>],
    pub(crate) stages: Option<&'a Stages>,
    pub(crate) inside: &'a dyn Inside,
    /// Records the result for the next outer hook.
    pub(crate) outside: Option<&'a LastInner>,
}

impl<'a> Stack<'a> {
    /// Runs the tool through all layers. [`ToolContext::call_original`] skips the hooks.
    ///
    /// A panic of a hook is an abort, as for an agent's hook. The hooks see a panic of the tool as a tool
    /// error.
    pub(crate) fn run(mut self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        if cx.is_past_hooks() {
            self.hooks = &[];
        }
        let Some((hook, rest)) = self.hooks.split_first() else { return self.core(cx, args) };
        Box::pin(async move {
            // Not the call's definition, because the tool value can have renamed the parameters.
            if args.is_uncoerced() {
                args.attach_again(&self.inside.definition().input_schema);
            }
            cx.timeout_is_inner();
            let inner = LastInner::default();
            let rest = Stack { hooks: rest, outside: Some(&inner), ..self };
            let next = DynNext::new(&rest, cx, self.inside.definition());
            let call = async { hook.call_dyn(cx, args, next).await };
            let call = at_depth(cx, Depth::Inside, call);
            let result = Caught::new(call, cx, hook_panicked).await;
            inner.leave(cx, hook.name(), &result);
            self.note(&result);
            result
        })
    }

    /// Runs the tool in its stages.
    fn core(self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        let call = async move {
            self.inside.begins(cx);
            cx.timeout_is_inner();
            let result = match self.stages {
                Some(stages) => stages.run(cx, args, self.inside).await,
                None => self.inside.run(cx, args).await,
            };
            // Redact the result of the tool and the stages before the hooks see it.
            cx.run().hide(result)
        };
        Box::pin(async move {
            let result = Caught::new(call, cx, tool_panicked).await;
            self.note(&result);
            result
        })
    }

    fn note(&self, result: &ToolResult) {
        if let Some(inner) = self.outside {
            inner.note(result);
        }
    }
}

impl DynCall for Stack<'_> {
    fn call_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        self.run(cx, args)
    }
}
