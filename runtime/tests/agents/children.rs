//! Agents as tools, histories, sessions, limits in parallel, events, replay.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use onionskin::event::EventKind;
use onionskin::journal::MemoryJournal;
use onionskin::model::Message;
use onionskin::{
    App, Args, BuildError, Next, RunContext, RunOutput, ScriptedModel, ScriptedTurn, State, ToolContext,
    ToolResult, ToolSpec, agent, tool, tool_hook,
};
use serde_json::json;

#[derive(Clone, Default)]
struct Gauge {
    now: Arc<AtomicU32>,
    most: Arc<AtomicU32>,
    calls: Arc<AtomicU32>,
}

/// Waits a little, longer for earlier calls.
#[tool]
async fn wait(ms: u64, gauge: State<Gauge>) -> u64 {
    gauge.calls.fetch_add(1, Ordering::SeqCst);
    let now = gauge.now.fetch_add(1, Ordering::SeqCst) + 1;
    gauge.most.fetch_max(now, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_millis(ms)).await;
    gauge.now.fetch_sub(1, Ordering::SeqCst);
    ms
}

agent! {
    Waiting { name: "waiting", instruction: "Wait.", state: Gauge, function_tools: [wait], max_parallel: 2 }
}

#[tokio::test(start_paused = true)]
async fn a7_calls_run_in_parallel_within_max_parallel_and_results_keep_call_order() {
    let gauge = Gauge::default();
    let turn = [50_u64, 10, 30, 20, 40]
        .iter()
        .fold(ScriptedTurn::default(), |turn, ms| turn.and_call("wait", json!({ "ms": ms })));
    let model = Arc::new(ScriptedModel::turns([turn, ScriptedTurn::say("{last}")]));
    let output = Waiting::builder().state(gauge.clone()).model(Arc::clone(&model)).run("go").await.unwrap();
    assert_eq!(gauge.most.load(Ordering::SeqCst), 2);
    assert_eq!(output.text, "50\n10\n30\n20\n40");
}

agent! {
    Helper { name: "helper", description: "Helps.", instruction: "Help.", max_display_instances: 1 }
    Plain { name: "plain", instruction: "Ask.", agents: [Helper], max_display_instances: 2 }
    Keeping { name: "keeping", instruction: "Ask.", agents: [Helper], history_source: child, history_merge_target: child }
    Sharing { name: "sharing", instruction: "Ask.", agents: [Helper], history_source: orchestrator, history_merge_target: orchestrator }
}

fn ask_twice() -> [ScriptedTurn; 2] {
    let ask = |input: &str| json!({ "input": input });
    let turn = ScriptedTurn::call("agent__helper", ask("one")).and_call("agent__helper", ask("two"));
    [turn, ScriptedTurn::say("done")]
}

fn texts<'m>(messages: impl IntoIterator<Item = &'m Message>) -> Vec<String> {
    messages.into_iter().map(|message| message.to_text().into_owned()).collect()
}

#[tokio::test]
async fn a5_each_call_runs_a_fresh_numbered_instance() {
    let model =
        ScriptedModel::new().agent("plain", ask_twice()).agent("helper", [ScriptedTurn::say("re: {input}")]);
    let handle = Plain::builder().model(model).build().await.unwrap();
    let mut stream = handle.request("go").correlation_id("c-1").stream();
    let mut started = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::RunStarted { input, shown, .. } = &event.kind {
            started.push((event.agent.to_string(), input.to_string(), *shown));
        }
    }
    let output = stream.output().await.unwrap();
    assert_eq!(started[0], ("plain".to_owned(), "go".to_owned(), true));
    let mut children = started[1..].to_vec();
    children.sort();
    assert_eq!(
        children,
        [("helper[1]".to_owned(), "one".to_owned(), true), ("helper[2]".to_owned(), "two".to_owned(), true),]
    );
    assert_eq!(output.tool_calls[0].to_text(), "re: one");
    assert_eq!(output.tool_calls[1].to_text(), "re: two");
}

#[tokio::test]
async fn a5_the_display_bound_marks_instances_beyond_it() {
    let turn = (0..3).fold(ScriptedTurn::default(), |turn, n| {
        turn.and_call("agent__helper", json!({ "input": n.to_string() }))
    });
    let model = ScriptedModel::new()
        .agent("plain", [turn, ScriptedTurn::say("done")])
        .agent("helper", [ScriptedTurn::say("re: {input}")]);
    let handle = Plain::builder().model(model).build().await.unwrap();
    let mut stream = handle.stream("go");
    let mut hidden = Vec::new();
    while let Some(event) = stream.next().await {
        if matches!(event.kind, EventKind::RunStarted { shown: false, .. }) {
            hidden.push(event.agent.to_string());
        }
    }
    assert_eq!(hidden, ["helper[3]"]);
}

#[tokio::test]
async fn a5_history_of_the_child_is_kept_in_call_order() {
    let answers = || [ScriptedTurn::say("first"), ScriptedTurn::say("second"), ScriptedTurn::say("third")];
    let model = Arc::new(ScriptedModel::new().agent("keeping", ask_twice()).agent("helper", answers()));
    let handle = Keeping::builder().model(Arc::clone(&model)).build().await.unwrap();
    let session = handle.session();
    handle.request("go").session(&session).run().await.unwrap();
    assert_eq!(texts(&session.child_history("helper")), ["one", "first", "two", "first"]);
    // A later run in the session begins its children with it.
    session.set_history(Vec::new()).unwrap();
    handle.request("go").session(&session).run().await.unwrap();
    let of_helper: Vec<_> =
        model.requests().into_iter().filter(|request| &*request.agent == "helper").collect();
    assert_eq!(texts(&of_helper[2].messages), ["one", "first", "two", "first", "one"]);
}

#[tokio::test]
async fn a5_history_of_the_orchestrator_is_given_and_merged_in_call_order() {
    let model = Arc::new(
        ScriptedModel::new()
            .agent(
                "sharing",
                [
                    ask_twice()[0].clone(),
                    ScriptedTurn::say("x"),
                    ScriptedTurn::say("x"),
                    ScriptedTurn::say("done"),
                ],
            )
            .agent("helper", [ScriptedTurn::say("helped")]),
    );
    let handle = Sharing::builder().model(Arc::clone(&model)).build().await.unwrap();
    let session = handle.session();
    handle.request("go").session(&session).run().await.unwrap();
    let requests = model.requests();
    let first_child = requests.iter().find(|request| &*request.agent == "helper").unwrap();
    assert_eq!(texts(&first_child.messages), ["go", "one"], "the parent's open calls are left out");
    let history = texts(&session.history());
    assert_eq!(history[3..7], ["one", "helped", "two", "helped"].map(str::to_owned));
}

#[tokio::test]
async fn a12_a_session_keeps_history_and_state_and_another_has_its_own() {
    let model = ScriptedModel::turns([ScriptedTurn::say("one"), ScriptedTurn::say("two")]);
    let handle = Helper::builder().model(model).build().await.unwrap();
    let (session, other) = (handle.session(), handle.session());
    assert_eq!(handle.request("a").session(&session).run().await.unwrap().text, "one");
    assert_eq!(handle.request("b").session(&session).run().await.unwrap().text, "two");
    assert_eq!(handle.request("c").session(&other).run().await.unwrap().text, "one");
    assert_eq!(texts(&session.history()), ["a", "one", "b", "two"]);
}

#[derive(Clone)]
struct Counter {
    calls: u32,
}

/// Counts.
#[tool]
fn count(state: State<Counter>) -> u32 {
    state.update(|counter| {
        counter.calls += 1;
        counter.calls
    })
}

agent! {
    Counting { instruction: "Count.", state: Counter, function_tools: [count] }
}

#[tokio::test]
async fn t8_state_is_seen_by_the_next_call_and_is_the_sessions() {
    let turns = [
        ScriptedTurn::call("count", json!({})),
        ScriptedTurn::call("count", json!({})),
        ScriptedTurn::say("{last}"),
    ];
    let handle = Counting::builder()
        .state(Counter { calls: 0 })
        .model(ScriptedModel::turns(turns))
        .build()
        .await
        .unwrap();
    assert_eq!(handle.run("go").await.unwrap().text, "2");
    assert_eq!(handle.run("go").await.unwrap().text, "2", "another session");
}

#[tokio::test]
async fn a1_what_is_missing_is_said_when_the_agent_is_built() {
    let error = Counting::builder().model(ScriptedModel::new()).build().await.unwrap_err();
    assert!(matches!(&error, BuildError::NoState { agent, .. } if agent == "Counting"), "{error}");
    let error = Helper::builder().build().await.unwrap_err();
    assert!(matches!(&error, BuildError::NoModel { .. }), "{error}");
    let error = App::builder()
        .agent::<Plain>()
        .agent::<Keeping>()
        .model(ScriptedModel::new())
        .build()
        .await
        .unwrap_err();
    assert!(matches!(&error, BuildError::Entry { .. }), "{error}");
}

agent! {
    Entry { name: "entry", instruction: "Begin.", agents: [Helper], default: true }
}

#[tokio::test]
async fn a1_an_app_starts_with_its_default_and_finds_agents_by_name() {
    let model = ScriptedModel::turns([ScriptedTurn::say("hello")]);
    let app = App::builder().agent::<Helper>().agent::<Entry>().model(model).build().await.unwrap();
    assert_eq!(app.entry().name(), "entry");
    assert_eq!(app.agent("helper").unwrap().run("x").await.unwrap().text, "hello");
    let error = app.agent("nobody").unwrap_err();
    assert_eq!(error.to_string(), "the app has no agent `nobody`; it has: helper, entry");
}

#[tokio::test]
async fn a8_the_output_is_the_fold_of_the_events() {
    let model = || {
        ScriptedModel::new().agent("plain", ask_twice()).agent("helper", [ScriptedTurn::say("re: {input}")])
    };
    let handle = Plain::builder().model(model()).build().await.unwrap();
    let mut folded = RunOutput::default();
    let mut stream = handle.stream("go");
    let mut seq = 0;
    let mut spoken = String::new();
    while let Some(event) = stream.next().await {
        assert_eq!(event.seq, seq + 1, "no event is lost");
        seq = event.seq;
        if let (EventKind::TextDelta { text, .. }, "plain") = (&event.kind, &*event.agent) {
            spoken.push_str(text);
        }
        folded.add(&event);
    }
    let output = stream.output().await.unwrap();
    assert_eq!(folded, output);
    assert_eq!(spoken, output.text);
    assert_eq!((output.turns, output.tool_calls.len()), (2, 2));
}

/// Takes effect, and can be counted.
#[tool]
fn effect(gauge: State<Gauge>) -> u32 {
    gauge.calls.fetch_add(1, Ordering::SeqCst) + 1
}

#[tool_hook]
async fn pure(ctx: &ToolContext, run: &RunContext, args: &mut Args, next: impl Next) -> ToolResult {
    let mut output = next.run(args).await?;
    output.push_text(format!(" {} {}", ctx.random().await, run.correlation_id()));
    Ok(output)
}

agent! {
    Replayed { name: "replayed", instruction: "Act.", state: Gauge, function_tools: [effect], tool_hooks: [pure] }
}

#[tokio::test]
async fn o5_a_recorded_run_gives_the_same_again_without_its_effects() {
    let journal = Arc::new(MemoryJournal::default());
    let gauge = Gauge::default();
    let turn = ScriptedTurn::call("effect", json!({})).and_call("effect", json!({}));
    let model = Arc::new(ScriptedModel::turns([turn, ScriptedTurn::say("{last}")]));
    let run = || {
        let builder =
            Replayed::builder().state(gauge.clone()).model(Arc::clone(&model)).journal(Arc::clone(&journal));
        async { builder.build().await.unwrap().request("go").run_id("run-1").run().await.unwrap() }
    };
    let first = run().await;
    let again = run().await;
    assert_eq!(first.text, again.text);
    assert_eq!(gauge.calls.load(Ordering::SeqCst), 2, "each effect once");
    assert_eq!(model.requests().len(), 2, "each model turn once");
    assert_eq!(
        journal.steps("run-1"),
        [
            "turn 1/call 1/random effect.0",
            "turn 1/call 1/tool effect",
            "turn 1/call 2/random effect.0",
            "turn 1/call 2/tool effect",
            "turn 1/model",
            "turn 2/model",
        ]
    );
}

#[tool_hook]
async fn twice(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await?;
    next.run(args).await
}

agent! {
    Twice { name: "twice", instruction: "Act.", state: Gauge, function_tools: [effect], tool_hooks: [twice] }
}

/// Takes effect twice.
#[tool(hooks = [twice])]
fn effect_twice(gauge: State<Gauge>) -> u32 {
    gauge.calls.fetch_add(1, Ordering::SeqCst) + 1
}

agent! {
    TwiceTwice {
        name: "twice_twice", instruction: "Act.", state: Gauge, function_tools: [effect_twice], tool_hooks: [twice],
    }
}

#[tokio::test]
async fn o5_what_a_tools_own_hooks_repeat_moves_no_step_of_the_hooks_outside() {
    for tool in ["effect_twice", "added"] {
        let journal = Arc::new(MemoryJournal::default());
        let gauge = Gauge::default();
        let run = || {
            let model =
                ScriptedModel::turns([ScriptedTurn::call(tool, json!({})), ScriptedTurn::say("{last}")]);
            let counted = gauge.clone();
            let added = ToolSpec::from_fn("added", "Acts.", move |(): (), _| {
                let count = counted.calls.fetch_add(1, Ordering::SeqCst) + 1;
                async move { Ok(count) }
            });
            let builder =
                TwiceTwice::builder().state(gauge.clone()).model(model).journal(Arc::clone(&journal));
            let builder = builder.tool(added.hook(twice::new()));
            async { builder.build().await.unwrap().request("go").run_id("run").run().await.unwrap() }
        };
        assert_eq!(run().await.text, "4", "{tool}");
        assert_eq!(run().await.text, "4", "{tool}");
        assert_eq!(gauge.calls.load(Ordering::SeqCst), 4, "each effect once: {tool}");
    }
}

#[tokio::test]
async fn o5_a_replayed_retry_gives_each_attempt_its_own_result() {
    let journal = Arc::new(MemoryJournal::default());
    let gauge = Gauge::default();
    let run = || {
        let model =
            ScriptedModel::turns([ScriptedTurn::call("effect", json!({})), ScriptedTurn::say("{last}")]);
        let builder = Twice::builder().state(gauge.clone()).model(model).journal(Arc::clone(&journal));
        async { builder.build().await.unwrap().request("go").run_id("run-2").run().await.unwrap() }
    };
    assert_eq!(run().await.text, "2");
    assert_eq!(run().await.text, "2");
    assert_eq!(gauge.calls.load(Ordering::SeqCst), 2);
}
