//! Tools: what `#[tool]`, `#[toolbox]` and `#[bind]` make of functions.
#![allow(unreachable_pub, reason = "tools of one module are named in others")]

mod bind;
mod bind_hooks;
mod blocking;
mod strict;
mod tool_macro;
mod tool_states;
mod toolbox;
