//! What a tool's own options put around its function: hooks and stages.

use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::{Make, States, Works, WorksOn};
use crate::args::Args;
use crate::context::{Place, Placed, ToolContext};
use crate::definition::{ToolDefinition, refusal};
use crate::error::{Exit, ToolResult};
use crate::life::{Inside, Life, fill_in};
use crate::onion::{
    Call, Came, Caught, Hook, InnerNext, MadeBy, Next, Values, hook_panicked, short_name, tool_panicked,
};

/// A tool with hooks of its own, as it is inside of them; `O` is the object that it belongs to, if it is a toolbox's.
pub trait Body<O>: 'static {
    /// What is known of the tool.
    fn definition() -> &'static ToolDefinition;

    /// Runs the tool.
    fn body(of: &O, cx: &ToolContext, args: &mut Args) -> impl Future<Output = ToolResult> + Send;
}

/// The inside of a tool's own hooks: the tool, in its stages.
pub struct Within<T, O> {
    of: O,
    life: Life,
    tool: PhantomData<fn() -> T>,
}

impl<T: Body<O>, O> Within<T, O> {
    /// The inside, with the object that the tool belongs to.
    pub fn new(of: O, life: Life) -> Self {
        Self { of, life, tool: PhantomData }
    }
}

impl<T: Body<O>, O: Send + Sync + 'static> Inside for Within<T, O> {
    fn definition(&self) -> &ToolDefinition {
        T::definition()
    }

    fn run<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let mut own = self.own_args(cx, args)?;
            let body = T::body(&self.of, cx, own.as_mut().unwrap_or(args));
            let result = cx.start(&T::definition().name, body).await;
            // What looks at the result stands outside of this: it sees no secret.
            cx.run().hide(result.map_err(|exit| self.explain(exit)))
        })
    }

    fn refusal(&self, cx: &ToolContext, args: &Args) -> Option<Exit> {
        match self.own_args(cx, args) {
            Ok(own) => {
                let mut own = own.unwrap_or_else(|| args.clone());
                refusal(T::definition(), &mut own).map(|exit| self.explain(exit))
            }
            Err(exit) => Some(exit),
        }
    }
}

impl<T: Body<O>, O> Within<T, O> {
    /// The arguments with what is filled in.
    fn own_args(&self, cx: &ToolContext, args: &Args) -> ToolResult<Option<Args>> {
        self.life.fill().map(|fill| fill_in(fill, cx, args)).transpose()
    }

    fn explain(&self, exit: Exit) -> Exit {
        match self.life.fill() {
            Some(fill) => fill.explain(exit),
            None => exit,
        }
    }
}

impl<T: Body<O>, O: Send + Sync + 'static> Call for Within<T, O> {
    /// A panic of the tool goes no further: the hooks outside see it as a tool error. Nor does a secret.
    fn call<'a, 'b>(
        &'a self,
        cx: &'a ToolContext,
        args: &'b mut Args,
    ) -> impl Future<Output = ToolResult> + Send {
        let call = async move {
            cx.start_inside();
            cx.bound_inside();
            let result = if self.life.is_empty() {
                cx.start(&T::definition().name, T::body(&self.of, cx, args)).await
            } else {
                self.life.run(cx, args, self).await
            };
            cx.run().hide(result)
        };
        Caught::new(call, cx, tool_panicked)
    }
}

/// A layer around a tool: it knows what the tool takes.
pub trait Own: Call {
    /// The schema of the tool's arguments.
    fn schema() -> &'static Arc<Value>;
}

impl<T: Body<O>, O: Send + Sync + 'static> Own for Within<T, O> {
    fn schema() -> &'static Arc<Value> {
        &T::definition().input_schema
    }
}

impl<H: Hook, C: Own> Own for Layer<H, C> {
    fn schema() -> &'static Arc<Value> {
        C::schema()
    }
}

/// One of a tool's own hooks around what is inside of it.
pub struct Layer<H, C> {
    hook: H,
    inner: C,
}

impl<H: Hook, C: Own> Layer<H, C> {
    /// A hook around `inner`, configured.
    pub fn new(with: Values<H>, inner: C) -> Self {
        Self { hook: <H::Made as MadeBy<H>>::configure(with), inner }
    }
}

impl<H: Hook, C: Own> Call for Layer<H, C> {
    /// A panic of the hook is an abort, as that of an agent's hook.
    async fn call<'a, 'b>(&'a self, cx: &'a ToolContext, args: &'b mut Args) -> ToolResult {
        let next = InnerNext::new(&self.inner, cx);
        if cx.is_past_hooks() {
            return next.inwards(args).await;
        }
        // Where the tool is called without an agent's hooks, nothing was bound yet.
        args.bind_if_loose(C::schema);
        cx.bound_inside();
        let came = Came::default();
        let next = OwnNext { next, came: &came };
        let call = Placed::new(cx, Place::Inside, async { self.hook.call(cx, args, next).await });
        let result = Caught::new(call, cx, hook_panicked).await;
        came.leave(cx, short_name::<H>(), &result);
        result
    }
}

/// The rest of a call inside of one of a tool's own hooks.
struct OwnNext<'a, C> {
    next: InnerNext<'a, C>,
    came: &'a Came,
}

impl<C> Clone for OwnNext<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for OwnNext<'_, C> {}

impl<C: Own> Next for OwnNext<'_, C> {
    async fn run(self, args: &mut Args) -> ToolResult {
        // Not what the call's definition says: the value that is called may have given the parameters other names.
        args.bind_if_loose(C::schema);
        let result = self.next.inwards(args).await;
        self.came.note(&result);
        result
    }
}

/// The states of two tools of a toolbox: an agent's state fits if it fits both.
pub struct BothStates<A, B>(PhantomData<fn() -> (A, B)>);

impl<A: States, B: States> States for BothStates<A, B> {
    type All = (A::All, B::All);
}

impl<A: Works, B: Works> Works for BothStates<A, B> {
    fn on(into: &mut Vec<WorksOn>) {
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
