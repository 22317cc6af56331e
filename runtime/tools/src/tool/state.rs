//! Compile-time checks of the state that a tool takes against the agent's state.

use crate::context::State;

/// Constructs the tool `T` for `agent!`. `Self` is the tool's state, so that a type that does not implement
/// `Tool` gets no second error.
#[diagnostic::on_unimplemented(
    message = "`agent!` cannot make the tool `{T}` from its name",
    label = "has no `Default`",
    note = "derive `Default` for it, or write a function with `#[tool]`"
)]
pub trait Make<T> {
    #[doc(hidden)]
    fn make() -> T;
}

#[diagnostic::do_not_recommend]
impl<T: Default> Make<T> for () {
    fn make() -> T {
        T::default()
    }
}

#[diagnostic::do_not_recommend]
impl<T: Default, S> Make<T> for State<S> {
    fn make() -> T {
        T::default()
    }
}

/// A state of a tool or a hook that fits the agent's state `S`.
#[diagnostic::on_unimplemented(
    message = "the state types differ: this takes `{Self}`, and the agent's state is `{S}`",
    label = "works on another state than the agent's `{S}`",
    note = "change the agent's state, `state: ..` (without it, the state is `()`), or the state that this takes (`State<..>`, \
            `state = ..`)"
)]
pub trait FitsState<S> {
    #[doc(hidden)]
    const FITS: () = ();
}

#[diagnostic::do_not_recommend]
impl<S> FitsState<S> for () {}

/// The state of a hook that also applies to child agents: none.
#[diagnostic::on_unimplemented(
    message = "a hook everywhere cannot take an agent's state, and this takes `{Self}`",
    label = "the agents below have other states",
    note = "name the hook in `tool_hooks` of each agent with this state, or take values from `SessionState` or a service"
)]
pub trait ReachesInner {
    #[doc(hidden)]
    const REACHES: () = ();
}

#[diagnostic::do_not_recommend]
impl ReachesInner for () {}

/// A state of a tool's own hook or guardrail that fits the tool's state `S`.
#[diagnostic::on_unimplemented(
    message = "the state types differ: this takes `{Self}`, and the tool takes `State<{S}>`",
    label = "works on another state than the tool",
    note = "a tool and its own hooks and guardrails share the agent's state: change one of the two"
)]
pub trait FitsTool<S> {
    /// Checks the bound at the span that the macro chooses.
    #[doc(hidden)]
    const FITS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<S> FitsTool<S> for () {}

#[diagnostic::do_not_recommend]
impl<S> FitsTool<S> for State<S> {}

#[diagnostic::do_not_recommend]
impl<S> FitsState<S> for State<S> {}

impl<S, A: FitsState<S>, B: FitsState<S>> FitsState<S> for (A, B) {}
