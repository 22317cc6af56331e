//! Toolboxes: objects whose methods are tools.

use std::sync::Arc;

use super::DynTool;

/// An object whose methods are tools that share it. `#[toolbox]` on an `impl` block implements it.
///
/// An agent names the type in `toolboxes: [..]` and is given the object when it is built; each call borrows it, so
/// what changes in it lives behind a lock or an atomic.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a toolbox",
    label = "not a toolbox",
    note = "write `#[toolbox]` on an `impl` block of the type and `#[tool]` on the methods that are tools"
)]
pub trait Toolbox: Send + Sync + Sized + 'static {
    /// The type's name.
    const NAME: &'static str;

    /// The names of its tools.
    const TOOLS: &'static [&'static str];

    /// The state that its tools work on: `State<S>` if one takes it, else `()`. `agent!` compares it with the
    /// agent's.
    type State;

    /// Text for the system prompt of agents that have it.
    const INSTRUCTIONS: Option<&'static str> = None;

    /// The tools, bound to this object; in the order of [`Self::TOOLS`].
    fn tools(this: &Arc<Self>) -> Vec<Arc<dyn DynTool>>;
}
