//! Guardrails of an agent: each mistake is reported once.
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

//~ a hook
agent! { Hooked { instruction: "Help.", input_guardrails: [audit] } }

//~ an input guardrail for the output
agent! { Swapped { instruction: "Help.", output_guardrails: [short] } }

//~ a guardrail that is made at run time
agent! { Unmade { instruction: "Help.", output_guardrails: [Moderation] } }

//~ a guardrail without its values
agent! { Valueless { instruction: "Help.", output_guardrails: [RejectInjection, max_output] } }

//~ a guardrail of another state
agent! { Stateless { instruction: "Help.", input_guardrails: [booked] } }

fn main() {}
