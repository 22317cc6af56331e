//! Calls of a tool value: its own hooks, the added stages, the change of names, and the tool.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::param_changes::ParamChanges;
use super::toolspec::ToolSpec;
use crate::context::{DynCall, OuterNames, ToolContext, in_state, timed};
use crate::policy::{Inside, Stack, Stages, fill_in};
use crate::tool::{DynTool, run_fitted};
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::{ToolDefinition, refuse_lost};
use onionskin_definitions::error::{Exit, ToolResult};
use onionskin_definitions::requirements::StateType;

/// The tool with its own parameter names, and with bound and hidden values filled in.
struct Filled<'s>(&'s ToolSpec);

impl Inside for Filled<'_> {
    fn definition(&self) -> &ToolDefinition {
        self.0.definition()
    }

    fn begins(&self, cx: &ToolContext) {
        if !self.0.hooks.is_empty() {
            cx.start_by_hooks();
        }
    }

    fn run<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        Box::pin(filled(self.0, cx, args))
    }

    fn check_args(&self, cx: &ToolContext, args: &Args) -> ToolResult<()> {
        let spec = self.0;
        if spec.is_as_written() {
            return spec.tool().check_args_dyn(cx, args);
        }
        let own = filled_args(spec, cx, args)?;
        spec.tool().check_args_dyn(cx, &own).map_err(|exit| outwards(spec, exit))
    }

    fn final_args(&self, args: &Args) -> Option<Args> {
        if self.0.is_as_written() { Some(args.clone()) } else { own_args(self.0, args).ok() }
    }
}

/// Runs the tool with its own arguments. The hooks' arguments stay unchanged, so that outer layers do not see
/// filled-in values.
async fn filled(spec: &ToolSpec, cx: &ToolContext, args: &mut Args) -> ToolResult {
    refuse_lost(spec.name(), args)?;
    if spec.is_as_written() {
        return started(spec, cx, args).await;
    }
    let mut own = filled_args(spec, cx, args)?;
    let call = started(spec, cx, &mut own);
    let result = if cx.has_outer_rules() && !spec.shape.is_plain() {
        let names = VisibleNames { shape: Arc::clone(&spec.shape), visible: Arc::clone(&spec.definition) };
        Box::pin(cx.renamed(&(Arc::new(names) as _), call)).await
    } else {
        call.await
    };
    result.map_err(|exit| outwards(spec, exit))
}

/// The visible names of a tool value.
struct VisibleNames {
    shape: Arc<ParamChanges>,
    visible: Arc<ToolDefinition>,
}

impl OuterNames for VisibleNames {
    fn outer_args(&self, own: &Args) -> Args {
        self.shape.outer_args(&self.visible, own)
    }
}

/// Starts the tool itself. A tool with its own hooks or stages starts its function inside them.
async fn started(spec: &ToolSpec, cx: &ToolContext, args: &mut Args) -> ToolResult {
    let call = async {
        match spec.added.tool() {
            // A tool that runs the additions itself checks its arguments inside them, with the filled-in
            // values.
            Some(tool) => tool.run_dyn(cx, args).await,
            None => run_fitted(&**spec.tool(), cx, args).await,
        }
    };
    let own = &spec.own;
    if own.layers.is_some() || !cx.entry().starts_inside {
        timed(cx, call).await
    } else {
        cx.start(&own.name, call).await
    }
}

/// The tool's own arguments, with filled-in values.
fn filled_args(spec: &ToolSpec, cx: &ToolContext, args: &Args) -> ToolResult<Args> {
    let own = own_args(spec, args)?;
    match spec.added.fill() {
        Some(fill) => fill_in(fill, cx, &own).map_err(|exit| translate(spec, exit)),
        None => Ok(own),
    }
}

/// The tool's exit in terms of the visible names.
fn outwards(spec: &ToolSpec, exit: Exit) -> Exit {
    let exit = match spec.added.fill() {
        Some(fill) => fill.explain(exit),
        None => exit,
    };
    translate(spec, exit)
}

fn translate(spec: &ToolSpec, exit: Exit) -> Exit {
    spec.shape.translate(spec.definition(), &spec.own, exit)
}

/// The arguments under the tool's own names.
fn own_args(spec: &ToolSpec, args: &Args) -> ToolResult<Args> {
    spec.shape.own_args(spec.definition(), &spec.own, &spec.own_view, args)
}

/// Runs the tool inside its own hooks.
async fn run(spec: &ToolSpec, cx: &ToolContext, args: &mut Args) -> ToolResult {
    if !spec.hooks.is_empty() && !cx.is_inside() {
        cx.start_behind_hooks();
    }
    // The rules of the agent and of hooks for approval are stages of the innermost value. Its own hooks can add some.
    let has_hooks = !spec.hooks.is_empty();
    let asks = (has_hooks || cx.has_outer_rules() && cx.entry().starts_inside) && spec.own.layers.is_none();
    let stages = if asks { spec.added.around_always() } else { spec.added.around() };
    Stack { hooks: &spec.hooks, stages, inside: &Filled(spec), outside: None }.run(cx, args).await
}

impl DynCall for ToolSpec {
    fn call_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        self.run_dyn(cx, args)
    }

    fn check(&self, cx: &ToolContext, args: &Args) -> ToolResult<()> {
        self.check_args_dyn(cx, args)
    }
}

impl DynTool for ToolSpec {
    fn definition(&self) -> &ToolDefinition {
        Self::definition(self)
    }

    fn run_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        Box::pin(in_state(async move { run(self, cx, args).await }, cx, &self.state))
    }

    /// The inner tool's own arguments are checked later.
    fn fit_args_dyn(&self, _: &ToolContext, _: &mut Args) -> ToolResult<()> {
        Ok(())
    }

    /// If a hook or a guardrail of this value can still change the arguments, they are checked inside it.
    fn check_args_dyn(&self, cx: &ToolContext, args: &Args) -> ToolResult<()> {
        let can_change = !self.hooks.is_empty() || self.added.around().is_some_and(Stages::can_change_args);
        if can_change { Ok(()) } else { Filled(self).check_args(cx, args) }
    }

    fn states(&self) -> Vec<StateType> {
        self.state_types().to_vec()
    }
}
