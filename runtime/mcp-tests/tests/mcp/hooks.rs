//! What a server gets is what the model or a hook wrote.

use onionskin::mcp::{McpServer, McpToolSpec as _};
use onionskin::spec::Transform;
use onionskin::testing::FakeServer;
use onionskin::{
    Args, Next, ScriptedModel, ScriptedTurn, ToolContext, ToolResult, ToolSpec, agent, call, tool_hook,
};
use serde_json::{Value, json};

/// Notes what a hook reads, and changes one argument.
#[tool_hook]
async fn twice(args: &mut Args, next: impl Next) -> ToolResult {
    let seen = args.get("path").cloned();
    if args.get("text").is_some() {
        args["text"] = json!(format!("{0}{0}", args["text"].as_str().unwrap_or_default()));
    }
    let mut output = next.run(args).await?;
    output.push_text(format!(" [path {}]", json!(seen)));
    Ok(output)
}

#[tool_hook]
async fn without_path(cx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    assert_eq!(cx.server_name(), Some("fix"));
    args.remove("path");
    next.run(args).await
}

agent! { Finder { instruction: "Find.", servers: [fix], tool_hooks: [twice] } }
agent! { Keeper { instruction: "Find.", servers: [fix], tool_hooks: [without_path] } }

/// A server whose tool has a default.
fn files() -> FakeServer {
    let schema = json!({
        "type": "object",
        "properties": {
            "text": { "type": "string" },
            "path": { "type": "string", "default": "." },
            "most": { "type": "integer", "default": "many" },
        },
    });
    FakeServer::new().tool(json!({ "name": "find", "inputSchema": schema }), |_| "found".into())
}

fn script(args: &Value) -> ScriptedModel {
    ScriptedModel::turns([ScriptedTurn::call("fix__find", args.clone()), ScriptedTurn::say("{last}")])
}

#[tokio::test]
async fn h1_hooks_read_and_send_what_was_written_to_a_server() {
    let files = files();
    for (args, sent, told) in [
        (json!({}), json!({}), "found [path null]"),
        (json!({ "text": "a" }), json!({ "text": "aa" }), "found [path null]"),
        (json!({ "text": "a", "path": "." }), json!({ "text": "aa", "path": "." }), "found [path \".\"]"),
        (json!({ "path": null }), json!({}), "found [path null]"),
    ] {
        let finder =
            Finder::builder().model(script(&args)).server("fix", files.config()).build().await.unwrap();
        assert_eq!(finder.run("Go on.").await.unwrap().text, told, "{args}");
        assert_eq!(files.calls().last().unwrap().1, sent, "{args}");
    }
    let keeper = Keeper::builder()
        .model(script(&json!({ "text": "a", "path": "/etc" })))
        .server("fix", files.config())
        .build()
        .await
        .unwrap();
    assert_eq!(keeper.run("Go on.").await.unwrap().text, "found");
    assert_eq!(files.calls().last().unwrap().1, json!({ "text": "a" }));
}

#[tokio::test]
async fn s2_a_tool_as_a_value_sends_what_was_written_to_a_server() {
    let files = files();
    let server = McpServer::start("fix", files.config()).await.unwrap();
    let plain = server.tool("find").unwrap();
    let hooked = server.tool("find").unwrap().hook(twice::new());
    let mut renamed = server.tool("find").unwrap();
    renamed.transform(Transform::new().rename("text", "words")).unwrap();
    for (tool, args, sent) in [
        (&plain, json!({ "text": "a" }), json!({ "text": "a" })),
        (&hooked, json!({ "text": "a" }), json!({ "text": "aa" })),
        (&renamed, json!({ "words": "a" }), json!({ "text": "a" })),
    ] {
        tool.exec(args).await.result.unwrap();
        assert_eq!(files.calls().last().unwrap().1, sent);
    }
    let mut own = server.tool("find").unwrap();
    own.transform(Transform::new().default_value("path", "/")).unwrap();
    call!(own, text = "a").await.unwrap();
    let told = "a default that the program set is the program's";
    assert_eq!(files.calls().last().unwrap().1, json!({ "text": "a", "path": "/" }), "{told}");
}

#[test]
fn s6_the_types_of_a_hidden_parameter_are_hidden_too() {
    let schema = json!({
        "type": "object",
        "properties": { "a": { "$ref": "#/$defs/A" }, "key": { "$ref": "#/$defs/Key" } },
        "$defs": { "A": { "type": "string" }, "Key": { "$ref": "#/$defs/Vault" }, "Vault": { "type": "string" } },
    });
    let mut hidden = ToolSpec::from_mcp(json!({ "name": "t", "inputSchema": schema })).unwrap();
    let mut bound = hidden.clone();
    hidden.transform(Transform::new().hide("key", "k")).unwrap();
    bound.bind("key", "vault.key", None).unwrap();
    for tool in [hidden, bound] {
        let seen = &tool.definition().input_schema;
        assert_eq!(seen["$defs"], json!({ "A": { "type": "string" } }));
        assert_eq!(seen["properties"].as_object().unwrap().len(), 1);
    }
}
