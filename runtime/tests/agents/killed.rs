//! O5: a run that is dropped at any moment of any step, and repeated by a new agent, ends as if it had never been dropped.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use onionskin::approval::{Approval, ApprovalRequest, Approver};
use onionskin::journal::MemoryJournal;
use onionskin::model::Message;
use onionskin::{
    AgentTool, Args, Exit, Next, RunOutput, ScriptedModel, ScriptedTurn, SessionState, State, ToolContext,
    ToolResult, agent, guardrail, hooks::retry, tool, tool_hook,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::cut::Cut;

/// What tools and hooks change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Ledger {
    sum: i64,
    hooked: u32,
    words: Vec<String>,
}

/// Adds.
#[tool]
async fn add(x: i64, ledger: State<Ledger>, session: &SessionState, cx: &ToolContext) -> i64 {
    cx.sleep(Duration::from_millis(5)).await;
    session.set(&format!("added.{x}"), true);
    ledger.update(|ledger| {
        ledger.sum += x;
        ledger.sum
    });
    x
}

/// Fails at first.
#[tool(effect = pure)]
async fn fails_at_first(cx: &ToolContext) -> Result<u32, String> {
    tokio::time::sleep(Duration::from_millis(2)).await;
    if cx.attempt() < 3 { Err("not yet".to_owned()) } else { Ok(cx.attempt()) }
}

/// Wants another number.
#[tool]
fn wants_two(x: i64) -> ToolResult<String> {
    if x == 2 { Ok("two".to_owned()) } else { Err(Exit::retry("give me 2")) }
}

/// Blocks its thread.
#[tool(blocking)]
fn block(word: String, ledger: State<Ledger>) -> String {
    ledger.update(|ledger| ledger.words.push(word.clone()));
    word
}

#[guardrail(input)]
fn doubles(args: &mut Args) {
    args["x"] = (args["x"].as_i64().unwrap_or(0) * 2).into();
}

#[tool_hook]
async fn own(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    let mut output = next.run(args).await?;
    output.push_text(format!(" [own {}]", ctx.random().await));
    Ok(output)
}

/// Has it all.
#[tool(approval, cache(ttl = "60s"), input_guardrails = [doubles], hooks = [own])]
async fn layered(x: i64, ledger: State<Ledger>) -> i64 {
    tokio::time::sleep(Duration::from_millis(2)).await;
    ledger.update(|ledger| ledger.sum += x);
    x
}

/// Never answers in time.
#[tool(timeout = "20ms")]
async fn late() {
    tokio::time::sleep(Duration::from_mins(1)).await;
}

/// Reads what can be read.
#[tool_hook]
async fn stamps(ctx: &ToolContext, args: &mut Args, next: impl Next, ledger: State<Ledger>) -> ToolResult {
    let now = ctx.now().await.duration_since(UNIX_EPOCH)?.as_nanos();
    ctx.sleep(Duration::from_millis(1)).await;
    ledger.update(|ledger| ledger.hooked += 1);
    let mut output = next.run(args).await?;
    output.push_text(format!(" [{now} {}]", ctx.random().await));
    Ok(output)
}

agent! {
    Child {
        name: "child", description: "Adds.", instruction: "Add.", state: Ledger, function_tools: [add, fails_at_first],
        tool_hooks: [retry(4)],
    }
    Parent {
        name: "parent",
        instruction: "Do it all.",
        state: Ledger,
        agents: [Child],
        function_tools: [add, fails_at_first, wants_two, block, layered, late],
        tool_hooks: [stamps, retry(4) except [late]],
        history_source: child,
        history_merge_target: child,
        max_parallel: 3,
    }
    Helper { name: "helper", description: "Helps.", instruction: "Help.", state: Ledger, function_tools: [add] }
}

/// Allows after a while.
struct Person;

impl Approver for Person {
    async fn approve(&self, _: ApprovalRequest) -> Approval {
        tokio::time::sleep(Duration::from_millis(3)).await;
        Approval::Allow
    }
}

fn script() -> ScriptedModel {
    let child = || {
        [
            ScriptedTurn::call("add", json!({ "x": 100 })).and_call("fails_at_first", json!({})),
            ScriptedTurn::call("add", json!({ "x": 1000 })),
            ScriptedTurn::say("child: {last}"),
            ScriptedTurn::call("add", json!({ "x": 7 })),
            ScriptedTurn::say("child again: {last}"),
        ]
    };
    ScriptedModel::new()
        .agent("child", child())
        .agent("helper", [ScriptedTurn::call("add", json!({ "x": 5 })), ScriptedTurn::say("helper: {last}")])
        .agent(
            "parent",
            [
                ScriptedTurn::say("hello"),
                ScriptedTurn::call("add", json!({ "x": 1 }))
                    .and_call("fails_at_first", json!({}))
                    .and_call("block", json!({ "word": "a" }))
                    .and_call("wants_two", json!({ "x": 1 })),
                ScriptedTurn::call("wants_two", json!({ "x": 2 }))
                    .and_call("layered", json!({ "x": 10 }))
                    .and_call("late", json!({}))
                    .and_call("agent__child", json!({ "input": "go" })),
                ScriptedTurn::call("agent__helper", json!({ "input": "go" }))
                    .and_call("agent__child", json!({ "input": "more" }))
                    .and_call_unknown("nothing", json!({}))
                    .and_call("add", json!({ "y": 1 })),
                ScriptedTurn::say("{last}"),
            ],
        )
}

/// All that a run leaves.
#[derive(Debug, PartialEq)]
struct Left {
    output: RunOutput,
    history: Vec<Message>,
    ledger: Ledger,
    values: Value,
}

/// Runs until the end, or to a moment: what the run leaves, and how many moments passed.
async fn run(journal: &Arc<MemoryJournal>, at: usize) -> (Option<Left>, usize) {
    let (moments, cut) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
    let cuts =
        Cut { journal: Arc::clone(journal), moments: Arc::clone(&moments), at, reached: Arc::clone(&cut) };
    let helper = Helper::builder().model(script()).state(Ledger::default()).build().await.unwrap();
    let parent = Parent::builder().model(script()).state(Ledger::default()).approver(Person);
    let parent = parent.tool(AgentTool::new(&helper)).journal(cuts).build().await.unwrap();
    let session = parent.session();
    session.set_history(vec![Message::user("hi"), Message::assistant("hello")]).unwrap();
    session.state().set("begun", true);
    let mut output = tokio::select! {
        biased;
        () = cut.notified() => return (None, moments.load(Ordering::SeqCst)),
        output = parent.request("go").session(&session).run_id("run").run() => output.unwrap(),
    };
    for call in &mut output.tool_calls {
        call.duration = Duration::ZERO;
    }
    let mut ledger = Ledger::clone(&session.typed_state::<Ledger>().unwrap());
    ledger.words.sort();
    let left =
        Left { output, history: session.history().to_vec(), ledger, values: session.state().to_value() };
    (Some(left), moments.load(Ordering::SeqCst))
}

/// A text without its stamps, which differ from run to run.
fn bare(text: &str) -> String {
    let mut bare = String::new();
    let mut depth = 0;
    for c in text.chars() {
        depth += i32::from(c == '[');
        if depth == 0 {
            bare.push(c);
        }
        depth -= i32::from(c == ']');
    }
    bare
}

fn compare(left: &Left, whole: &Left, context: &str) {
    // Recorded calls end at once, so the next ones begin earlier.
    let calls = |left: &Left| {
        let calls = left.output.tool_calls.iter();
        let mut lines: Vec<_> = calls
            .map(|call| {
                let (text, told) = (bare(&call.to_text()), (call.outcome, call.attempts));
                format!("{} {} {} {told:?} {text}", call.agent, call.step, call.arguments)
            })
            .collect();
        lines.sort();
        lines
    };
    let texts = |left: &Left| left.history.iter().map(|message| bare(&message.to_text())).collect::<Vec<_>>();
    assert_eq!(calls(left), calls(whole), "{context}");
    assert_eq!(bare(&left.output.text), bare(&whole.output.text), "{context}");
    assert_eq!(
        (left.output.turns, left.output.usage.total()),
        (whole.output.turns, whole.output.usage.total()),
        "{context}"
    );
    assert_eq!(texts(left), texts(whole), "{context}");
    assert_eq!((&left.ledger, &left.values), (&whole.ledger, &whole.values), "{context}");
}

#[tokio::test(start_paused = true)]
async fn o5_a_run_that_is_dropped_at_any_moment_ends_as_if_it_had_not_been() {
    let journal = Arc::new(MemoryJournal::default());
    let (whole, moments) = run(&journal, 0).await;
    let whole = whole.unwrap();
    assert!(moments > 200, "{moments}");
    for at in 1..=moments {
        let journal = Arc::new(MemoryJournal::default());
        let (cut, _) = run(&journal, at).await;
        assert!(cut.is_none(), "moment {at} was not reached");
        let context = format!("moment {at}, behind {:?}", journal.steps("run"));
        let (left, _) = run(&journal, 0).await;
        let left = left.unwrap();
        compare(&left, &whole, &context);
        let (replay, _) = run(&journal, 0).await;
        let replay = replay.unwrap();
        compare(&replay, &left, &context);
        assert_eq!((replay.output.text, replay.history), (left.output.text, left.history), "{context}");
    }
}
