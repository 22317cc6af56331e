//! The user's own types are called as those of the prelude and of the runtime.
#![allow(dead_code, non_camel_case_types)]
use onionskin::{agent, tool, tool_hook};

struct String; struct Result; struct Option; struct Vec; struct Box; struct Some; struct Ok; struct Err; struct None;
struct Default; struct Clone; struct Debug; struct Agent; struct Tool; struct Hook; struct Into; struct core; struct std;

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

#[tool_hook]
fn watch(#[config] times: u8) {
    let _ = times;
}

async fn run(run: &onionskin::run::AgentRun, input: ::std::string::String) -> ::std::result::Result<::std::string::String, onionskin::RunError> {
    run.converse(input).await
}

agent! {
    Worker { description: "Works.", instruction: "Work.", run: run }
    Boss {
        instruction: "Lead.",
        servers: [time],
        tools: { time: [get_time] },
        agents: [Worker],
        function_tools: [add_one],
        tool_hooks: [watch(1) for [add_one, Worker, server(time)]],
        request_params: { stop_sequences: ["x"], seed: 2 },
        limits: { tokens: 5, time_sec: 4 },
    }
}

pub(crate) fn main() {
    let _ = Boss::builder();
}
