//! Content in spans: none by default, all of it on request, secrets never.

use onionskin::{App, Exit, ScriptedModel, ScriptedTurn, Secret, ToolContext, ToolResult, agent, tool};
use serde_json::json;

use super::recorder::Spans;

const SECRET: &str = "s3cr3t-token-of-the-session";

/// Looks a name up.
#[tool]
async fn look_up(name: String) -> String {
    format!("{name} lives in the blue house")
}

/// Fails, and says why.
#[tool]
async fn refuses(name: String) -> Result<(), String> {
    Err(format!("{name} is not listed"))
}

/// Registers a secret and returns it.
#[tool]
async fn log_in(cx: &ToolContext, name: String) -> ToolResult<String> {
    cx.conceal(&Secret::new(SECRET.to_owned()));
    if name == "fail" {
        return Err(Exit::tool(format!("no login with {SECRET}")));
    }
    Ok(format!("{name} has {SECRET}"))
}

agent! {
    Clerk {
        default: true,
        instruction: "Keep the address book.", description: "Knows addresses.",
        function_tools: [look_up, refuses, log_in],
    }
    Head { instruction: "Ask the clerk.", agents: [Clerk] }
}

fn looks_up() -> ScriptedModel {
    let calls =
        ScriptedTurn::call("look_up", json!({ "name": "Ada" })).and_call("refuses", json!({ "name": "Bob" }));
    ScriptedModel::turns([calls, ScriptedTurn::say("Ada lives in the blue house.")])
}

#[tokio::test]
async fn o4_spans_have_no_content_by_default() {
    let (spans, _guard) = Spans::begin();
    Clerk::builder().model(looks_up()).run("Where does Ada live?").await.unwrap();
    let text = spans.text();
    for word in ["Ada", "Bob", "blue house", "not listed", "address book", "Where does"] {
        assert!(!text.contains(word), "{word}: {text}");
    }
}

#[tokio::test]
async fn o4_content_is_recorded_on_request() {
    let (spans, _guard) = Spans::begin();
    Clerk::builder().model(looks_up()).trace_content().run("Where does Ada live?").await.unwrap();

    let asked = json!([{ "role": "user", "parts": [{ "type": "text", "content": "Where does Ada live?" }] }]);
    let answered = json!([{
        "role": "assistant",
        "parts": [{ "type": "text", "content": "Ada lives in the blue house." }],
        "finish_reason": "stop",
    }]);
    let run = spans.one("invoke_agent Clerk");
    assert_eq!(run.json("gen_ai.input.messages"), asked);
    assert_eq!(run.json("gen_ai.output.messages"), answered);

    let chats = spans.named("chat");
    assert_eq!(chats[0].json("gen_ai.input.messages"), asked);
    let system = json!([{ "type": "text", "content": "Knows addresses.\n\nKeep the address book." }]);
    assert_eq!(chats[0].json("gen_ai.system_instructions"), system);
    let tools = chats[0].json("gen_ai.tool.definitions");
    assert_eq!(tools[0]["name"], "look_up");
    assert_eq!(tools[0]["type"], "function");
    assert_eq!(tools[0]["parameters"]["properties"]["name"]["type"], "string");
    let called = chats[0].json("gen_ai.output.messages");
    assert_eq!(called[0]["finish_reason"], "tool_call");
    assert_eq!(called[0]["parts"][0]["type"], "tool_call");
    assert_eq!(called[0]["parts"][0]["name"], "look_up");
    assert_eq!(called[0]["parts"][0]["arguments"], json!({ "name": "Ada" }));

    let second = chats[1].json("gen_ai.input.messages");
    let roles: Vec<_> = second.as_array().unwrap().iter().map(|one| one["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "tool"]);
    let id = &called[0]["parts"][0]["id"];
    let result = json!({ "type": "tool_call_response", "id": id, "response": "Ada lives in the blue house" });
    assert_eq!(second[2]["parts"], json!([result]));
    assert_eq!(chats[1].json("gen_ai.output.messages"), answered);

    let call = spans.one("execute_tool look_up");
    assert_eq!(call.json("gen_ai.tool.call.arguments"), json!({ "name": "Ada" }));
    assert_eq!(call.json("gen_ai.tool.call.result"), json!({ "result": "Ada lives in the blue house" }));
    let failed = spans.one("execute_tool refuses");
    assert_eq!(failed.text("gen_ai.tool.call.result"), "Bob is not listed");
    assert_eq!(failed.text("otel.status_description"), "Bob is not listed");
}

#[tokio::test]
async fn o4_content_of_children_is_recorded_with_that_of_their_parent() {
    let ask = ScriptedTurn::call("agent__Clerk", json!({ "input": "Where does Ada live?" }));
    let model = || {
        ScriptedModel::new()
            .agent("Head", [ask.clone(), ScriptedTurn::say("{last}")])
            .agent("Clerk", [ScriptedTurn::say("In the blue house.")])
    };
    for recorded in [false, true] {
        let (spans, _guard) = Spans::begin();
        let app = App::builder().agent::<Head>().model(model());
        let app = if recorded { app.trace_content() } else { app };
        app.build().await.unwrap().run("Ask.").await.unwrap();
        assert_eq!(spans.text().contains("blue house"), recorded);
        let child = spans.one("invoke_agent Clerk");
        assert_eq!(child.field("gen_ai.input.messages").is_some(), recorded);
    }
}

#[tokio::test(start_paused = true)]
async fn o4_no_secret_is_in_a_span() {
    for name in ["fine", "fail"] {
        let (spans, _guard) = Spans::begin();
        // The model repeats the secret in ids, names, arguments and its answer.
        let model = ScriptedModel::turns([
            ScriptedTurn::call("log_in", json!({ "name": name })),
            ScriptedTurn::call("look_up", json!({ "name": SECRET })),
            ScriptedTurn::call_unknown(SECRET, json!({ SECRET: [SECRET] })),
            ScriptedTurn::say(format!("It is {SECRET}.")),
        ]);
        let clerk = Clerk::builder().model(model).trace_content().build().await.unwrap();
        let session = clerk.session();
        let request = clerk.request(format!("Log in with {SECRET}.")).session(&session);
        request.run_id(format!("run {SECRET}")).correlation_id(format!("of {SECRET}")).run().await.unwrap();
        // Recorded when the session did not know it yet.
        let begun = spans.one("invoke_agent Clerk");
        assert!(begun.text("onionskin.run.id").contains(SECRET));
        let end = spans.all().into_iter().filter(|span| span.kind != "invoke_agent");
        let late: Vec<_> = end.filter(|span| format!("{span:?}").contains(SECRET)).collect();
        // The first request was over before the secret was one.
        assert_eq!(late.iter().map(|span| &*span.name).collect::<Vec<_>>(), ["chat"], "{late:#?}");
        assert!(!begun.text("gen_ai.input.messages").contains(SECRET));

        let (spans, _guard) = Spans::begin();
        let model = ScriptedModel::turns([
            ScriptedTurn::call("look_up", json!({ "name": SECRET })),
            ScriptedTurn::call_unknown(SECRET, json!({ SECRET: [SECRET] })),
            ScriptedTurn::fail(500),
        ]);
        let clerk = Clerk::builder().model(model).trace_content().conceal(&Secret::new(SECRET.to_owned()));
        let clerk = clerk.build().await.unwrap();
        let request = clerk.request(format!("Log in with {SECRET}."));
        request
            .run_id(format!("run {SECRET}"))
            .correlation_id(format!("of {SECRET}"))
            .run()
            .await
            .unwrap_err();
        assert!(!spans.text().contains(SECRET), "{}", spans.text());
        assert_eq!(spans.named("chat").len(), 5, "three attempts of the last turn");
    }
}
