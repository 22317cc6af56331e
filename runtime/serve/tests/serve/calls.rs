//! Calls of tools and agents, lists, resources and prompts.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use onionskin::question::AskError;
use onionskin::serve::{ServeError, Server};
use onionskin::ui::ui_tool;
use onionskin::{ScriptedModel, ToolContext, agent, tool};
use serde_json::json;

use crate::desk::{Ledger, builder, server};
use crate::lines::{Lines, call, texts};

#[tokio::test]
async fn o2_a_call_is_a_run_with_hooks_and_limits() {
    let (server, _) = server().await;
    let mut client = Lines::initialized(&server, json!({})).await;
    let answer = client.request("tools/call", call("add_one", json!({ "x": 41 }))).await;
    assert_eq!(texts(&answer), ["42", "[marked]"]);
    assert_eq!(answer["result"]["structuredContent"], json!({ "result": 42 }));
    let failed = client.request("tools/call", call("fail", json!({}))).await;
    assert_eq!((texts(&failed), &failed["result"]["isError"]), (vec!["no such shelf"], &json!(true)));
    let wrong = client.request("tools/call", call("add_one", json!({ "y": 1 }))).await;
    assert_eq!(wrong["result"]["isError"], true);
    assert!(texts(&wrong)[0].contains("`y`"), "{wrong}");
    let unknown = client.request("tools/call", call("add_two", json!({}))).await;
    assert_eq!(unknown["error"]["code"], -32602);
}

#[tokio::test]
async fn o2_an_agent_is_a_tool_that_reports_its_work() {
    let (server, _) = server().await;
    let mut client = Lines::initialized(&server, json!({})).await;
    let params =
        json!({ "name": "Clerk", "arguments": { "input": "41 + 1?" }, "_meta": { "progressToken": "p" } });
    let id = client.send("tools/call", params).await;
    let progress = client.read().await;
    assert_eq!(progress["method"], "notifications/progress");
    assert_eq!(
        progress["params"],
        json!({ "progressToken": "p", "progress": 1.0, "message": "Clerk: add_one" })
    );
    assert_eq!(texts(&client.answer(id).await), ["It is 42."]);
}

#[tokio::test]
async fn o2_a_panic_says_nothing_of_the_inside() {
    let (server, _) = server().await;
    let mut client = Lines::initialized(&server, json!({})).await;
    let answer = client.request("tools/call", call("explode", json!({}))).await;
    assert_eq!(answer["result"]["isError"], true);
    assert!(!answer.to_string().contains("/etc/desk"), "{answer}");
    let next = client.request("tools/call", call("add_one", json!({ "x": 1 }))).await;
    assert_eq!(texts(&next)[0], "2");
}

#[tokio::test]
async fn o2_a_cancelled_call_ends_its_run() {
    let (server, ledger) = server().await;
    let mut client = Lines::initialized(&server, json!({})).await;
    let id = client.send("tools/call", call("slow", json!({}))).await;
    while ledger.begun.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let cancelled =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } });
    client.write(&cancelled).await;
    let next = client.request("tools/call", call("add_one", json!({ "x": 1 }))).await;
    assert_eq!(texts(&next)[0], "2");
    tokio::time::sleep(Duration::from_millis(1300)).await;
    assert_eq!(ledger.ended.load(Ordering::SeqCst), 0, "the call goes on");
}

#[tokio::test]
async fn o2_calls_of_a_client_run_side_by_side() {
    let (server, ledger) = server().await;
    let mut client = Lines::initialized(&server, json!({})).await;
    let slow = client.send("tools/call", call("slow", json!({}))).await;
    let quick = client.request("tools/call", call("add_one", json!({ "x": 1 }))).await;
    assert_eq!(texts(&quick)[0], "2");
    assert_eq!(ledger.ended.load(Ordering::SeqCst), 0);
    assert_eq!(texts(&client.answer(slow).await), ["slept"]);
}

#[tokio::test(start_paused = true)]
async fn o2_calls_of_a_client_that_went_away_have_some_seconds_to_end() {
    let (server, ledger) = server().await;
    for (steps, ends) in [(20, 1), (2000, 0)] {
        let mut client = Lines::initialized(&server, json!({})).await;
        let begun = ledger.begun.load(Ordering::SeqCst);
        client.send("tools/call", call("slow", json!({ "steps": steps }))).await;
        while ledger.begun.load(Ordering::SeqCst) == begun {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        drop(client);
        tokio::time::sleep(Duration::from_mins(5)).await;
        assert_eq!(ledger.ended.swap(0, Ordering::SeqCst), ends, "{steps}");
    }
}

#[tokio::test(start_paused = true)]
async fn o2_each_call_gets_an_answer_after_its_client_has_closed_its_stream() {
    let (server, ledger) = server().await;
    let mut client = Lines::initialized(&server, json!({})).await;
    let quick = client.send("tools/call", call("slow", json!({ "steps": 4 }))).await;
    let endless = client.send("tools/call", call("slow", json!({ "steps": 2000 }))).await;
    while ledger.begun.load(Ordering::SeqCst) < 2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    client.close().await;
    assert_eq!(texts(&client.answer(quick).await), ["slept"]);
    let ended = client.answer(endless).await;
    assert_eq!(ended["error"]["code"], -32603, "{ended}");
}

#[tokio::test]
async fn o2_tools_are_listed_with_their_annotations_and_schemas() {
    let (server, _) = server().await;
    let mut client = Lines::connect(&server);
    let answer = client.request_new("tools/list", json!({})).await;
    let tools = answer["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["add_one", "fail", "explode", "order", "pay", "slow", "whoami", "Clerk"]);
    assert_eq!(tools[0]["annotations"]["readOnlyHint"], true);
    assert_eq!(tools[0]["outputSchema"]["properties"]["result"]["type"], "integer");
    assert_eq!(
        tools[4]["inputSchema"]["properties"].as_object().unwrap().len(),
        1,
        "services are no arguments"
    );
    assert_eq!(tools[7]["inputSchema"]["required"], json!(["input"]));
}

#[tokio::test]
async fn o2_resources_and_prompts_are_read_and_completed() {
    let (server, _) = server().await;
    let mut client = Lines::initialized(&server, json!({})).await;
    let rules = client.request("resources/read", json!({ "uri": "desk://rules" })).await;
    assert_eq!(rules["result"]["contents"][0]["text"], "No dogs.");
    let none = client.request("resources/read", json!({ "uri": "desk://cats" })).await;
    assert_eq!(
        (&none["error"]["code"], &none["error"]["data"]["uri"]),
        (&json!(-32002), &json!("desk://cats"))
    );
    let greeting = json!({ "name": "greet", "arguments": { "name": "Ada" } });
    let prompt = client.request("prompts/get", greeting).await;
    assert_eq!(prompt["result"]["messages"][0]["content"]["text"], "Hello Ada.");
    for wrong in [
        json!({ "name": "greet" }),
        json!({ "name": "greet", "arguments": { "nme": "x" } }),
        json!({ "name": "x" }),
    ] {
        assert_eq!(client.request("prompts/get", wrong).await["error"]["code"], -32602);
    }
    let reference = json!({ "type": "ref/prompt", "name": "greet" });
    let params = json!({ "ref": reference, "argument": { "name": "name", "value": "a" } });
    let completed = client.request("completion/complete", params).await;
    assert_eq!(completed["result"]["completion"]["values"], json!(["Ada"]));
}

#[tokio::test]
async fn o2_listeners_are_notified_of_changes() {
    let (server, _) = server().await;
    let mut old = Lines::initialized(&server, json!({})).await;
    old.request("resources/subscribe", json!({ "uri": "desk://rules" })).await;
    server.tools_changed();
    server.resource_changed("desk://rules");
    server.resource_changed("desk://other");
    server.prompts_changed();
    assert_eq!(old.read().await["method"], "notifications/tools/list_changed");
    assert_eq!(old.read().await["params"]["uri"], "desk://rules");
    assert_eq!(old.read().await["method"], "notifications/prompts/list_changed");
}

/// Picks a colour.
#[ui_tool(component = "ColourPicker", html = "<p>Pick.</p>")]
async fn pick_colour(cx: &ToolContext) -> Result<String, AskError> {
    cx.ui().use_ui_tool("colour", "Painting", json!({ "of": "the door" })).await
}

#[tokio::test]
async fn o2_the_page_of_a_ui_tool_is_an_mcp_app() {
    let server = Server::builder("paint", "1.2.3").tool(pick_colour::spec()).build().await.unwrap();
    let mut client = Lines::connect(&server);
    let tools = client.request_new("tools/list", json!({})).await;
    let uri = tools["result"]["tools"][0]["_meta"]["ui"]["resourceUri"].as_str().unwrap().to_owned();
    assert_eq!(uri, "ui://tools/pick_colour.html");
    let listed = client.request_new("resources/list", json!({})).await;
    assert_eq!(listed["result"]["resources"][0]["uri"], uri.as_str());
    let read = client.request_new("resources/read", json!({ "uri": uri })).await;
    let page = &read["result"]["contents"][0];
    assert_eq!(
        (&page["mimeType"], &page["text"]),
        (&json!("text/html;profile=mcp-app"), &json!("<p>Pick.</p>"))
    );
    let asks = client.request_new("tools/call", call("pick_colour", json!({}))).await;
    assert_eq!(
        asks["result"]["resultType"], "input_required",
        "a client without a page is asked by a form: {asks}"
    );
}

/// Adds one.
#[tool]
fn add(x: i64) -> i64 {
    x + 1
}

agent! { Twin { instruction: "Add.", function_tools: [add] } }

#[tokio::test]
async fn o2_a_server_without_sense_is_not_built() {
    let twin = Twin::builder().model(ScriptedModel::new()).build().await.unwrap();
    let twice = Server::builder("d", "1").tools_of(&twin).tool(add::spec()).build().await.unwrap_err();
    assert!(matches!(&twice, ServeError::Duplicate { kind: "tool", name, .. } if name == "add"), "{twice}");
    let empty = Server::builder("d", "1").build().await.unwrap_err();
    assert!(matches!(empty, ServeError::Empty { .. }), "{empty}");
    let ledger: Arc<Ledger> = Arc::default();
    assert!(builder(&ledger).await.build().await.is_ok());
}
