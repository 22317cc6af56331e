//! Tools with their own hooks and stages.

use std::future::Future;
use std::marker::PhantomData;

use futures_util::future::BoxFuture;

use super::{Make, Works};
use crate::context::ToolContext;
use crate::onion::Call;
use crate::policy::{Inside, Stack, ToolPolicy, fill_in};
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::{ToolDefinition, check_args};
use onionskin_definitions::error::{Exit, ToolResult};
use onionskin_definitions::requirements::StateType;

/// A tool inside its own hooks and stages; `O` is the toolbox object that it belongs to, if any.
pub trait Body<O>: 'static {
    /// The tool's definition.
    fn definition() -> &'static ToolDefinition;

    /// Runs the tool.
    fn body(of: &O, cx: &ToolContext, args: &mut Args) -> impl Future<Output = ToolResult> + Send;
}

/// A tool with its own hooks or stages, and the object that it belongs to.
pub struct Own<T, O> {
    of: O,
    policy: ToolPolicy,
    tool: PhantomData<fn() -> T>,
}

impl<T: Body<O>, O> Own<T, O> {
    /// Wraps the tool in its policy.
    pub fn new(of: O, policy: ToolPolicy) -> Self {
        Self { of, policy, tool: PhantomData }
    }

    /// The arguments with the bound values filled in.
    fn own_args(&self, cx: &ToolContext, args: &Args) -> ToolResult<Option<Args>> {
        self.policy.stages.fill().map(|fill| fill_in(fill, cx, args)).transpose()
    }

    fn explain(&self, exit: Exit) -> Exit {
        match self.policy.stages.fill() {
            Some(fill) => fill.explain(exit),
            None => exit,
        }
    }
}

impl<T: Body<O>, O: Send + Sync + 'static> Inside for Own<T, O> {
    fn definition(&self) -> &ToolDefinition {
        T::definition()
    }

    fn begins(&self, cx: &ToolContext) {
        cx.start_inside();
    }

    fn run<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let mut own = self.own_args(cx, args)?;
            let body = T::body(&self.of, cx, own.as_mut().unwrap_or(args));
            let result = cx.start(&T::definition().name, body).await;
            result.map_err(|exit| self.explain(exit))
        })
    }

    fn check_args(&self, cx: &ToolContext, args: &Args) -> ToolResult<()> {
        let own = self.own_args(cx, args)?;
        check_args(T::definition(), own.as_ref().unwrap_or(args)).map_err(|exit| self.explain(exit))
    }
}

impl<T: Body<O>, O: Send + Sync + 'static> Call for Own<T, O> {
    fn call<'a, 'b>(
        &'a self,
        cx: &'a ToolContext,
        args: &'b mut Args,
    ) -> impl Future<Output = ToolResult> + Send {
        let ToolPolicy { hooks, stages } = &self.policy;
        // Its own hooks can add rules for approval.
        let may_ask = cx.has_outer_rules() || !hooks.is_empty();
        let stages = (!stages.is_empty() || may_ask).then_some(stages);
        async move { Stack { hooks, stages, inside: self, outside: None }.run(cx, args).await }
    }
}

/// The states of two tools of a toolbox. An agent's state must fit both.
pub struct BothStates<A, B>(PhantomData<fn() -> (A, B)>);

impl<A: Works, B: Works> Works for BothStates<A, B> {
    type All = (A::All, B::All);

    fn on(into: &mut Vec<StateType>) {
        A::on(into);
        B::on(into);
    }
}

#[diagnostic::do_not_recommend]
impl<T: Default, A, B> Make<T> for BothStates<A, B> {
    fn make() -> T {
        T::default()
    }
}
