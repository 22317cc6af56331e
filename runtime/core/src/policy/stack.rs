//! One call of a tool through its own hooks and stages.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::stages::Stages;
use crate::args::Args;
use crate::context::{Place, Placed, ToolContext};
use crate::definition::ToolDefinition;
use crate::error::{Exit, ToolResult};
use crate::onion::{
    Came, Caught, ForEachClone, Hook, Latched, Next, hook_panicked, short_name, tool_panicked,
};

/// A [`Hook`] of a tool's own.
pub(crate) trait PolicyHook: Send + Sync + 'static {
    fn name(&self) -> &'static str;

    /// The hook for a clone of the tool; none if the clone shares it.
    fn fork(&self) -> Option<Arc<dyn PolicyHook>> {
        None
    }

    fn call_dyn<'a>(
        &'a self,
        cx: &'a ToolContext,
        args: &'a mut Args,
        next: PolicyNext<'a>,
    ) -> BoxFuture<'a, ToolResult>;
}

impl<H: Hook> PolicyHook for H {
    fn name(&self) -> &'static str {
        short_name::<H>()
    }

    fn call_dyn<'a>(
        &'a self,
        cx: &'a ToolContext,
        args: &'a mut Args,
        next: PolicyNext<'a>,
    ) -> BoxFuture<'a, ToolResult> {
        Box::pin(self.call(cx, args, next))
    }
}

/// A hook that each clone of a tool has a clone of.
pub(crate) struct ForEach<H>(pub(crate) H);

impl<H: Hook + ForEachClone> PolicyHook for ForEach<H> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn fork(&self) -> Option<Arc<dyn PolicyHook>> {
        Some(Arc::new(Self(self.0.for_clone())))
    }

    fn call_dyn<'a>(
        &'a self,
        cx: &'a ToolContext,
        args: &'a mut Args,
        next: PolicyNext<'a>,
    ) -> BoxFuture<'a, ToolResult> {
        self.0.call_dyn(cx, args, next)
    }
}

/// The tool, inside of its hooks and stages.
pub(crate) trait Inside: Sync {
    /// What the arguments have to fit.
    fn definition(&self) -> &ToolDefinition;

    /// Notes that the hooks let a call through.
    fn begins(&self, cx: &ToolContext);

    fn run<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult>;

    /// Why the tool would refuse these arguments, as far as that can be told before it runs.
    fn refusal(&self, cx: &ToolContext, args: &Args) -> Option<Exit>;

    /// The arguments that the tool gets in the end, but for what is filled in; none if they cannot be told.
    fn final_args(&self, args: &Args) -> Option<Args> {
        Some(args.clone())
    }
}

/// What a call of a tool goes through: hooks, the outermost first, then stages, then the tool.
#[derive(Clone, Copy)]
pub(crate) struct Stack<'a> {
    pub(crate) hooks: &'a [Arc<dyn PolicyHook>],
    pub(crate) stages: Option<&'a Stages>,
    pub(crate) inside: &'a dyn Inside,
}

impl<'a> Stack<'a> {
    /// Runs the tool through all of it. [`ToolContext::call_original`] passes the hooks by.
    ///
    /// A panic of a hook is an abort, as that of an agent's hook; the hooks see a panic of the tool as a tool error.
    pub(crate) fn run(mut self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        if cx.is_past_hooks() {
            self.hooks = &[];
        }
        let Some((hook, rest)) = self.hooks.split_first() else { return self.core(cx, args) };
        Box::pin(async move {
            // Not what the call's definition says: the value that is called may have given the parameters other names.
            args.bind_if_loose(|| &self.inside.definition().input_schema);
            cx.bound_inside();
            let came = Came::default();
            let next = PolicyNext { rest: Self { hooks: rest, ..self }, cx, came: &came };
            let call = Placed::new(cx, Place::Inside, async { hook.call_dyn(cx, args, next).await });
            let result = Caught::new(call, cx, hook_panicked).await;
            came.leave(cx, hook.name(), &result);
            result
        })
    }

    /// The tool in its stages.
    fn core(self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        let call = async move {
            self.inside.begins(cx);
            cx.bound_inside();
            match self.stages {
                Some(stages) => stages.run(cx, args, self.inside).await,
                None => self.inside.run(cx, args).await,
            }
        };
        Box::pin(Caught::new(call, cx, tool_panicked))
    }
}

/// The rest of a call from one of the tool's own hooks inwards.
#[derive(Clone, Copy)]
pub(crate) struct PolicyNext<'a> {
    rest: Stack<'a>,
    cx: &'a ToolContext,
    came: &'a Came,
}

impl Next for PolicyNext<'_> {
    fn run(self, args: &mut Args) -> impl Future<Output = ToolResult> + Send {
        args.bind_if_loose(|| &self.rest.inside.definition().input_schema);
        let call = async move {
            let result = self.rest.run(self.cx, args).await;
            self.came.note(&result);
            result
        };
        Latched::new(call, self.cx)
    }
}
