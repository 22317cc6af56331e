//! The user's types may have names that one would think of for generated ones.
#![deny(warnings)]

use onionskin::{Args, State, guardrail, tool};

#[derive(Clone)]
struct States;

#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Veil {
    value: u8,
}

#[guardrail(input)]
fn check(args: &Args, state: State<States>) {
    let States = *state;
    let _ = args;
}

/// With layers.
#[tool(cache, input_guardrails = [check])]
fn layered(state: State<States>, veil: Veil) -> Veil {
    let States = *state;
    veil
}

/// Without.
#[tool]
fn plain(state: State<States>, veil: Veil) -> Veil {
    let States = *state;
    veil
}

pub(crate) fn main() {
    let _ = (layered::spec(), plain::spec());
}
