// Each of the mistakes is reported once.
use onionskin::{Args, State, agent, guardrail, guardrails::{Moderation, RejectInjection, max_output}, tool_hook};

#[tool_hook]
fn audit() {}

#[guardrail(input)]
fn short(args: &Args) {
    let _ = args;
}

#[derive(Clone)]
struct Ledger;

#[guardrail(input)]
fn booked(ledger: State<Ledger>) {
    let _ = ledger;
}

agent! { Hooked { instruction: "Help.", input_guardrails: [audit] } }

agent! { Swapped { instruction: "Help.", output_guardrails: [short] } }

agent! { Unmade { instruction: "Help.", output_guardrails: [Moderation] } }

agent! { Valueless { instruction: "Help.", output_guardrails: [RejectInjection, max_output] } }

agent! { Stateless { instruction: "Help.", input_guardrails: [booked] } }

fn main() {}
