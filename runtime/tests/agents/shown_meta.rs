//! T6: what a tool keeps beside its result, and what of it the model sees.

use std::sync::Arc;

use onionskin::{
    Args, Next, ScriptedModel, ScriptedTurn, Secret, ToolContext, ToolOutput, ToolResult, agent, call, tool,
    tool_hook,
};
use serde_json::{Value, json};

#[derive(Debug, PartialEq, serde::Serialize)]
struct Page {
    next: u128,
    of: String,
}

struct Rows(usize);

/// Finds rows.
#[tool]
fn find(cx: &ToolContext, of: String) -> ToolResult {
    let mut output = ToolOutput::text("found 3 rows");
    output.insert_meta(Rows(3));
    cx.conceal(&Secret::new("hunter2".to_owned()));
    output.insert_shown_meta("page", Page { next: 1 << 70, of })?;
    Ok(output)
}

/// Refuses, and says why.
#[tool]
fn refuse() -> ToolResult {
    let mut error = onionskin::ToolError::new("no rows");
    error.output_mut().insert_shown_meta("hint", "ask for another table")?;
    Err(onionskin::Exit::Tool(error))
}

/// The meta that a program reads, whatever the model sees.
#[tool_hook]
async fn count(args: &mut Args, next: impl Next) -> ToolResult {
    let output = next.run(args).await?;
    assert_eq!(output.meta::<Rows>().unwrap().0, 3);
    assert_eq!(output.meta::<Page>().unwrap().next, 1 << 70);
    Ok(output)
}

agent! {
    Clerk { instruction: "Find.", function_tools: [find, refuse], tool_hooks: [count for [find]] }
}

/// The last text that the model got.
fn last_text(model: &ScriptedModel) -> String {
    let last = model.requests().pop().unwrap();
    super::support::texts(&last.messages).pop().unwrap()
}

/// The model's view of this call.
async fn model_view(tool: &str, args: Value) -> String {
    let model = Arc::new(ScriptedModel::turns([ScriptedTurn::call(tool, args), ScriptedTurn::say("done")]));
    Clerk::builder().model(Arc::clone(&model)).run("go").await.unwrap();
    last_text(&model)
}

#[tokio::test]
async fn t6_the_model_sees_meta_where_the_tool_asks() {
    let text = model_view("find", json!({ "of": "stars" })).await;
    assert_eq!(text, "found 3 rows\npage: {\"next\":1180591620717411303424,\"of\":\"stars\"}");
    assert_eq!(model_view("refuse", json!({})).await, "no rows\nhint: \"ask for another table\"");
}

#[tokio::test]
async fn t6_shown_meta_has_no_secrets_and_an_end() {
    let text = model_view("find", json!({ "of": "hunter2" })).await;
    assert!(text.contains("page: ") && !text.contains("hunter2"), "{text}");
    let text = model_view("find", json!({ "of": "x".repeat(1 << 20) })).await;
    assert!(text.len() < 17 << 10, "{}", text.len());
    assert!(text.ends_with(" more bytes"), "{}", &text[text.len() - 100..]);
    // The rest of a secret at the cut is too short to be redacted anywhere.
    for before in 16_340..16_400 {
        let text =
            model_view("find", json!({ "of": format!("{}hunter2{}", "x".repeat(before), "y".repeat(100)) }))
                .await;
        assert!(!text.contains("hunt"), "{before}: {}", &text[text.len() - 100..]);
    }
}

#[tokio::test]
async fn t6_shown_meta_leaves_the_structured_value() {
    let mut output = ToolOutput::structured(json!({ "degrees": 21 }));
    output.insert_shown_meta("source", "roof").unwrap();
    assert_eq!(output.to_text(), "{\"degrees\":21}\nsource: \"roof\"");
    assert_eq!(output.structured_content().as_deref(), Some(&json!({ "degrees": 21 })));
    // Content alone needs no line before it.
    let mut output = ToolOutput::empty();
    output.insert_shown_meta("page", 2).unwrap();
    assert_eq!((&*output.to_text(), output.meta()), ("page: 2", Some(&2)));
    // The first one of a type is given back, and what was shown of it stays.
    assert_eq!(output.insert_shown_meta("page", 3).unwrap().as_deref(), Some(&2));
    assert_eq!((&*output.to_text(), output.meta()), ("page: 2\npage: 3", Some(&3)));
    assert!(call!(find::spec(), of = "a").await.unwrap().as_str().unwrap().contains("page: "));
}

#[test]
fn t6_meta_that_json_cannot_hold_is_neither_shown_nor_kept() {
    let mut output = ToolOutput::text("a");
    let error = output.insert_shown_meta("rates", vec![1.5, f64::NAN]).unwrap_err().to_string();
    assert!(error.contains("[1]") && error.contains("NaN"), "{error}");
    assert_eq!((&*output.to_text(), output.meta::<Vec<f64>>()), ("a", None));
}

#[cfg(feature = "mcp")]
mod remote {
    use onionskin::testing::FakeServer;

    use super::*;

    agent! {
        Reader { instruction: "Read.", servers: [files] }
        Auditor { instruction: "Read.", servers: [files], tool_hooks: [cost] }
    }

    /// Has the model read what the call cost.
    #[tool_hook]
    async fn cost(args: &mut Args, next: impl Next) -> ToolResult {
        let mut output = next.run(args).await?;
        let meta = output.remote_meta().unwrap();
        let cost = meta["example.com/cost"].clone();
        output.insert_shown_meta("cost", cost)?;
        Ok(output)
    }

    #[tokio::test]
    async fn t6_a_servers_meta_stays_hidden_unless_a_hook_shows_it() {
        let mut answer = ToolOutput::text("a line");
        answer.set_remote_meta(json!({ "example.com/cost": 7 }));
        let server = FakeServer::new().tool(json!({ "name": "read" }), move |_| answer.clone().into());
        let model = || {
            Arc::new(ScriptedModel::turns([
                ScriptedTurn::call("files__read", json!({})),
                ScriptedTurn::say("done"),
            ]))
        };
        let (plain, shown) = (model(), model());
        let reader = Reader::builder().model(Arc::clone(&plain)).server("files", server.config());
        reader.run("go").await.unwrap();
        assert_eq!(last_text(&plain), "a line");
        let auditor = Auditor::builder().model(Arc::clone(&shown)).server("files", server.config());
        auditor.run("go").await.unwrap();
        assert_eq!(last_text(&shown), "a line\ncost: 7");
    }
}
