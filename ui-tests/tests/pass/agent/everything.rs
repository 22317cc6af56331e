use crate::parts::{add_one, pass as audit};
use onionskin::{Args, Next, State, ToolResult, agent, tool, tool_hook};
use onionskin::typed::{ArgsOf, TypedNext};

#[tool_hook]
async fn retry(#[config] times: u32, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = times;
    next.run(args).await
}

#[derive(Clone)]
pub(crate) struct Ledger;

/// Books.
#[tool]
fn book(ledger: State<Ledger>) -> bool {
    let _ = ledger;
    true
}

#[tool_hook(tool = add_one)]
async fn clamp(args: ArgsOf<add_one>, next: impl TypedNext<add_one>) -> ToolResult<i64> {
    next.run(args).await
}

/// Asked.
#[derive(serde::Deserialize, schemars::JsonSchema)]
pub(crate) struct Question {
    topic: String,
}

/// A part of the answers.
#[derive(serde::Deserialize, schemars::JsonSchema)]
pub(crate) struct Page<T> {
    number: u32,
    items: T,
}

const TEXT: &str = "From a constant.";

agent! {
    /// Works.
    #[must_use]
    pub(crate) Worker {
        name: "the-worker",
        description: "Works.",
        instruction: TEXT,
        servers: [time, "server-filesystem"],
        tools: { time: [get_*, convert_time], "server-filesystem": [read_file] },
        resources: { time: ["time://zones/*", *], "server-filesystem": ["file:///guide/*"] },
        prompts: { time: [plan_*, "review"] },
        headers: { time: { Authorization: "Bearer {session_state.token}" }, "server-filesystem": { "X-Key": "{session_state.key}" } },
        function_tools: [add_one, book],
        tool_hooks: [
            audit for [add_one, server(time), source(mcp)],
            ..,
            retry(1 + 2) except [book],
            clamp,
        ],
        model: "gpt-5",
        request_params: {
            temperature: 0.2, max_tokens: 100, stop_sequences: ["END"], seed: 1, top_p: 0.9, reasoning_effort: xhigh,
            verbosity: low, service_tier: standard, parallel_tool_calls: false,
        },
        limits: { turns: 3, tool_calls: 10, tokens: 1000, time_sec: 2.5, max_retries: 1, output_retries: 1, model_timeout_sec: 30, model_retries: 0 },
        history_source: messages,
        history_merge_target: child,
        max_parallel: 2,
        child_timeout_sec: 1.5,
        max_display_instances: 3,
        effect: idempotent,
        prompt_order: by_change,
        input: Question,
        output: Page<std::vec::Vec<Question>>,
        state: Ledger,
    },
    Boss { instruction: include_str!("everything.rs"), agents: [Worker], state: Ledger, default: true }
    Spare { instruction: format!("{TEXT} {}", 1), agents: [], function_tools: [], servers: [], default: false, }
    Reader { instruction: "Read.", servers: [docs], tools: { docs: [] }, resources: { docs: ["file:///guide/*"] } }
}

pub(crate) fn main() {
    let _ = (Worker::builder(), Boss::builder(), Spare::builder(), Boss {}, Worker::default(), Reader::builder());
}
