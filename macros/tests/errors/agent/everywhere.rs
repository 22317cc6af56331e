// Each of the mistakes is reported once.
use onionskin::{agent, guardrails::MaskPii, tool_hook};

#[tool_hook]
fn audit() {}

agent! { More { instruction: "Help.", tool_hooks: [audit for [everywhere, source(mcp)]] } }

agent! { Except { instruction: "Help.", tool_hooks: [audit except [everywhere]] } }

agent! { Guarded { instruction: "Help.", output_guardrails: [MaskPii for [everywhere]] } }

fn main() {}
