//! Changes of what a server offers: a client hears of each one that is told after the server said that it listens.

use serde_json::json;

use crate::desk::server;
use crate::lines::{Lines, NEW};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn o2_a_subscription_receives_a_change_right_after_its_acknowledgement() {
    let (server, _) = server().await;
    let mut client = Lines::connect(&server);
    for _ in 0..300 {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": NEW,
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({ "notifications": { "toolsListChanged": true }, "_meta": meta });
        let id = client.send("subscriptions/listen", params).await;
        assert_eq!(client.read().await["method"], "notifications/subscriptions/acknowledged");
        server.prompts_changed();
        server.tools_changed();
        let change = client.read().await;
        assert_eq!(change["method"], "notifications/tools/list_changed");
        assert_eq!(change["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id);
        client
            .write(&json!({
                "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id, "_meta": {
                    "io.modelcontextprotocol/protocolVersion": NEW,
                } },
            }))
            .await;
    }
}

#[tokio::test]
async fn o2_a_session_receives_each_change_once() {
    let (server, _) = server().await;
    let mut client = Lines::initialized(&server, json!({})).await;
    server.tools_changed();
    assert_eq!(client.read().await["method"], "notifications/tools/list_changed");
    // A client that is ready twice is ready once.
    client.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
    client.request("ping", json!({})).await;
    server.prompts_changed();
    server.resources_changed();
    for kind in ["prompts", "resources"] {
        assert_eq!(client.read().await["method"], format!("notifications/{kind}/list_changed"));
    }
}
