//! Tools: what `#[tool]`, `#[toolbox]` and `#[bind]` make of functions.
#![allow(missing_docs, dead_code, unreachable_pub, reason = "tools of one module are named in others")]
#![allow(clippy::unwrap_used, clippy::pedantic, reason = "tests say what they expect")]

mod bind;
mod bind_hooks;
mod blocking;
mod never_begun;
mod strict;
mod tool_macro;
mod tool_states;
mod toolbox;
