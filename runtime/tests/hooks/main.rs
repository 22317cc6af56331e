//! Hooks: their order, their errors, what they see and what they may do.

mod aborts;
mod everywhere;
mod filters;
mod hook_errors;
mod hook_macro;
mod misspelt;
mod onion;
mod original;
mod panics;
mod typed_outside_of_own;
