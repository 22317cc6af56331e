//! O5: a run with a journal behaves as one without; a replay has what the record holds.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use onionskin::journal::MemoryJournal;
use onionskin::{
    AgentHandle, Args, Exit, Next, RunOutput, ScriptedModel, ScriptedTurn, State, ToolContext, ToolError,
    ToolOutput, ToolResult, agent, tool, tool_hook,
};
use serde_json::json;

/// The bank refused.
#[derive(Debug)]
struct Refused(u16);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the bank refused with {}", self.0)
    }
}

impl std::error::Error for Refused {}

/// What the hook saw of each call.
#[derive(Clone, Default)]
struct Recorded(Arc<Mutex<Vec<String>>>);

impl Recorded {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// Fails with a cause.
#[tool(effect = pure)]
fn pay() -> ToolResult<String> {
    Err(Exit::Tool(ToolError::new("no money was moved").with_source(Refused(402))))
}

/// Gives a value to the program.
#[tool]
fn look_up() -> ToolOutput {
    let mut output = ToolOutput::text("3 rows");
    output.insert_meta(3_usize);
    output.set_remote_meta(json!({ "page": 1 }));
    output
}

/// A number.
#[tool]
fn count() -> u64 {
    7
}

/// A word.
#[tool]
fn word() -> &'static str {
    "seven"
}

/// A number beyond those of JSON values.
#[tool]
fn huge() -> u128 {
    u128::MAX
}

/// Nothing.
#[tool]
fn nothing() {}

/// A value beside its text.
#[tool]
fn apart() -> ToolOutput {
    let mut output = ToolOutput::text("five");
    output.set_structured_only(json!(5));
    output
}

/// Notes what hooks can see.
#[tool_hook]
async fn record(cx: &ToolContext, args: &mut Args, seen: State<Recorded>, next: impl Next) -> ToolResult {
    let result = next.run(args).await;
    let saw = match &result {
        Ok(output) => {
            let meta = (output.meta::<usize>(), output.remote_meta());
            format!("{} {:?} {meta:?}", output.to_text(), output.structured_content())
        }
        Err(exit) => {
            let cause = exit.as_tool_error().and_then(std::error::Error::source);
            let code = cause.and_then(|cause| cause.downcast_ref::<Refused>()).map(|refused| refused.0);
            format!("{:?} {code:?}", cause.map(ToString::to_string))
        }
    };
    seen.0.lock().unwrap().push(format!("{}: {saw}", cx.tool_name()));
    result
}

agent! {
    Clerk {
        name: "clerk", instruction: "Pay.", state: Recorded,
        function_tools: [pay, look_up, count, word, huge, nothing, apart], tool_hooks: [record],
    }
}

const TOOLS: [&str; 7] = ["pay", "look_up", "count", "word", "huge", "nothing", "apart"];

async fn clerk(seen: &Recorded, journal: Option<&Arc<MemoryJournal>>) -> AgentHandle {
    let calls = TOOLS.map(|tool| ScriptedTurn::call(tool, json!({})));
    let model = ScriptedModel::turns(calls.into_iter().chain([ScriptedTurn::say("done")]));
    let builder = Clerk::builder().model(model).state(seen.clone());
    match journal {
        Some(journal) => builder.journal(Arc::clone(journal)).build().await.unwrap(),
        None => builder.build().await.unwrap(),
    }
}

fn parts(mut output: RunOutput) -> RunOutput {
    for call in &mut output.tool_calls {
        call.duration = Duration::ZERO;
    }
    output
}

#[tokio::test]
async fn o5_hooks_see_the_same_with_and_without_a_journal() {
    let seen = Recorded::default();
    let without = clerk(&seen, None).await.request("go").run_id("r").run().await.unwrap();
    let plain = seen.take();
    assert_eq!(plain[0], r#"pay: Some("the bank refused with 402") Some(402)"#);
    assert!(plain[1].contains("(Some(3), Some(Object {\"page\": Number(1)}))"), "{plain:?}");

    let journal = Arc::new(MemoryJournal::default());
    let recorded = clerk(&seen, Some(&journal)).await.request("go").run_id("r").run().await;
    assert_eq!(seen.take(), plain);
    assert_eq!(parts(recorded.unwrap()), parts(without.clone()));

    // A record holds the texts of the causes, and no typed values.
    let replayed = clerk(&seen, Some(&journal)).await.request("go").run_id("r").run().await.unwrap();
    let replay = seen.take();
    assert_eq!(replay[0], r#"pay: Some("the bank refused with 402") None"#);
    assert!(replay[1].contains("(None, Some(Object {\"page\": Number(1)}))"), "{replay:?}");
    assert_eq!(replay[2..], plain[2..]);
    let without_exits = |output| {
        let mut output = parts(output);
        output.tool_calls.iter_mut().for_each(|call| call.hook_exits.clear());
        output
    };
    assert_eq!(without_exits(replayed), without_exits(without));
}
