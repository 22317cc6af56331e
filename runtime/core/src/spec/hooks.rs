//! A tool's own hooks, and what stands inside of them: what is added, the change of names, and the tool.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::toolspec::ToolSpec;
use crate::args::Args;
use crate::context::timed;
use crate::context::{Place, Placed, ToolContext};
use crate::definition::{ToolDefinition, refuse_lost};
use crate::error::{Exit, ToolResult};
use crate::life::{Inside, fill_in};
use crate::onion::{
    Came, Caught, ForEachClone, Hook, Latched, Next, hook_panicked, short_name, tool_panicked,
};

/// A [`Hook`] of a tool's own.
pub(super) trait SpecHook: Send + Sync + 'static {
    fn name(&self) -> &'static str;

    /// The hook for a clone of the tool.
    fn fork(&self) -> Arc<dyn SpecHook>;

    fn call_dyn<'a>(
        &'a self,
        cx: &'a ToolContext,
        args: &'a mut Args,
        next: SpecNext<'a>,
    ) -> BoxFuture<'a, ToolResult>;
}

impl<H: Hook + ForEachClone> SpecHook for H {
    fn name(&self) -> &'static str {
        short_name::<H>()
    }

    fn fork(&self) -> Arc<dyn SpecHook> {
        Arc::new(self.for_clone())
    }

    fn call_dyn<'a>(
        &'a self,
        cx: &'a ToolContext,
        args: &'a mut Args,
        next: SpecNext<'a>,
    ) -> BoxFuture<'a, ToolResult> {
        Box::pin(self.call(cx, args, next))
    }
}

/// The rest of a call from one of the tool's own hooks inwards.
#[derive(Clone, Copy)]
pub(super) struct SpecNext<'a> {
    rest: &'a [Arc<dyn SpecHook>],
    spec: &'a ToolSpec,
    cx: &'a ToolContext,
    came: &'a Came,
}

impl Next for SpecNext<'_> {
    fn run(self, args: &mut Args) -> impl Future<Output = ToolResult> + Send {
        args.bind_if_loose(|| &self.spec.definition().input_schema);
        let call = async move {
            let result = step(self, args).await;
            self.came.note(&result);
            result
        };
        Latched::new(call, self.cx)
    }
}

fn step<'a>(next: SpecNext<'a>, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
    let SpecNext { spec, cx, .. } = next;
    match next.rest.split_first() {
        Some((hook, rest)) => Box::pin(async move {
            let came = Came::default();
            let inside = SpecNext { rest, came: &came, ..next };
            let call = Placed::new(cx, Place::Inside, async { hook.call_dyn(cx, args, inside).await });
            let result = Caught::new(call, cx, hook_panicked).await;
            came.leave(cx, hook.name(), &result);
            result
        }),
        None => Box::pin(async move {
            cx.start_by_hooks();
            Caught::new(async { inside(spec, cx, args).await }, cx, tool_panicked).await
        }),
    }
}

/// What stands inside of the tool's own hooks.
async fn inside(spec: &ToolSpec, cx: &ToolContext, args: &mut Args) -> ToolResult {
    match spec.added.around() {
        Some(life) => life.run(cx, args, &Filled(spec)).await,
        None => filled(spec, cx, args).await,
    }
}

struct Filled<'s>(&'s ToolSpec);

impl Inside for Filled<'_> {
    fn definition(&self) -> &ToolDefinition {
        self.0.definition()
    }

    fn run<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        // What looks at the result stands outside of this: it sees no secret.
        Box::pin(async move { cx.run().hide(filled(self.0, cx, args).await) })
    }

    fn refusal(&self, cx: &ToolContext, args: &Args) -> Option<Exit> {
        let spec = self.0;
        if spec.is_as_written() {
            return spec.tool().refusal_dyn(&mut args.clone());
        }
        match taken(spec, cx, args) {
            Ok(mut own) => spec.tool().refusal_dyn(&mut own).map(|exit| outwards(spec, exit)),
            Err(exit) => Some(exit),
        }
    }

    fn final_args(&self, args: &Args) -> Option<Args> {
        if self.0.is_as_written() { Some(args.clone()) } else { own_args(self.0, args).ok() }
    }
}

/// The tool with the arguments that it takes. Those that the hooks hold stay as they are: nobody outside sees what is
/// filled in, nor a secret that comes out again.
async fn filled(spec: &ToolSpec, cx: &ToolContext, args: &mut Args) -> ToolResult {
    refuse_lost(spec.name(), args)?;
    if spec.is_as_written() {
        return started(spec, cx, args).await;
    }
    let mut own = taken(spec, cx, args)?;
    let result = started(spec, cx, &mut own).await;
    cx.run().hide(result.map_err(|exit| outwards(spec, exit)))
}

/// The tool itself. One with hooks or stages of its own starts its function inside of them.
async fn started(spec: &ToolSpec, cx: &ToolContext, args: &mut Args) -> ToolResult {
    let call = spec.tool().run_dyn(cx, args);
    let own = spec.own_definition();
    if own.starts_inside || !cx.entry().starts_inside {
        timed(cx, call).await
    } else {
        cx.start(&own.name, call).await
    }
}

/// The arguments that the tool takes.
fn taken(spec: &ToolSpec, cx: &ToolContext, args: &Args) -> ToolResult<Args> {
    let own = own_args(spec, args)?;
    match spec.added.fill() {
        Some(fill) => fill_in(fill, cx, &own).map_err(|exit| translate(spec, exit)),
        None => Ok(own),
    }
}

/// What the tool ended with, as it is seen.
fn outwards(spec: &ToolSpec, exit: Exit) -> Exit {
    let exit = match spec.added.fill() {
        Some(fill) => fill.explain(exit),
        None => exit,
    };
    translate(spec, exit)
}

fn translate(spec: &ToolSpec, exit: Exit) -> Exit {
    spec.shape().translate(spec.definition(), spec.own_definition(), exit)
}

/// The arguments by the tool's own names.
fn own_args(spec: &ToolSpec, args: &Args) -> ToolResult<Args> {
    spec.shape().own_args(spec.definition(), spec.own_definition(), args)
}

/// Runs the tool behind its own hooks.
pub(super) async fn run(spec: &ToolSpec, cx: &ToolContext, args: &mut Args) -> ToolResult {
    cx.bound_inside();
    if spec.hooks().is_empty() {
        return inside(spec, cx, args).await;
    }
    let came = Came::default();
    // `call_original` passes the hooks by.
    let hooks = if cx.is_past_hooks() { &[] } else { spec.hooks() };
    if !cx.is_inside() {
        cx.start_behind_hooks();
    }
    step(SpecNext { rest: hooks, spec, cx, came: &came }, args).await
}
