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
        (r#"{"id":7,"method":"ping"}"#, -32602),
        (&deep, -32700),
        (&long, -32600),
    ];
    for (line, code) in lines {
        client.write_text(line).await;
        let answer = client.read().await;
        assert_eq!(answer["error"]["code"], code, "{:.80}: {answer}", line);
        assert!(answer.get("id").is_none_or(|id| id == 7), "{answer}");
    }
    let answer = client.request("no/such/method", json!({})).await;
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    let answer = client.request("tools/call", json!({ "name": 7 })).await;
    assert!([-32602, -32601].map(|code| json!(code)).contains(&answer["error"]["code"]), "{answer}");
    let answer = client.request("tools/list", json!({ "cursor": "no such place" })).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert_eq!(texts(&client.request("tools/call", call("add_one", json!({ "x": 1 }))).await)[0], "2");
}
