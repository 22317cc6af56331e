//! The MCP server of closures: agents cannot tell it from another.
#![cfg(feature = "mcp")]
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use onionskin::approval::{Approval, ApprovalRequest, Approver};
use onionskin::declaration::Limits;
use onionskin::definition::ToolExample;
use onionskin::event::EventKind;
use onionskin::mcp::McpServer;
use onionskin::testing::{FakeAnswer, FakeServer};
use onionskin::{
    AgentHandle, ErrorKind, ScriptedModel, ScriptedTurn, ToolDefinition, ToolOutput, agent, call,
};
use serde_json::{Value, json};

agent! { Desk { name: "desk", instruction: "Serve.", servers: [fake] } }

/// An agent that calls these tools, one a turn.
async fn desk(fake: &FakeServer, tools: &[&str]) -> AgentHandle {
    let calls = tools.iter().map(|tool| ScriptedTurn::call(format!("fake__{tool}"), json!({})));
    let model = ScriptedModel::turns(calls.chain([ScriptedTurn::say("Done.")]));
    Desk::builder().model(model).server("fake", fake.config()).build().await.unwrap()
}

/// What each call was answered, and the notices of the run.
async fn run(agent: &AgentHandle) -> (Vec<String>, Vec<String>) {
    let mut stream = agent.stream("Go.");
    let mut notices = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::Notice { text, .. } = event.kind {
            notices.push(text);
        }
    }
    let calls = stream.output().await.unwrap().tool_calls;
    (calls.iter().map(|call| call.to_text().into_owned()).collect(), notices)
}

fn described(name: &str) -> Value {
    json!({ "name": name, "description": "Does so." })
}

#[tokio::test(start_paused = true)]
async fn a4_a_fake_server_answers_and_fails_as_scripted() {
    let fake = FakeServer::new()
        .tool(described("text"), |_| "plain".into())
        .tool(described("value"), |_| json!({"degrees": 21}).into())
        .tool(described("output"), |_| ToolOutput::blocks(["a".into(), "b".into()]).into())
        .tool(described("late"), |_| FakeAnswer::from("late").after(Duration::from_secs(50)))
        .tool(described("error"), |_| FakeAnswer::error("no such city"))
        .tool(described("refusal"), |_| FakeAnswer::refusal("not today"))
        .tool(described("wrong"), |_| FakeAnswer::result(json!({"content": 5})))
        .tool(described("silence"), |_| FakeAnswer::silence())
        .tool(described("death"), |_| FakeAnswer::death());
    let tools =
        ["text", "value", "output", "late", "error", "refusal", "wrong", "silence", "text", "death", "text"];
    let agent = desk(&fake, &tools).await;
    let begun = Instant::now();
    let (answers, notices) = run(&agent).await;
    let expected = [
        "plain",
        r#"{"degrees":21}"#,
        "ab",
        "late",
        "no such city",
        "the MCP server `fake` refused the call: not today",
        "the MCP server `fake` gave an answer that cannot be read: invalid type: integer `5`",
        "the MCP server `fake` did not answer within 60s",
        "plain",
        "the MCP server `fake` died during the call (exit status: 1)",
        "plain",
    ];
    assert_eq!(answers.len(), expected.len(), "{answers:?}");
    for (answer, expected) in answers.iter().zip(expected) {
        assert!(answer.starts_with(expected), "{expected}: {answer}");
    }
    assert!(begun.elapsed() < Duration::from_secs(10), "the clock is the test's");
    assert_eq!(notices, ["the MCP server `fake` died (exit status: 1) and was started again"]);
    // The cancellation is sent beside the calls that follow it.
    for _ in 0..1_000 {
        if fake.cancelled() == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    assert_eq!((fake.starts(), fake.cancelled(), fake.calls().len()), (2, 1, 11));
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_a_fake_server_is_held_to_its_schemas_and_says_that_its_tools_changed() {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    let fake = FakeServer::new()
        .tool(json!({"name": "look", "inputSchema": schema}), |args| args["city"].clone().into());
    let server = McpServer::start("fake", fake.config()).await.unwrap();
    let look = server.tool("look").unwrap();
    assert_eq!(call!(look, city = "Rome").await.unwrap(), "Rome");
    let refused = call!(look, town = "Rome").await.unwrap_err().to_string();
    assert!(refused.contains("`city`: missing"), "{refused}");
    assert_eq!(fake.calls(), [("look".to_owned(), json!({"city": "Rome"}))]);

    fake.add_tool(described("new"), |_| "new".into());
    fake.remove_tool("look");
    // The list may be read between the two changes.
    while server.tool("new").is_none() || server.tool("look").is_some() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let gone = call!(look, city = "Rome").await.unwrap_err().to_string();
    assert!(gone.contains("there is no tool `look`"), "{gone}");
    server.shutdown().await;
}

/// The longest time between two looks at the clock of this thread.
async fn longest_gap(work: impl Future) -> Duration {
    let mut work = std::pin::pin!(work);
    let (mut last, mut longest) = (Instant::now(), Duration::ZERO);
    loop {
        let is_over = tokio::select! {
            _ = &mut work => true,
            () = tokio::time::sleep(Duration::from_millis(5)) => false,
        };
        longest = longest.max(last.elapsed());
        last = Instant::now();
        if is_over {
            return longest;
        }
    }
}

#[tokio::test]
async fn t11_a_result_that_is_dear_to_check_holds_up_neither_its_thread_nor_the_runs_time_limit() {
    let given = json!({ "items": vec![json!({}); 400_000] });
    let names = ["a", "b", "c", "d", "e", "f"].map(|name| json!({ "required": [name] }));
    let options: Vec<_> = names.into_iter().chain([json!({ "type": "object" })]).collect();
    let schema = json!({ "type": "object", "properties": { "items": { "items": { "anyOf": options } } } });

    let mut same = ToolDefinition::new("same", "Is checked here.").with_output_schema(schema.clone());
    same.examples = [ToolExample::new(json!({})).output(given.clone())].into();
    let begun = Instant::now();
    same.check_examples().unwrap();
    let dear = begun.elapsed();

    let result = FakeAnswer::result(json!({ "content": [], "structuredContent": given }));
    let huge = json!({ "name": "huge", "outputSchema": schema });
    let fake = FakeServer::new().tool(huge, move |_| result.clone());
    let model =
        ScriptedModel::turns([ScriptedTurn::call("fake__huge", json!({})), ScriptedTurn::say("Done.")]);
    let mut limits = Limits::default();
    limits.time = Some(dear / 4);
    let agent = Desk::builder().model(model).server("fake", fake.config()).limits(limits);
    let agent = agent.build().await.unwrap();
    let begun = Instant::now();
    let gap = longest_gap(async {
        let error = agent.run("Go.").await.unwrap_err().to_string();
        assert!(error.contains("reached its limit of"), "{error}");
    });
    let gap = gap.await;
    assert_eq!(fake.calls().len(), 1, "the limit is not over before the call");
    assert!(gap < dear / 2, "{gap:?} of {dear:?}");
    assert!(begun.elapsed() < dear / 2, "{:?} of {dear:?}", begun.elapsed());
    agent.shutdown().await;
}

/// Has no answer, and counts the requests for one.
#[derive(Clone, Default)]
struct Counted(Arc<AtomicU32>);

impl Approver for Counted {
    async fn approve(&self, _: ApprovalRequest) -> Approval {
        self.0.fetch_add(1, Ordering::Relaxed);
        Approval::deny("no")
    }
}

#[tokio::test]
async fn t4_wrong_arguments_for_a_server_do_not_reach_the_approver() {
    let described = json!({
        "name": "double",
        "description": "Doubles.",
        "inputSchema": { "type": "object", "properties": { "x": { "type": "integer" } }, "required": ["x"] },
    });
    let fake = FakeServer::new().tool(described, |_| "plain".into());
    let server = McpServer::start("fake", fake.config()).await.unwrap();
    let mut tool = server.tools().remove(0);
    let asked = Counted::default();
    tool.approval().approver(asked.clone());
    let error = tool.call(json!({ "x": "many" })).await.unwrap_err();
    assert_eq!(error.as_tool_error().unwrap().kind(), ErrorKind::Arguments, "{error}");
    assert_eq!(asked.0.load(Ordering::Relaxed), 0);
    let error = tool.call(json!({ "x": 1 })).await.unwrap_err();
    assert_eq!(error.to_string(), "Tool execution was not approved: no");
    assert_eq!(asked.0.load(Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn a4_a_server_whose_tools_change_too_often_is_not_blamed_for_our_pause() {
    let fake = FakeServer::new();
    let (grows, count) = (fake.clone(), AtomicU32::new(0));
    fake.add_tool(described("grow"), move |_| {
        let name = format!("new_{}", count.fetch_add(1, Ordering::Relaxed));
        grows.add_tool(described(&name), |_| "new".into());
        "grown".into()
    });
    let agent = desk(&fake, &["grow"; 34]).await;
    let begun = tokio::time::Instant::now();
    let (_, notices) = run(&agent).await;
    let told = "the MCP server `fake` announces other tools too often, and is not asked for them more than 30 times a minute; \
                the tools that it had are used";
    assert_eq!(notices.iter().filter(|notice| *notice == told).count(), 1, "{notices:?}");
    assert!(!notices.iter().any(|notice| notice.contains("did not list")), "{notices:?}");
    // Each of the first changes is told by itself: its turn had the new list.
    for change in 0..30 {
        let added = format!("changed its tools: added `new_{change}`");
        assert!(notices.iter().any(|notice| notice.ends_with(&added)), "{added}: {notices:?}");
    }
    assert!(begun.elapsed() >= Duration::from_secs(5), "the turns beyond that waited");
    agent.shutdown().await;
}

agent! {
    Two {
        instruction: "Work.",
        servers: [first, second],
    }
}

#[tokio::test(start_paused = true)]
async fn o3_new_tools_of_a_server_are_behind_all_others() {
    let first = FakeServer::new();
    let grows = first.clone();
    first.add_tool(described("grow"), move |_| {
        grows.add_tool(described("alpha"), |_| "new".into());
        "grown".into()
    });
    let second = FakeServer::new().tool(described("look"), |_| "seen".into());
    let model =
        ScriptedModel::turns([ScriptedTurn::call("first__grow", json!({})), ScriptedTurn::say("Done.")]);
    let two = Two::builder().model(model).server("first", first.config()).server("second", second.config());
    let two = two.build().await.unwrap();
    assert_eq!(two.tool_names().unwrap(), ["first__grow", "second__look"]);
    two.run("Grow.").await.unwrap();
    assert_eq!(two.tool_names().unwrap(), ["first__grow", "second__look", "first__alpha"]);
    two.shutdown().await;
}
