//! What is declared for tools, agents and users holds for the calls of clients.

use std::time::{Duration, Instant};

use onionskin::budget::{Budget, BudgetScope};
use onionskin::serve::{Prompt, ServeError, Server};
use onionskin::{Args, ScriptedModel, agent, guardrail, tool};
use serde_json::json;

use crate::http::post;
use crate::lines::{Lines, call, texts};
use crate::recorder::Spans;
use crate::site::{Site, tokens};

/// Refuses thirteen.
#[guardrail(input)]
fn no_thirteen(args: &Args) -> Result<(), &'static str> {
    if args["x"] == 13 { Err("not with thirteen") } else { Ok(()) }
}

/// Adds one.
#[tool(input_guardrails = [no_thirteen], meta = json!({ "example.com/shelf": 3 }))]
fn add_one(x: i64) -> i64 {
    x + 1
}

/// Waits for the shelves.
#[tool(timeout = "50ms")]
async fn wait() -> String {
    tokio::time::sleep(Duration::from_mins(10)).await;
    "waited".to_owned()
}

agent! { Clerk { instruction: "Add.", function_tools: [add_one, wait] } }

async fn server(budget: Option<Budget>) -> Server {
    let clerk = Clerk::builder().model(ScriptedModel::new());
    let clerk = match budget {
        Some(budget) => clerk.budget(budget),
        None => clerk,
    };
    Server::builder("clerk", "1.2.3").tools_of(&clerk.build().await.unwrap()).build().await.unwrap()
}

#[tokio::test]
async fn o2_guardrails_and_timeouts_hold_for_clients() {
    let mut client = Lines::connect(&server(None).await);
    let refused = client.request_new("tools/call", call("add_one", json!({ "x": 13 }))).await;
    assert_eq!((texts(&refused), &refused["result"]["isError"]), (vec!["not with thirteen"], &json!(true)));
    let begin = Instant::now();
    let late = client.request_new("tools/call", call("wait", json!({}))).await;
    assert!(begin.elapsed() < Duration::from_secs(10));
    assert!(late["result"]["isError"] == true && texts(&late)[0].contains("50ms"), "{late}");
}

#[tokio::test]
async fn o2_each_user_has_a_budget_of_calls() {
    let budget = Budget::new("calls", BudgetScope::User).calls(1);
    let site = Site::with(&server(Some(budget)).await, std::sync::Arc::default(), tokens).await;
    let mut answers = Vec::new();
    for user in ["ada", "ada", "bob"] {
        let headers = format!("Authorization: Bearer {user}-token\r\n");
        let request = post("tools/call", call("add_one", json!({ "x": 1 })), &headers);
        answers.push(site.answer(&request).await.1.contains(r#""isError":true"#));
    }
    assert_eq!(answers, [false, true, false]);
}

#[tokio::test]
async fn o2_a_call_of_a_client_has_the_spans_of_a_run() {
    let (spans, _guard) = Spans::begin();
    let mut client = Lines::connect(&server(None).await);
    client.request_new("tools/call", call("add_one", json!({ "x": 1 }))).await;
    let tool = spans.one("execute_tool add_one");
    let of_server = spans.one("tools/call add_one");
    assert_eq!(of_server.field("otel.kind"), Some(&json!("server")));
    let mut above = spans.parent(&tool);
    while let Some(span) = above.clone().filter(|span| span.name != of_server.name) {
        above = spans.parent(&span);
    }
    assert!(above.is_some(), "{:?}", spans.tree());
}

#[tokio::test]
async fn o2_the_meta_and_the_icons_of_a_tool_are_listed() {
    let clerk = Clerk::builder().model(ScriptedModel::new()).build().await.unwrap();
    let builder = || Server::builder("clerk", "1.2.3").tools_of(&clerk);
    let plus = "data:image/png;base64,iVBORw0KGgo=";
    let server =
        builder().icon("https://a.example/clerk.png").tool_icon("add_one", plus).build().await.unwrap();
    let mut client = Lines::connect(&server);
    let listed = client.request_new("tools/list", json!({})).await;
    let tools = &listed["result"]["tools"];
    assert_eq!(tools[0]["_meta"], json!({ "example.com/shelf": 3 }));
    assert_eq!((&tools[0]["icons"], &tools[1]["icons"]), (&json!([{ "src": plus }]), &json!(null)));
    let discovered = client.request_new("server/discover", json!({})).await;
    assert!(discovered.to_string().contains("https://a.example/clerk.png"), "{discovered}");
    for wrong in [builder().icon("http://a.example/x.png"), builder().tool_icon("add_two", plus)] {
        let error = wrong.build().await.unwrap_err();
        assert!(matches!(error, ServeError::Icon { .. }), "{error}");
    }
}

/// Sorts a shelf.
#[tool]
fn sort(
    /// What comes first.
    order: Order,
) -> String {
    format!("Sort: {order:?}.")
}

/// An order.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Order {
    Names,
    Prices,
}

#[tokio::test]
async fn o2_the_choices_of_a_prompt_that_a_tool_writes_are_completed() {
    let prompt = Prompt::from_tool(sort::spec());
    let server = Server::builder("shelves", "1.2.3").prompt(prompt).build().await.unwrap();
    let mut client = Lines::connect(&server);
    let reference = json!({ "type": "ref/prompt", "name": "sort" });
    let params = json!({ "ref": reference, "argument": { "name": "order", "value": "p" } });
    let completed = client.request_new("completion/complete", params).await;
    assert_eq!(completed["result"]["completion"]["values"], json!(["prices"]), "{completed}");
    let params = json!({ "name": "sort", "arguments": { "order": "names" } });
    let written = client.request_new("prompts/get", params).await;
    assert_eq!(written["result"]["messages"][0]["content"]["text"], "Sort: Names.", "{written}");
}
