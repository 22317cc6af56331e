//! Cards under every lint that a careful crate turns on.
#![deny(warnings, missing_docs, clippy::all, clippy::pedantic, unreachable_pub, unused_qualifications)]
#![deny(missing_debug_implementations, missing_copy_implementations, unused_results, single_use_lifetimes)]
#![forbid(unsafe_code, non_camel_case_types, non_snake_case, non_upper_case_globals)]

/// The agents.
pub mod agents {
    onionskin::agent!(pub card = "cards/strict");
}

pub(crate) fn main() {
    drop(agents::BossOfAll::builder());
    let _ = onionskin::run::ToolCaller::<agents::Worker>::new();
}
