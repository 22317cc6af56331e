//! Requests that are none: each gets its error, and the others go on.

use serde_json::json;

use crate::desk::server;
use crate::lines::{Lines, call, texts};

#[tokio::test]
async fn o2_bad_requests_get_their_errors_and_the_others_go_on() {
    let (server, _) = server().await;
    let mut client = Lines::initialized(&server, json!({})).await;
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}1{}}}"#,
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let long =
        format!(r#"{{"jsonrpc":"2.0","id":7,"method":"x","params":"{}"}}"#, "x".repeat(17 * 1024 * 1024));
    let lines = [
        ("not json", -32700),
        ("\u{1}", -32700),
        ("[]", -32600),
        (r#"[{"jsonrpc":"2.0","id":7,"method":"ping"}]"#, -32600),
        ("7", -32600),
        ("{}", -32600),
        (r#"{"id":7,"method":"ping"}"#, -32600),
        // Numbers and escapes that no value has. The id is free again.
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add_one","arguments":{"x":1e999}}}"#,
            -32700,
        ),
        (r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"\ud800"}}"#, -32700),
        (&deep, -32700),
        (&long, -32600),
    ];
    for (line, code) in lines {
        client.write_text(line).await;
        let answer = client.read().await;
        assert_eq!(answer["error"]["code"], code, "{line:.80}: {answer}");
        assert!(answer.get("id").is_none_or(|id| id == 7), "{answer}");
    }
    let answer = client.request("no/such/method", json!({})).await;
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    let answer = client.request("tools/call", json!({ "name": 7 })).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let answer = client.request("tools/list", json!({ "cursor": "no such place" })).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert_eq!(texts(&client.request("tools/call", call("add_one", json!({ "x": 1 }))).await)[0], "2");
}

#[tokio::test]
async fn o2_a_message_in_pieces_is_read_while_others_are_answered() {
    let (server, _) = server().await;
    let mut client = Lines::initialized(&server, json!({})).await;
    let mut slow = call("slow", json!({ "steps": 400 }));
    slow["_meta"] = json!({ "progressToken": "p" });
    client.send("tools/call", slow).await;
    let long = json!({ "jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": call("add_one", json!({ "x": "y".repeat(100_000) })) });
    for piece in long.to_string().as_bytes().chunks(1000) {
        client.write_bytes(piece).await;
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    client.write_bytes(b"\n").await;
    let answer = client.answer(77).await;
    assert_eq!(answer["result"]["isError"], true, "{:.200}", answer.to_string());
}

#[tokio::test]
async fn o2_an_id_that_is_in_use_is_refused() {
    let (server, _) = server().await;
    let mut client = Lines::initialized(&server, json!({})).await;
    let slow = json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": call("slow", json!({ "steps": 4 })) });
    client.write(&slow).await;
    client.write(&json!({ "jsonrpc": "2.0", "id": 9, "method": "ping" })).await;
    let refused = client.read().await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(9), &json!(-32600)));
    assert_eq!(texts(&client.answer(9).await), ["slept"]);
    client.write(&json!({ "jsonrpc": "2.0", "id": 9, "method": "ping" })).await;
    assert!(client.answer(9).await["result"].is_object());
}

#[tokio::test]
async fn o2_what_comes_before_the_first_request_is_passed_over() {
    let (server, _) = server().await;
    let mut client = Lines::connect(&server);
    client.write(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {} })).await;
    client.write(&json!({ "jsonrpc": "2.0", "id": 3, "result": {} })).await;
    let answer = client.request_new("tools/list", json!({})).await;
    assert!(answer["result"]["tools"].is_array(), "{answer}");
}
