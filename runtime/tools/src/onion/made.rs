//! The `Made` types, which describe how lists construct hooks and guardrails.

use std::marker::PhantomData;
use std::sync::Arc;

use super::Hook;
use crate::context::Works;

/// Describes how lists construct a hook or a guardrail `H`, and which agent state it takes.
///
/// Programs do not implement it: their `Made` is one of the types in `made`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the `Made` of `{H}`",
    label = "not one of the types in `onionskin::made`",
    note = "use `made::ByDefault` if lists build it with `Default`, `made::FromValues<(u32,)>` if from values (`limit(3)`), `made::AtRunTime` if it is only added at run time"
)]
pub trait MadeBy<H> {
    /// The agent state that it takes: `State<S>`, or `()` for none.
    type State;

    /// The values in parentheses after its name in a list, as a tuple; `()` for none.
    type Values;

    /// The names of the values, from the `#[config]` parameters of a function.
    const NAMES: &'static [&'static str] = &[];

    /// Whether the hook is typed, and so part of a ring.
    #[doc(hidden)]
    const TYPED: bool = false;

    /// The name of a typed hook's tool.
    #[doc(hidden)]
    const TOOL: Option<&'static str> = None;

    /// The number of values; `None` if lists cannot name it.
    #[doc(hidden)]
    const TAKES: Option<usize> = Some(0);

    /// Constructs it from its values.
    fn configure(values: Self::Values) -> H;
}

/// The `Made` of a hook or a guardrail that lists construct with [`Default`]. `S` is the agent state that it
/// takes: `State<S>`, or `()` for none.
///
/// ```
/// use onionskin::{Args, Hook, Next, ToolContext, ToolResult, agent, made};
///
/// #[derive(Default)]
/// struct CityOnly;
///
/// impl Hook for CityOnly {
///     type Made = made::ByDefault;
///
///     async fn call<N: Next>(&self, _cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
///         if args.get("city").is_none() { Err("name a city".into()) } else { next.run(args).await }
///     }
/// }
///
/// agent! { Guide { instruction: "Guide.", tool_hooks: [CityOnly] } }
/// ```
pub struct ByDefault<S = ()>(PhantomData<fn() -> S>);

/// The `Made` of a hook or a guardrail that is added at run time, and that lists cannot name. `S` is the
/// agent state that it takes: `State<S>`, or `()` for none.
///
/// ```
/// use onionskin::{Args, Hook, Next, ToolContext, ToolResult, ToolSpec, call, made, tool};
///
/// #[derive(Clone)]
/// struct Only(&'static str);
///
/// impl Hook for Only {
///     type Made = made::AtRunTime;
///
///     async fn call<N: Next>(&self, _cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
///         if args["city"] != self.0 { Err("not there".into()) } else { next.run(args).await }
///     }
/// }
///
/// /// Tells the weather.
/// #[tool]
/// fn weather(city: &str) -> String {
///     format!("fine in {city}")
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let spec = weather::spec().hook(Only("Rome"));
/// assert_eq!(call!(spec, city = "Ys").await.unwrap_err().to_string(), "not there");
/// # });
/// ```
pub struct AtRunTime<S = ()>(PhantomData<fn() -> S>);

/// The `Made` of a hook or a guardrail that lists construct from the values after its name, as in `limit(3)`.
/// `V` is the tuple of the values' types, and the hook implements `From<V>`. `S` is the agent state that it
/// takes: `State<S>`, or `()` for none.
///
/// ```
/// use onionskin::{Args, Hook, Inject, Next, State, ToolContext, ToolResult, agent, made};
///
/// #[derive(Clone, Default)]
/// struct Account {
///     calls: u32,
/// }
///
/// /// Refuses further calls after a number of them.
/// struct Limit(u32);
///
/// impl From<(u32,)> for Limit {
///     fn from((calls,): (u32,)) -> Self {
///         Self(calls)
///     }
/// }
///
/// impl Hook for Limit {
///     type Made = made::FromValues<(u32,), State<Account>>;
///
///     async fn call<N: Next>(&self, cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
///         let account = State::<Account>::inject(cx)?;
///         account.update(|account| account.calls += 1);
///         if account.latest().calls > self.0 { Err("no more calls".into()) } else { next.run(args).await }
///     }
/// }
///
/// agent! { Clerk { instruction: "Work.", state: Account, tool_hooks: [Limit(3)] } }
/// ```
pub struct FromValues<V, S = ()>(PhantomData<fn() -> (V, S)>);

/// The types of the values after a name in a list: a tuple of one to eight types.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tuple of values",
    label = "write `({Self},)` for one value",
    note = "a list gives values in parentheses, `limit(3)`, and they arrive as a tuple: `FromValues<(u32,)>`; without values write \
            `made::ByDefault`"
)]
pub trait ListValues<H> {
    #[doc(hidden)]
    const COUNT: usize;

    #[doc(hidden)]
    fn make(self) -> H;
}

macro_rules! list_values {
    ($($count:literal: $($name:ident)*;)*) => {$(
        impl<Made: From<($($name,)*)>, $($name),*> ListValues<Made> for ($($name,)*) {
            const COUNT: usize = $count;

            fn make(self) -> Made {
                self.into()
            }
        }
    )*};
}

list_values! { 1: A; 2: A B; 3: A B C; 4: A B C D; 5: A B C D E; 6: A B C D E F; 7: A B C D E F G; 8: A B C D E F G H; }

/// A hook of a [`ToolSpec`](crate::ToolSpec), which is cloned with the tool.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not `Clone`, so clones of the `ToolSpec` could not have a hook each",
    label = "not `Clone`",
    note = "give an `Arc` of the hook, which all clones of the tool then share, or make the hook and its values `Clone`"
)]
pub trait ForEachClone {
    #[doc(hidden)]
    #[must_use]
    fn for_clone(&self) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: Clone> ForEachClone for T {
    fn for_clone(&self) -> Self {
        self.clone()
    }
}

/// The values in parentheses after a hook's name in `agent!`.
pub type Values<H> = <<H as Hook>::Made as MadeBy<H>>::Values;

/// The agent state that a hook takes.
pub type StateOf<H> = <<H as Hook>::Made as MadeBy<H>>::State;

/// The values of a hook or a guardrail that a list cannot name.
#[derive(Debug, Clone, Copy)]
pub enum Never {}

/// Constructed as `M` describes, inside an [`Arc`].
pub struct InArc<M>(PhantomData<fn() -> M>);

impl<H: Default, S: Works> MadeBy<H> for ByDefault<S> {
    type State = S;
    type Values = ();

    fn configure((): ()) -> H {
        H::default()
    }
}

#[diagnostic::do_not_recommend]
impl<H, S: Works> MadeBy<H> for AtRunTime<S> {
    type State = S;
    type Values = Never;
    const TAKES: Option<usize> = None;

    fn configure(never: Never) -> H {
        match never {}
    }
}

impl<H, V: ListValues<H>, S: Works> MadeBy<H> for FromValues<V, S> {
    type State = S;
    type Values = V;
    const TAKES: Option<usize> = Some(V::COUNT);

    fn configure(values: V) -> H {
        values.make()
    }
}

#[diagnostic::do_not_recommend]
impl<H, M: MadeBy<H>> MadeBy<Arc<H>> for InArc<M> {
    type State = M::State;
    type Values = M::Values;
    const NAMES: &'static [&'static str] = M::NAMES;
    const TYPED: bool = M::TYPED;
    const TOOL: Option<&'static str> = M::TOOL;
    const TAKES: Option<usize> = M::TAKES;

    fn configure(values: M::Values) -> Arc<H> {
        Arc::new(M::configure(values))
    }
}
