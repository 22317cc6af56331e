//! States whose types have arguments, or are not paths: as an option's value they are written as everywhere else.
use std::collections::HashMap;

use onionskin::{Args, ToolOutput, agent, guardrail, tool, tool_hook};

#[derive(Clone, Default)]
struct Stored<K, V> {
    first: K,
    second: V,
}

/// Says the first.
#[tool(state = Stored<String, (i64, u8)>, name = "first")]
fn first(#[bind(first)] first: &str, #[bind(second.0)] second: i64) -> String {
    format!("{first} {second}")
}

/// Says the first of the same state.
#[tool(state = self::Stored::<String, (i64, u8)>)]
fn turbofish(#[bind(first)] first: &str, #[bind(second.1)] second: u8) -> String {
    format!("{first} {second}")
}

#[tool_hook(state = Stored<String, (i64, u8)>, before)]
fn before(#[bind(first)] _first: &str) {}

#[guardrail(input, state = Stored<String, (i64, u8)>)]
fn input(_args: &Args, #[bind(first)] _first: &str) {}

#[guardrail(state = Stored<String, (i64, u8)>, output)]
fn output(_output: &ToolOutput, #[bind(second.1)] _second: u8) {}

agent! {
    Keeper {
        instruction: "Keep.",
        function_tools: [first, turbofish],
        tool_hooks: [before],
        state: Stored<String, (i64, u8)>,
    }
}

/// Guards.
#[tool(state = HashMap<String, i64>, input_guardrails = [map], hooks = [list])]
fn map_state() -> u8 {
    0
}

#[guardrail(input, state = HashMap<String, i64>)]
fn map(_args: &Args) {}

#[tool_hook(state = HashMap<String, i64>)]
fn list() {}

/// Takes a list.
#[tool(state = Vec<i64>)]
fn list_state() -> u8 {
    0
}

/// Takes a tuple.
#[tool(state = (i64, <Vec<String> as IntoIterator>::Item))]
fn pair_state() -> u8 {
    0
}

agent! {
    Mapper {
        instruction: "Map.",
        function_tools: [map_state],
        state: HashMap<String, i64>,
    }
}

pub(crate) fn main() {}
