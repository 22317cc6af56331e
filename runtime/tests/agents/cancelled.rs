//! A7: a run may be dropped after any poll, and a session may be gone on with for ever.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use onionskin::model::{Message, Model, ModelDelta, ModelError, ModelRequest, ModelResponse, ToolCall};
use onionskin::{
    AgentHandle, Args, CancellationToken, Exit, Next, RunError, ScriptedModel, ScriptedTurn, State,
    ToolResult, agent, tool, tool_hook,
};
use serde_json::json;

use crate::support::{Alive, is_whole};

/// Gives way a few times.
#[tool]
async fn steps(times: u32, going: State<Alive>) -> u32 {
    let _going = going.enter();
    for _ in 0..times {
        tokio::task::yield_now().await;
    }
    times
}

/// Blocks a thread until it is cancelled, or for some milliseconds.
#[tool(blocking)]
fn blocks(ms: u64, going: State<Alive>, token: CancellationToken) -> u64 {
    let _going = going.enter();
    let end = Instant::now() + Duration::from_millis(ms);
    while Instant::now() < end && !token.is_cancelled() {
        std::thread::sleep(Duration::from_millis(1));
    }
    ms
}

agent! {
    Child { name: "child", description: "Helps.", instruction: "Help.", state: Alive, function_tools: [steps] }
}

#[cfg(not(feature = "shell"))]
agent! {
    Busy { name: "busy", instruction: "Work.", state: Alive, function_tools: [steps, blocks], agents: [Child] }
}

#[cfg(feature = "shell")]
agent! {
    Busy {
        name: "busy",
        instruction: "Work.",
        state: Alive,
        function_tools: [steps, blocks],
        agents: [Child],
        runtime: [shell.execute],
    }
}

/// Makes its calls when a user has spoken, and answers when they are over.
struct Calls(Vec<ToolCall>);

impl Model for Calls {
    async fn respond(
        &self,
        request: &ModelRequest,
        _: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        tokio::task::yield_now().await;
        let asked = match request.messages.last() {
            Some(message @ Message::User { .. }) => message.to_text().into_owned(),
            _ => return Ok(ModelResponse::text("done")),
        };
        if &*request.agent == "child" {
            return Ok(ModelResponse::tool_calls([ToolCall::new("child_1", "steps", r#"{"times":3}"#)]));
        }
        Ok(if asked == "go" { ModelResponse::tool_calls(self.0.clone()) } else { ModelResponse::text(asked) })
    }
}

/// Polls so often; none if it had not ended by then and was dropped.
async fn polled<T>(times: usize, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    let mut left = times;
    poll_fn(|cx| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        work.as_mut().poll(cx).map(Some)
    })
    .await
}

fn calls(extra: Vec<ToolCall>) -> Vec<ToolCall> {
    let steps = (1..=4).map(|n| ToolCall::new(format!("s{n}"), "steps", json!({ "times": n }).to_string()));
    let rest = [
        ToolCall::new("c", "agent__child", r#"{"input":"go"}"#),
        ToolCall::new("b", "blocks", r#"{"ms":20}"#),
    ];
    steps.chain(rest).chain(extra).collect()
}

/// Drops a run after each number of polls, until it ends by itself; `check` looks at what is left behind.
async fn dropped_after_each_poll(going: &Alive, handle: &AgentHandle, check: impl Fn()) -> usize {
    for times in 0..10_000 {
        let session = handle.session();
        let ended = polled(times, handle.request("go").session(&session).run()).await;
        let waited = Instant::now();
        while going.count() != 0 {
            assert!(
                waited.elapsed() < Duration::from_secs(10),
                "{} go on after {times} polls",
                going.count()
            );
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        check();
        is_whole(&session);
        // The session is free, and its conversation can be gone on with.
        let again = handle.request("still there?").session(&session).run();
        let again = tokio::time::timeout(Duration::from_secs(10), again).await.expect("it hangs").unwrap();
        assert_eq!(again.text, "still there?");
        if let Some(ended) = ended {
            assert_eq!(ended.unwrap().text, "done");
            return times;
        }
    }
    panic!("it never ends");
}

async fn busy(going: &Alive, calls: Vec<ToolCall>) -> AgentHandle {
    Busy::builder().state(going.clone()).model(Calls(calls)).build().await.unwrap()
}

#[tokio::test]
async fn a7_a_run_can_be_dropped_after_every_poll() {
    let going = Alive::default();
    let handle = busy(&going, calls(Vec::new())).await;
    let polls = dropped_after_each_poll(&going, &handle, || ()).await;
    assert!(polls > 5, "only {polls} polls");
}

#[cfg(all(feature = "shell", unix))]
#[tokio::test]
async fn a7_a_run_with_a_shell_can_be_dropped_after_every_poll() {
    let pids = std::env::temp_dir().join(format!("onionskin-cancelled-{}", std::process::id()));
    let command = format!("echo $$ >> {}; exec sleep 0.03", pids.display());
    let shell = ToolCall::new("x", "shell_execute", json!({ "command": command }).to_string());
    let going = Alive::default();
    let handle = busy(&going, calls(vec![shell])).await;
    let nothing_runs = || {
        let text = std::fs::read_to_string(&pids).unwrap_or_default();
        let waited = Instant::now();
        for pid in text.lines() {
            while std::path::Path::new("/proc").join(pid).join("cwd").read_link().is_ok() {
                assert!(waited.elapsed() < Duration::from_secs(10), "process {pid} outlives its run");
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        let _ = std::fs::remove_file(&pids);
    };
    dropped_after_each_poll(&going, &handle, nothing_runs).await;
}

#[tokio::test]
async fn a12_a_session_has_500_runs() {
    let going = Alive::default();
    let handle = busy(&going, vec![ToolCall::new("same", "steps", r#"{"times":1}"#)]).await;
    let session = handle.session();
    let all = join_all((0..500).map(|_| handle.request("go").session(&session).run()));
    let outputs = tokio::time::timeout(Duration::from_mins(2), all).await.expect("it hangs");
    for output in outputs {
        let output = output.unwrap();
        assert_eq!((output.text.as_str(), output.tool_calls.len(), output.turns), ("done", 1, 2));
    }
    assert_eq!(session.history().len(), 500 * 4);
    is_whole(&session);
    assert_eq!(going.count(), 0);
}

/// Panics when it is dropped, unless something panics already.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "boom");
    }
}

/// Holds something that cannot be dropped.
#[tool]
async fn holds() {
    let _bomb = Bomb;
    std::future::pending::<()>().await;
}

#[tool_hook]
async fn holds_too(args: &mut Args, next: impl Next) -> ToolResult {
    let _bomb = Bomb;
    next.run(args).await
}

/// Never ends.
#[tool(hooks = [holds_too])]
async fn is_held() {
    std::future::pending::<()>().await;
}

/// Aborts.
#[tool]
async fn aborts() -> ToolResult<()> {
    tokio::task::yield_now().await;
    Err(Exit::abort("out"))
}

agent! { Holder { name: "holder", instruction: "Hold.", function_tools: [holds, is_held, aborts] } }

#[tokio::test(start_paused = true)]
async fn h6_a_panic_while_a_call_is_cancelled_does_not_leave_the_run() {
    let turn = |aborts: bool| {
        let turn = ScriptedTurn::call("holds", json!({})).and_call("holds", json!({}));
        let turn = turn.and_call("is_held", json!({}));
        if aborts { turn.and_call("aborts", json!({})) } else { turn }
    };
    let handle = Holder::builder().model(ScriptedModel::turns([turn(true)])).build().await.unwrap();
    let session = handle.session();
    let error = handle.request("go").session(&session).run().await.unwrap_err();
    assert!(matches!(&error, RunError::Aborted(abort) if abort.reason() == "out"), "{error}");
    let history = session.history();
    let Message::Tool { results, .. } = &history[2] else { panic!("{history:?}") };
    assert_eq!(results.len(), 4);

    // A run that is dropped does not panic where it is dropped.
    let handle = Holder::builder().model(ScriptedModel::turns([turn(false)])).build().await.unwrap();
    let session = handle.session();
    let run = handle.request("go").session(&session).run();
    assert!(tokio::time::timeout(Duration::from_secs(1), run).await.is_err());
    assert_eq!(session.history().len(), 3);
}
