//! Messages: the handshake, and lines that are none.

use onionskin::ScriptedTurn;
use onionskin::acp::{AcpError, AcpServer};
use onionskin::sessions::MemorySessions;
use serde_json::{Value, json};

use crate::client::Editor;
use crate::{builder, clerk};

#[tokio::test]
async fn o6_the_handshake_names_the_agent_and_what_it_can_do() {
    let agent = clerk([]).await;
    let mut editor = Editor::connect(AcpServer::new(&agent));
    let answer = editor.initialize(json!({ "fs": { "readTextFile": true } })).await;
    assert_eq!((&answer["protocolVersion"], &answer["agentInfo"]["name"]), (&json!(1), &json!("Clerk")));
    let capabilities = &answer["agentCapabilities"];
    let accepts = &capabilities["promptCapabilities"];
    assert_eq!(*accepts, json!({ "image": true, "audio": true, "embeddedContext": true }));
    assert_eq!(capabilities["sessionCapabilities"], json!({ "close": {} }));
    assert!(capabilities["loadSession"] != true, "{answer}");

    let agent = builder([]).session_store(MemorySessions::default()).build().await.unwrap();
    let mut editor = Editor::connect(AcpServer::new(&agent));
    let answer = editor.initialize(json!({})).await;
    let capabilities = &answer["agentCapabilities"];
    assert_eq!(capabilities["loadSession"], true);
    assert_eq!(capabilities["sessionCapabilities"], json!({ "close": {}, "list": {}, "resume": {} }));
    // A client of a later version gets this one, and decides.
    let later = editor.call("initialize", json!({ "protocolVersion": 7 })).await.unwrap();
    assert_eq!(later["protocolVersion"], 1);
    editor.leave().await.unwrap();
}

#[tokio::test]
async fn o6_lines_that_are_no_messages_get_errors_and_the_connection_goes_on() {
    let mut editor = Editor::open(&clerk([ScriptedTurn::say("Yes.")]).await).await;
    for (line, code) in [
        (&b"{\"jsonrpc\":"[..], -32700),
        (b"nonsense", -32700),
        (b"\xff\xfe", -32700),
        (b"[]", -32600),
        (b"17", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"session/new\"}", -32600),
    ] {
        editor.write(line).await;
        let message = editor.message().await;
        assert_eq!((&message["error"]["code"], &message["id"]), (&json!(code), &Value::Null), "{message}");
    }
    editor.write(b"").await;
    let session = editor.session().await;
    for (method, params, code) in [
        ("no/such/method", json!({}), -32601),
        ("session/list", json!({}), -32601),
        ("session/new", json!({ "cwd": "here", "mcpServers": [] }), -32602),
        ("session/new", json!({ "mcpServers": [] }), -32602),
        ("session/prompt", json!({ "sessionId": session, "prompt": "hello" }), -32602),
        (
            "session/prompt",
            json!({ "sessionId": "no", "prompt": [{ "type": "text", "text": "Go." }] }),
            -32002,
        ),
        (
            "session/prompt",
            json!({ "sessionId": session, "prompt": [{ "type": "image", "data": "!", "mimeType": "image/png" }] }),
            -32602,
        ),
        ("session/close", json!({ "sessionId": "no" }), -32002),
    ] {
        let error = editor.call(method, params).await.unwrap_err();
        assert_eq!(error["code"], code, "{method}: {error}");
    }
    // A session that nobody knows is not cancelled.
    editor.cancel("no").await;
    assert_eq!(editor.prompt(&session, "Really?").await, "end_turn");
    assert_eq!(editor.said(&session), "Yes.");
    editor.leave().await.unwrap();
}

#[tokio::test]
async fn o6_a_line_without_an_end_is_not_kept() {
    let mut editor = Editor::open(&clerk([ScriptedTurn::say("Yes.")]).await).await;
    let piece = vec![b'x'; 1 << 20];
    for _ in 0..65 {
        editor.write_piece(&piece).await;
    }
    editor.write(b"").await;
    let message = editor.message().await;
    assert_eq!(message["error"]["code"], -32700);
    assert!(message.to_string().len() < 1_000, "{message}");
    let session = editor.session().await;
    assert_eq!(editor.prompt(&session, "Really?").await, "end_turn");
    editor.leave().await.unwrap();
}

#[tokio::test]
async fn o6_a_line_of_very_many_values_is_not_read() {
    let mut editor = Editor::open(&clerk([]).await).await;
    editor.write(format!("[{}1]", "1,".repeat(1_000_000)).as_bytes()).await;
    let message = editor.message().await;
    // A list that is read is another error.
    assert_eq!(message["error"]["code"], -32700, "{message}");
    editor.session().await;
    editor.leave().await.unwrap();
}

#[tokio::test]
async fn o6_a_connection_has_a_bounded_number_of_sessions() {
    let mut editor = Editor::open(&clerk([]).await).await;
    let first = editor.session().await;
    for _ in 1..1_000 {
        editor.session().await;
    }
    let new = json!({ "cwd": "/", "mcpServers": [] });
    let error = editor.call("session/new", new).await.unwrap_err();
    assert!(error["message"].as_str().unwrap().contains("session/close"), "{error}");
    editor.call("session/close", json!({ "sessionId": first })).await.unwrap();
    editor.session().await;
    editor.leave().await.unwrap();
}

#[tokio::test]
async fn o6_a_blank_user_is_refused() {
    let agent = builder([]).session_store(MemorySessions::default()).build().await.unwrap();
    let served = AcpServer::new(&agent).user(" ").serve(tokio::io::empty(), tokio::io::sink()).await;
    assert!(matches!(served, Err(AcpError::BlankUser)), "{served:?}");
}

#[tokio::test]
async fn o6_all_kinds_of_content_reach_the_agent() {
    let mut editor = Editor::open(&clerk([ScriptedTurn::say("I see: {input}")]).await).await;
    let session = editor.session().await;
    let prompt = json!([
        { "type": "text", "text": "What is this?" },
        { "type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png" },
        { "type": "resource", "resource": { "uri": "file:///notes.md", "text": "# Notes", "mimeType": "text/markdown" } },
        { "type": "resource_link", "uri": "file:///more.md", "name": "more" },
    ]);
    let stop =
        editor.call("session/prompt", json!({ "sessionId": session, "prompt": prompt })).await.unwrap();
    assert_eq!(stop["stopReason"], "end_turn");
    assert_eq!(editor.said(&session), "I see: What is this?");
}
