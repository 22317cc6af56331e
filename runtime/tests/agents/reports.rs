//! A8, T8: what a program can read after a run.

use onionskin::event::Event;
use onionskin::spec::HookEnd;
use onionskin::{
    AgentTool, Args, Next, RunOutput, ScriptedModel, ScriptedTurn, State, ToolResult, agent, testing, tool,
    tool_hook,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::support::Count;

#[derive(Serialize, schemars::JsonSchema)]
struct Point {
    x: i64,
}

/// Gives a point.
#[tool]
fn point() -> Point {
    Point { x: 3 }
}

/// Gives a number.
#[tool]
fn number() -> i64 {
    3
}

/// Gives a text.
#[tool]
fn text() -> String {
    "three".to_owned()
}

#[tool_hook]
async fn tries_twice(args: &mut Args, next: impl Next) -> ToolResult {
    match next.run(&mut args.clone()).await {
        Err(_) => next.run(args).await,
        done => done,
    }
}

#[tool_hook]
async fn recovers(args: &mut Args, next: impl Next) -> ToolResult {
    let _ = next.run(args).await;
    Ok("recovered".into())
}

/// Fails.
#[tool(hooks = [recovers, tries_twice])]
fn hooked() -> Result<i64, String> {
    Err("no".to_owned())
}

#[derive(Debug, thiserror::Error)]
#[error("outer")]
struct Outer(#[source] std::fmt::Error);

/// Fails with a cause.
#[tool]
fn caused() -> Result<i64, onionskin::ToolError> {
    Err(onionskin::ToolError::new("it failed").with_source(Outer(std::fmt::Error)))
}

agent! {
    Reporter { name: "reporter", description: "Reports.", instruction: "Go.", function_tools: [point, number, text, hooked, caused] }
}

fn script() -> ScriptedModel {
    let tools = ["point", "number", "text", "hooked", "caused"];
    let turn = tools.iter().fold(ScriptedTurn::default(), |turn, tool| turn.and_call(*tool, json!({})));
    ScriptedModel::turns([turn, ScriptedTurn::say("done")])
}

fn holds_all(output: &RunOutput) {
    let call = |tool: &str| output.tool_calls.iter().find(|call| &*call.tool == tool).unwrap();
    let structured = |tool: &str| call(tool).structured_content().map(std::borrow::Cow::into_owned);
    assert_eq!(structured("point"), Some(json!({ "x": 3 })));
    assert_eq!(structured("number"), Some(json!({ "result": 3 })));
    assert_eq!(structured("text"), Some(json!({ "result": "three" })));
    assert_eq!(structured("caused"), None);
    let exits: Vec<_> = call("hooked").hook_exits.iter().map(|exit| (&*exit.hook, exit.end)).collect();
    assert_eq!(exits, [("tries_twice", HookEnd::Passed), ("recovers", HookEnd::Recovered)]);
    assert_eq!(call("number").hook_exits, []);
    assert_eq!(call("caused").error_chain[0], "it failed");
    assert!(
        call("caused").error_chain[1..].iter().any(|text| text == "outer"),
        "{:?}",
        call("caused").error_chain
    );
    assert!(call("caused").is_error() && !call("hooked").is_error());
    assert_eq!(call("number").error_chain, Vec::<String>::new());
}

#[tokio::test]
async fn a8_a_report_of_a_call_has_what_a_direct_call_has() {
    let handle = Reporter::builder().model(script()).build().await.unwrap();
    holds_all(&handle.run("go").await.unwrap());

    // As it is when the events were written and read again.
    let mut stream = handle.stream("go");
    let mut read = RunOutput::default();
    while let Some(event) = stream.next().await {
        let written: Value = serde_json::to_value(&event).unwrap();
        let again: Event = serde_json::from_value(written).unwrap();
        assert_eq!(again, event);
        read.add(&again);
    }
    holds_all(&read);
    let written = serde_json::to_value(&read).unwrap();
    assert_eq!(serde_json::from_value::<RunOutput>(written).unwrap(), read);
    let direct = number::spec().exec(json!({})).await;
    assert_eq!(
        direct.structured_content(),
        read.tool_calls.iter().find(|call| &*call.tool == "number").unwrap().structured_content()
    );
}

#[tokio::test]
async fn a8_a_report_of_a_call_in_an_agent_tool_has_it_too() {
    let reporter = Reporter::builder().model(script()).build().await.unwrap();
    agent! { Caller { name: "caller", instruction: "Ask." } }
    let model = ScriptedModel::turns([
        ScriptedTurn::call("agent__reporter", json!({ "input": "x" })),
        ScriptedTurn::say("done"),
    ]);
    let output = Caller::builder().tool(AgentTool::new(&reporter)).model(model).run("go").await.unwrap();
    holds_all(&output);
}

#[tokio::test]
async fn t8_an_events_structured_value_and_causes_hold_no_secret() {
    /// Lets a secret out.
    #[tool]
    #[expect(clippy::unnecessary_wraps, reason = "a whole output is given as a result")]
    fn leaks(key: State<Count>) -> ToolResult<onionskin::ToolOutput> {
        key.up();
        let mut output = onionskin::ToolOutput::text("fine");
        output.set_structured_only(json!({ "key": "sesame-open" }));
        Ok(output)
    }
    /// Lets a secret out as a cause.
    #[tool]
    fn fails() -> Result<i64, onionskin::ToolError> {
        #[derive(Debug, thiserror::Error)]
        #[error("with sesame-open")]
        struct Cause;
        Err(onionskin::ToolError::new("failed").with_source(Cause))
    }
    agent! { Leaky { name: "leaky", instruction: "Go.", state: Count, function_tools: [leaks, fails] } }
    let calls = ScriptedTurn::call("leaks", json!({})).and_call("fails", json!({}));
    let model = ScriptedModel::turns([calls, ScriptedTurn::say("done")]);
    let secret = onionskin::Secret::from("sesame-open");
    let builder = Leaky::builder().state(Count::default()).conceal(&secret).model(model);
    let output = builder.run("go").await.unwrap();
    assert!(!format!("{output:?}").contains("sesame-open"), "{output:?}");
    assert_eq!(*output.tool_calls[0].structured_content().unwrap(), json!({ "key": "[secret]" }));
}

#[tokio::test]
async fn t8_the_typed_state_can_be_read_after_a_run() {
    /// Counts.
    #[tool]
    fn count(counted: State<u32>) {
        counted.update(|counted| *counted += 1);
    }
    agent! { Counter { name: "counter", instruction: "Count.", state: u32, function_tools: [count] } }
    let model = ScriptedModel::turns([ScriptedTurn::call("count", json!({})), ScriptedTurn::say("done")]);
    let handle = Counter::builder().state(4_u32).model(model).build().await.unwrap();
    let (session, other) = (handle.session(), handle.session());
    handle.request("go").session(&session).run().await.unwrap();
    assert_eq!(session.typed_state::<u32>().as_deref(), Some(&5));
    assert_eq!(other.typed_state::<u32>().as_deref(), Some(&4));
    assert_eq!(session.typed_state::<String>(), None);
}

#[tokio::test]
async fn t8_a_test_gets_a_state_a_context_and_a_session_at_once() {
    #[tool_hook]
    async fn counts(counted: State<u32>, args: &mut Args, next: impl Next) -> ToolResult {
        counted.update(|counted| *counted += 1);
        next.run(args).await
    }
    let test = testing::context("look").agent("tester").with_state(0_u32);
    let inner = testing::next(|_| Ok("there".into()));
    counts(test.state(), &mut Args::default(), inner).await.unwrap();
    counts(test.state(), &mut Args::default(), inner).await.unwrap();
    assert_eq!((*test.state(), *test.session().typed_state::<u32>().unwrap()), (2, 2));
    assert_eq!((test.context().tool_name(), test.context().agent_name()), ("look", "tester"));
    // The dynamic state is one, whichever way it is reached.
    test.session().state().set("user", json!("ada"));
    assert_eq!(test.context().run().session_state().get("user"), Some(json!("ada")));
}

/// The milliseconds of a duration in JSON.
fn without_times(value: &mut Value) {
    if let Some(fields) = value.as_object_mut() {
        if let Some(time) = fields.get_mut("duration_ms") {
            assert!(time.as_f64().unwrap() >= 0.0);
            *time = json!(0);
        }
        fields.values_mut().for_each(without_times);
    } else if let Some(items) = value.as_array_mut() {
        items.iter_mut().for_each(without_times);
    }
}

#[tokio::test]
async fn a8_events_and_outputs_are_plain_json_for_programs_in_other_languages() {
    let handle = Reporter::builder().model(script()).build().await.unwrap();
    let mut stream = handle.stream("go");
    let mut ends = Vec::new();
    while let Some(event) = stream.next().await {
        let mut written = serde_json::to_value(&event).unwrap();
        assert_eq!(written["step"]["scope"] == "", event.is_outermost());
        if written["kind"]["type"] == "tool_finished" {
            without_times(&mut written);
            ends.push(written["kind"].take());
        }
    }
    ends.sort_by_key(|end| end["call_id"].to_string());
    let text = |text: &str| json!([{ "type": "text", "text": text }]);
    assert_eq!(
        ends[..3],
        [
            json!({
                "type": "tool_finished", "call_id": "call_1_1", "tool": "point", "outcome": "ok",
                "content": text(r#"{"x":3}"#), "duration_ms": 0, "attempts": 1, "structured": { "x": 3 },
            }),
            json!({
                "type": "tool_finished", "call_id": "call_1_2", "tool": "number", "outcome": "ok",
                "content": text("3"), "duration_ms": 0, "attempts": 1, "structured": { "result": 3 },
            }),
            json!({
                "type": "tool_finished", "call_id": "call_1_3", "tool": "text", "outcome": "ok",
                "content": text("three"), "duration_ms": 0, "attempts": 1, "structured": { "result": "three" },
            }),
        ]
    );
    let mut output = serde_json::to_value(stream.output().await.unwrap()).unwrap();
    without_times(&mut output);
    assert_eq!(
        (&output["text"], &output["stop"], &output["turns"]),
        (&json!("done"), &json!("done"), &json!(2))
    );
    assert_eq!(
        output["tool_calls"][0],
        json!({
            "agent": "reporter", "call_id": "call_1_1",
            "step": { "scope": "", "turn": 1, "kind": "tool", "call": 1, "name": "point", "attempt": 0 },
            "tool": "point", "source": "function", "arguments": "{}", "outcome": "ok",
            "content": text(r#"{"x":3}"#), "duration_ms": 0, "attempts": 1, "structured": { "x": 3 },
        })
    );
    assert_eq!(output["tool_calls"][4]["outcome"], json!({ "error": "failed" }));
}
