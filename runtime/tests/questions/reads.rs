//! A7, O5: code outside of tools reads in a replay what it read in the run, however the calls of the run overlapped.

use std::sync::Arc;
use std::time::Duration;

use onionskin::journal::MemoryJournal;
use onionskin::question::{Answer, Paused};
use onionskin::{
    AgentHandle, Args, Next, Provided, RunError, RunOutput, ScriptedModel, ScriptedTurn, SessionState, State,
    ToolContext, ToolOutput, ToolResult, agent, tool, tool_hook, turn_hook,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::support::{Log, paused};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct St {
    n: i64,
    seen: Vec<i64>,
}

/// Takes its time.
#[tool]
async fn slow(cx: &ToolContext) -> &'static str {
    cx.sleep(Duration::from_millis(40)).await;
    "slow"
}

/// Adds one.
#[tool]
async fn add(cx: &ToolContext, st: State<St>, session: &SessionState, log: Provided<Log>) -> &'static str {
    cx.sleep(Duration::from_millis(5)).await;
    st.update(|st| st.n += 1);
    session.set("n", st.latest().n);
    log.push("added");
    "added"
}

/// Pays.
#[tool(approval, effect = once)]
fn pay(cents: i64, st: State<St>, log: Provided<Log>) -> String {
    log.push(format!("paid {cents}"));
    format!("paid {cents} at {}", st.n)
}

/// Pays what the state says.
#[tool(asks, effect = once)]
async fn pay_all(cx: &ToolContext, st: State<St>, log: Provided<Log>) -> String {
    let before = st.n;
    match cx.ask::<bool>(format!("Pay {before}?")).await {
        Ok(true) => {
            log.push(format!("paid all {before}"));
            format!("paid all {before}")
        }
        other => format!("{other:?}"),
    }
}

/// Writes the state's number into each result.
#[tool_hook]
fn spent(output: &mut ToolOutput, st: State<St>) {
    output.push_text(format!(" n={}", st.n));
}

/// The same with the session's state.
#[tool_hook]
fn spent_in_session(output: &mut ToolOutput, session: &SessionState) {
    output.push_text(format!(" n={:?}", session.get("n")));
}

/// Reads before and behind the call, and between two waits; changes the state by what it reads.
#[tool_hook]
async fn around(ctx: &ToolContext, args: &mut Args, next: impl Next, st: State<St>) -> ToolResult {
    let before = st.n;
    let mut output = next.run(args).await?;
    let behind = st.latest().n;
    ctx.sleep(Duration::from_millis(7)).await;
    let later = st.update(|st| {
        st.seen.push(st.n);
        st.seen.clone()
    });
    output.push_text(format!(" {before}, {behind}, {later:?}"));
    Ok(output)
}

/// Says what a child's turns see.
#[turn_hook(after_llm_call)]
fn looks(response: &mut onionskin::model::ModelResponse, session: &SessionState) {
    response.text.push_str(&format!(" looked at {:?}", session.get("n")));
}

agent! {
    Typed { instruction: "Go.", state: St, function_tools: [slow, add, pay], tool_hooks: [spent] }
    Sessions { instruction: "Go.", state: St, function_tools: [slow, add, pay], tool_hooks: [spent_in_session] }
    Arounds { instruction: "Go.", state: St, function_tools: [slow, add, pay], tool_hooks: [around] }
    Child {
        name: "child", description: "A child.", instruction: "The number is {n}.", state: St,
        function_tools: [slow],
    }
    Guest {
        name: "guest", description: "A guest.", instruction: "The number is {session_state.n}.", state: St,
        function_tools: [slow], turn_hooks: [looks],
    }
    Parent { instruction: "Go.", state: St, agents: [Child, Guest], function_tools: [add, pay] }
    Asker { instruction: "Go.", state: St, function_tools: [add, pay_all, slow] }
}

fn typed_script() -> ScriptedModel {
    ScriptedModel::turns([
        ScriptedTurn::call("slow", json!({})).and_call("add", json!({})),
        ScriptedTurn::call("pay", json!({ "cents": 5 })),
        ScriptedTurn::say("{last}"),
    ])
}

/// The run is paused and resumed once without a journal of the program and once with one, and replayed from it.
async fn goes_on<F: Future<Output = AgentHandle>>(
    make: impl Fn(Option<Arc<MemoryJournal>>, Log) -> F,
) -> String {
    let log = Log::default();
    let first = paused(make(None, log.clone()).await.run("go").await);
    let output = resumed(&make(None, log.clone()).await, &first).await.unwrap();
    let done = log.take();
    assert_eq!(done.iter().filter(|line| line.starts_with("added")).count(), 1, "{done:?}");

    let journal = Arc::new(MemoryJournal::default());
    let with = async || make(Some(Arc::clone(&journal)), log.clone()).await;
    let first = paused(with().await.request("go").run_id("a").run().await);
    let answered = resumed(&with().await, &first).await.unwrap();
    assert_eq!(answered.text, output.text);
    let done = log.take();
    assert_eq!(done.iter().filter(|line| line.starts_with("added")).count(), 1, "{done:?}");
    let agent = with().await;
    let session = agent.session();
    let again = agent.request("go").run_id("a").session(&session).run().await.unwrap();
    assert_eq!((again.text, log.take().len()), (answered.text, 0));
    let once = session.typed_state::<St>().unwrap();
    assert_eq!(once.n, 1, "a replay leaves the state of the run: {once:?}");
    output.text
}

async fn resumed(agent: &AgentHandle, first: &Paused) -> Result<RunOutput, RunError> {
    let answer = match first.questions()[0].tool_name() {
        "pay" => Answer::allow(),
        _ => Answer::value(true).unwrap(),
    };
    agent.resume(first).answer(first.questions()[0].key(), answer).run().await
}

macro_rules! made {
    ($agent:ident, $script:expr) => {
        |journal: Option<Arc<MemoryJournal>>, log: Log| async move {
            let agent = $agent::builder().model($script).state(St::default()).provide(log);
            match journal {
                Some(journal) => agent.journal(journal).build().await.unwrap(),
                None => agent.build().await.unwrap(),
            }
        }
    };
}

#[tokio::test(start_paused = true)]
async fn a7_a_hook_reads_the_state_as_it_was() {
    assert_eq!(goes_on(made!(Typed, typed_script())).await, "paid 5 at 1 n=1");
}

#[tokio::test(start_paused = true)]
async fn a7_a_hook_reads_the_sessions_state_as_it_was() {
    assert_eq!(goes_on(made!(Sessions, typed_script())).await, "paid 5 at 1 n=Some(Number(1))");
}

#[tokio::test(start_paused = true)]
async fn a7_a_hook_around_calls_reads_and_changes_the_state_as_it_did() {
    let text = goes_on(made!(Arounds, typed_script())).await;
    assert_eq!(text, "paid 5 at 1 1, 1, [1, 1, 1]");
}

#[tokio::test(start_paused = true)]
async fn a7_a_child_is_asked_what_it_was_asked() {
    let script = || {
        let child = |name| [ScriptedTurn::call("slow", json!({})), ScriptedTurn::say(name)];
        ScriptedModel::new().agent("child", child("child")).agent("guest", child("guest")).agent(
            "Parent",
            [
                ScriptedTurn::call("agent__child", json!({ "input": "x" }))
                    .and_call("agent__guest", json!({ "input": "x" }))
                    .and_call("add", json!({})),
                ScriptedTurn::call("pay", json!({ "cents": 5 })),
                ScriptedTurn::say("{last}"),
            ],
        )
    };
    assert_eq!(goes_on(made!(Parent, script())).await, "paid 5 at 1");
}

/// The question and the call beside it are in one turn, and the tool reads the state before it asks.
#[tokio::test(start_paused = true)]
async fn a7_a_tool_that_asks_reads_before_its_question_what_it_read() {
    let script = || {
        ScriptedModel::turns([
            ScriptedTurn::call("add", json!({})).and_call("pay_all", json!({})),
            ScriptedTurn::say("{last}"),
        ])
    };
    assert_eq!(goes_on(made!(Asker, script())).await, "added\npaid all 0");
}

/// A prompt with places is recorded as the model read it, and another prompt is still another request.
#[tokio::test(start_paused = true)]
async fn o5_another_template_of_a_prompt_is_found() {
    agent! {
        One { name: "one", instruction: "The number is {n}.", state: St }
        Other { name: "one", instruction: "The number was {n}.", state: St }
    }
    let journal = Arc::new(MemoryJournal::default());
    let model = || ScriptedModel::turns([ScriptedTurn::say("yes")]);
    let one = One::builder().model(model()).state(St::default()).journal(Arc::clone(&journal));
    one.build().await.unwrap().request("go").run_id("a").run().await.unwrap();
    let other = Other::builder().model(model()).state(St::default()).journal(journal);
    let end = other.build().await.unwrap().request("go").run_id("a").run().await.unwrap_err();
    let RunError::Journal { source, .. } = end else { panic!("{end}") };
    assert_eq!(source.step(), "turn 1/prompt");
}
