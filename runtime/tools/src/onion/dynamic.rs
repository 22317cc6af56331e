//! The boundary between the compiled onion and dynamic hooks and tools.

use std::future::Future;
use std::sync::{Arc, Mutex};

use futures_util::future::{BoxFuture, Either};

use super::attempt::short_name;
use super::hook_tools::HookTools;
use super::next::{Forked, Latched};
use super::traced::{hooks_are_traced, traced};
use super::{Call, Hook, Next};
use crate::context::{DynCall, ToolContext};
use crate::services::ServiceTypes;
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::ToolDefinition;
use onionskin_definitions::error::ToolResult;
use onionskin_definitions::lock::lock;

/// A [`Hook`] as a trait object: a dynamic hook of an agent, or one of a tool's own hooks.
pub trait DynHook: Send + Sync + 'static {
    /// The name of the hook's type.
    fn name(&self) -> &'static str;

    /// The name that descriptions show.
    fn shown_name_dyn(&self) -> String;

    /// The hook for a clone of its tool; `None` if clones share it.
    fn fork(&self) -> Option<Arc<dyn DynHook>> {
        None
    }

    /// Whether the hook applies to a call. A hook with a filter passes other calls on.
    fn concerns(&self, cx: &ToolContext) -> bool {
        let _ = cx;
        true
    }

    /// Whether the hook has a filter.
    fn is_filtered(&self) -> bool {
        false
    }

    /// As [`Hook::REPEATS`].
    fn repeats(&self) -> bool;

    /// As [`Hook::services`].
    fn services_dyn(&self, taken: &mut ServiceTypes);

    /// As [`Hook::tools`].
    fn tools_dyn(&self, brought: &mut HookTools);

    /// As [`Hook::call`].
    fn call_dyn<'a>(
        &'a self,
        cx: &'a ToolContext,
        args: &'a mut Args,
        next: DynNext<'a>,
    ) -> BoxFuture<'a, ToolResult>;
}

impl<H: Hook> DynHook for H {
    fn name(&self) -> &'static str {
        short_name::<H>()
    }

    fn shown_name_dyn(&self) -> String {
        self.shown_name().unwrap_or_else(|| self.name().to_owned())
    }

    fn repeats(&self) -> bool {
        H::REPEATS
    }

    fn services_dyn(&self, taken: &mut ServiceTypes) {
        H::services(taken);
    }

    fn tools_dyn(&self, brought: &mut HookTools) {
        H::tools(brought);
    }

    fn call_dyn<'a>(
        &'a self,
        cx: &'a ToolContext,
        args: &'a mut Args,
        next: DynNext<'a>,
    ) -> BoxFuture<'a, ToolResult> {
        if hooks_are_traced() {
            return traced(cx, self.shown_name_dyn(), move || self.call(cx, args, next));
        }
        Box::pin(self.call(cx, args, next))
    }
}

/// A hook with a filter for calls.
pub struct Filtered {
    /// The hook.
    pub hook: Arc<dyn DynHook>,
    /// Whether the hook applies to a call.
    pub concerns: Arc<dyn Fn(&ToolContext) -> bool + Send + Sync>,
}

impl DynHook for Filtered {
    fn name(&self) -> &'static str {
        self.hook.name()
    }

    fn shown_name_dyn(&self) -> String {
        self.hook.shown_name_dyn()
    }

    fn concerns(&self, cx: &ToolContext) -> bool {
        (self.concerns)(cx)
    }

    fn is_filtered(&self) -> bool {
        true
    }

    fn repeats(&self) -> bool {
        self.hook.repeats()
    }

    fn services_dyn(&self, taken: &mut ServiceTypes) {
        self.hook.services_dyn(taken);
    }

    fn tools_dyn(&self, brought: &mut HookTools) {
        self.hook.tools_dyn(brought);
    }

    fn call_dyn<'a>(
        &'a self,
        cx: &'a ToolContext,
        args: &'a mut Args,
        next: DynNext<'a>,
    ) -> BoxFuture<'a, ToolResult> {
        if (self.concerns)(cx) { self.hook.call_dyn(cx, args, next) } else { Box::pin(next.run(args)) }
    }
}

/// The rest of a call, inside a dynamic hook or one with a span.
#[derive(Clone, Copy)]
pub struct DynNext<'a> {
    rest: &'a [Arc<dyn DynHook>],
    inner: &'a dyn DynCall,
    cx: &'a ToolContext,
    /// The definition that the arguments must fit.
    definition: &'a ToolDefinition,
}

impl<'a> DynNext<'a> {
    /// The rest of a call without further hooks.
    pub(crate) fn new(inner: &'a dyn DynCall, cx: &'a ToolContext, definition: &'a ToolDefinition) -> Self {
        Self { rest: &[], inner, cx, definition }
    }

    /// The rest of a call: these hooks, and the onion inside them.
    pub(super) fn around(hooks: &'a [Arc<dyn DynHook>], onion: &'a dyn DynCall, cx: &'a ToolContext) -> Self {
        Self { rest: hooks, inner: onion, cx, definition: cx.definition() }
    }

    /// Calls the next hook.
    pub(super) fn step(self, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        match self.rest.split_first() {
            Some((hook, rest)) => hook.call_dyn(self.cx, args, DynNext { rest, ..self }),
            None => self.inner.call_dyn(self.cx, args),
        }
    }
}

impl Next for DynNext<'_> {
    fn run(self, args: &mut Args) -> impl Future<Output = ToolResult> + Send {
        if args.is_uncoerced() {
            args.attach_again(&self.definition.input_schema);
        }
        let cx = self.cx;
        cx.note_arguments(args);
        Latched::new(async move { self.step(args).await }, cx)
    }

    fn fork<'n>(self, mut args: Args) -> Forked<'n>
    where
        Self: 'n,
    {
        let cx = self.cx;
        Box::pin(cx.apart(async move { self.run(&mut args).await }))
    }
}

/// Runs a hook of `agent!` in a span. `H` has no bound, because the call inside has it already, and the
/// compiler would report a type that is not a hook twice.
pub fn trace_hook<'a, H, F>(
    cx: &'a ToolContext,
    call: impl FnOnce() -> F + Send + 'a,
) -> BoxFuture<'a, ToolResult>
where
    F: Future<Output = ToolResult> + Send + 'a,
{
    traced(cx, short_name::<H>().to_owned(), call)
}

/// The rest of a call, inside a hook with a span.
pub fn traced_next<'a, C: Call>(inner: &'a C, cx: &'a ToolContext) -> DynNext<'a> {
    DynNext::around(&[], inner, cx)
}

/// The place of dynamic hooks in an onion: at `..` in `tool_hooks`, else outermost. Without dynamic hooks it
/// costs one comparison, otherwise one box per hook and one more.
pub struct Seam<C> {
    hooks: RuntimeHooks,
    inner: C,
}

/// The dynamic hooks, outermost first.
#[doc(hidden)]
#[derive(Clone, Default)]
pub struct RuntimeHooks {
    pub hooks: Arc<[Arc<dyn DynHook>]>,
    /// The compiled hooks that also apply to child runs. The composition of the onion registers them.
    reaching: Arc<Mutex<Vec<Arc<dyn DynHook>>>>,
}

impl RuntimeHooks {
    /// Creates the list from these hooks, outermost first.
    pub fn new(hooks: Arc<[Arc<dyn DynHook>]>) -> Self {
        Self { hooks, reaching: Arc::default() }
    }

    /// Registers a compiled hook that also applies to child runs.
    pub fn reaches<H: Hook>(&self, hook: &Arc<H>) {
        lock(&self.reaching).push(Arc::clone(hook) as _);
    }

    /// The compiled hooks that also apply to child runs.
    pub fn reaching(&self) -> Vec<Arc<dyn DynHook>> {
        lock(&self.reaching).clone()
    }
}

impl<C: Call> Seam<C> {
    /// Puts the hooks around an onion.
    pub fn new(hooks: RuntimeHooks, inner: C) -> Self {
        Self { hooks, inner }
    }
}

impl<C: Call> Call for Seam<C> {
    // For declared hooks only. A caller checks for dynamic hooks separately.
    const LOOKS: bool = C::LOOKS;

    #[inline]
    fn call<'a, 'b>(
        &'a self,
        cx: &'a ToolContext,
        args: &'b mut Args,
    ) -> impl Future<Output = ToolResult> + Send {
        if self.hooks.hooks.is_empty() {
            return Either::Left(self.inner.call(cx, args));
        }
        let next = DynNext::around(&self.hooks.hooks, &self.inner, cx);
        Either::Right(async move { next.step(args).await })
    }

    fn call_traced<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        let next = DynNext::around(&self.hooks.hooks, &self.inner, cx);
        Box::pin(async move { next.step(args).await })
    }
}

/// The onion of an agent as a trait object.
impl<C: Call> DynCall for C {
    fn call_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        if hooks_are_traced() { self.call_traced(cx, args) } else { Box::pin(self.call(cx, args)) }
    }
}

/// Boxes the rest of an onion after every 16 layers, so that compile time grows linearly with the number of
/// hooks.
pub struct Bulkhead(Box<dyn DynCall>);

impl Bulkhead {
    /// Erases the type of the rest, so that no type of an onion nests deeper than 16 layers.
    pub fn new(inner: impl Call) -> Self {
        Self(Box::new(inner))
    }
}

impl Call for Bulkhead {
    async fn call<'a, 'b>(&'a self, cx: &'a ToolContext, args: &'b mut Args) -> ToolResult {
        self.0.call_dyn(cx, args).await
    }

    fn call_traced<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        self.0.call_dyn(cx, args)
    }
}
