//! The tools that a registry can make.

use onionskin_core::Tool;

/// A tool that is made anew for each agent: a `#[tool]` function, or a type with [`Tool`] and [`Default`]. Programs do not implement it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool that cards can name",
    label = "not a tool that can be made",
    note = "write `#[tool]` on the function and name the function here; a type that implements `Tool` needs `Default` too",
    note = "a hook is registered with `tool_hook`, `run_hook`, `turn_hook` or `message_hook`, a toolbox with `toolbox`, an agent with \
            `agent`"
)]
pub trait RegisteredTool: Tool + Default {}

#[diagnostic::do_not_recommend]
impl<T: Tool + Default> RegisteredTool for T {}
