//! The ready hooks and guardrails of onionskin, which cards name by their paths.

/// The prefix of the paths of ready hooks.
const CRATE: &str = "::onionskin::";

/// The paths of the ready hooks and guardrails that cards can name in each program.
pub const READY_HOOKS: [&str; 14] = [
    "::onionskin::hooks::log",
    "::onionskin::hooks::timing",
    "::onionskin::hooks::retry",
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
