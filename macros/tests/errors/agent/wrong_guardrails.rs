// Each of the mistakes is reported once.
use onionskin::{agent, guardrails::RejectInjection, tool};

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

agent! { Made { instruction: "Help.", input_guardrails: [MaskPii::new()] } }

agent! { Placed { instruction: "Help.", output_guardrails: [RejectInjection, ..] } }

agent! { Twice {
    instruction: "Help.",
    function_tools: [add_one],
    output_guardrails: [RejectInjection for [add_one] except [add_one]],
} }

agent! { Unserved { instruction: "Help.", output_guardrails: [RejectInjection for [server(web)]] } }

agent! { Bare { instruction: "Help.", output_guardrails: [max_output 5] } }

fn main() {}
