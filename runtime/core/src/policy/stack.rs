//! One call of a tool through its own hooks and stages.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::stages::Stages;
use crate::args::Args;
use crate::context::{AtDepth, Depth, ToolContext};
use crate::definition::ToolDefinition;
use crate::error::{Exit, ToolResult};
use crate::onion::{
    Came, Caught, ForEachClone, Hook, Latched, Next, hook_panicked, short_name, tool_panicked,
};

/// One of a tool's own [`Hook`]s.
pub(crate) trait PolicyHook: Send + Sync + 'static {
    fn name(&self) -> &'static str;

    /// The hook for a clone of the tool; `None` if the clone shares it.
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

/// A hook that is cloned with its tool.
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

/// The tool inside its hooks and stages.
pub(crate) trait Inside: Sync {
    /// The definition that the arguments have to fit.
    fn definition(&self) -> &ToolDefinition;

    /// Records that the hooks passed a call on.
    fn begins(&self, cx: &ToolContext);

    fn run<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult>;

    /// The refusal of these arguments, as far as it is known before the tool runs.
    fn refusal(&self, cx: &ToolContext, args: &Args) -> Option<Exit>;

    /// The final arguments of the tool without filled-in values; `None` if they are unknown.
    fn final_args(&self, args: &Args) -> Option<Args> {
        Some(args.clone())
    }
}

/// The layers of a tool's calls: hooks, the outermost first, then stages, then the tool.
#[derive(Clone, Copy)]
pub(crate) struct Stack<'a> {
    pub(crate) hooks: &'a [Arc<dyn PolicyHook>],
    pub(crate) stages: Option<&'a Stages>,
    pub(crate) inside: &'a dyn Inside,
}

impl<'a> Stack<'a> {
    /// Runs the tool through all layers. [`ToolContext::call_original`] skips the hooks.
    ///
    /// A panic of a hook is an abort, as for an agent's hook. The hooks see a panic of the tool as a tool error.
    pub(crate) fn run(mut self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        if cx.is_past_hooks() {
            self.hooks = &[];
        }
        let Some((hook, rest)) = self.hooks.split_first() else { return self.core(cx, args) };
        Box::pin(async move {
            // The call's definition is not used here, because the tool value can have renamed the parameters.
            args.attach_if_uncoerced(|| &self.inside.definition().input_schema);
            cx.timeout_is_inner();
            let came = Came::default();
            let next = PolicyNext { rest: Self { hooks: rest, ..self }, cx, came: &came };
            let call = AtDepth::new(cx, Depth::Inside, async { hook.call_dyn(cx, args, next).await });
            let result = Caught::new(call, cx, hook_panicked).await;
            came.leave(cx, hook.name(), &result);
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
            // The hooks see no secret, neither of the tool nor of a stage.
            cx.run().hide(result)
        };
        Box::pin(Caught::new(call, cx, tool_panicked))
    }
}

/// The rest of a call, inside one of the tool's own hooks.
#[derive(Clone, Copy)]
pub(crate) struct PolicyNext<'a> {
    rest: Stack<'a>,
    cx: &'a ToolContext,
    came: &'a Came,
}

impl Next for PolicyNext<'_> {
    fn run(self, args: &mut Args) -> impl Future<Output = ToolResult> + Send {
        args.attach_if_uncoerced(|| &self.rest.inside.definition().input_schema);
        let call = async move {
            let result = self.rest.run(self.cx, args).await;
            self.came.note(&result);
            result
        };
        Latched::new(call, self.cx)
    }
}
