//! The ready hooks and guardrails of onionskin, which cards name by their paths.

use std::borrow::Cow;

/// The prefix of the paths of ready hooks.
const CRATE: &str = "::onionskin::";

/// The paths of the ready hooks and guardrails, and of their tools, that cards can name in each program.
pub const READY_HOOKS: [&str; 25] = [
    "::onionskin::hooks::log",
    "::onionskin::hooks::timing",
    "::onionskin::hooks::retry",
    "::onionskin::hooks::timeout",
    "::onionskin::hooks::rate_limit",
    "::onionskin::hooks::circuit_breaker",
    "::onionskin::hooks::concurrency",
    "::onionskin::hooks::require_approval",
    "::onionskin::hooks::dedupe",
    "::onionskin::hooks::clamp_argument",
    "::onionskin::hooks::redact",
    "::onionskin::hooks::cache_results",
    "::onionskin::hooks::spill",
    "::onionskin::hooks::read_spilled",
    "::onionskin::turn_hooks::last_inputs",
    "::onionskin::turn_hooks::last_tokens",
    "::onionskin::turn_hooks::choose_tool",
    "::onionskin::turn_hooks::summarize_above",
    "::onionskin::guardrails::max_input",
    "::onionskin::guardrails::max_answer",
    "::onionskin::guardrails::max_args",
    "::onionskin::guardrails::max_output",
    "::onionskin::guardrails::MaskPii",
    "::onionskin::guardrails::RejectPii",
    "::onionskin::guardrails::RejectInjection",
];

/// The path of the ready hook or guardrail for a path without a crate: `hooks::retry`.
pub fn ready_hook_at(path: &str) -> Option<&'static str> {
    READY_HOOKS.into_iter().find(|ready| ready.strip_prefix(CRATE) == Some(path))
}

/// The path of the ready hook or guardrail of this name.
pub fn ready_hook(name: &str) -> Option<&'static str> {
    READY_HOOKS.into_iter().find(|ready| ready.rsplit("::").next() == Some(name))
}

/// The ready hooks whose values are types of Rust. A card gives numbers and texts in their place, to the hook of the same name in
/// `onionskin::hooks::cards`.
const OF_PLAIN_VALUES: [&str; 7] = [
    "timeout",
    "rate_limit",
    "circuit_breaker",
    "require_approval",
    "clamp_argument",
    "redact",
    "cache_results",
];

/// The path by which Rust names what a card names by `path`, both without the crate.
pub fn path_in_cards(path: &str) -> Cow<'_, str> {
    match path.strip_prefix("hooks::") {
        Some(hook) if OF_PLAIN_VALUES.contains(&hook) => format!("hooks::cards::{hook}").into(),
        Some(_) | None => path.into(),
    }
}
