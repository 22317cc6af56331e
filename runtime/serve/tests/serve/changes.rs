//! Changes of what a server offers: a client hears of each one that is told after the server said that it listens.

use onionskin::serve::{Prompt, Resource, Server, ServerBuilder};
use onionskin::tool;
use serde_json::json;

use crate::desk::server;
use crate::lines::{Lines, NEW, call, texts};

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

/// Gives the old price, after a while.
#[tool]
async fn old_price() -> u32 {
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    3
}

/// Gives the new price.
#[tool]
fn new_price() -> u32 {
    4
}

fn prices() -> ServerBuilder {
    Server::builder("desk", "1.2.3").resource(Resource::text("desk://rules", "Rules", "No dogs."))
}

#[tokio::test]
async fn o2_another_offer_reaches_the_clients_and_ends_no_call() {
    let server = prices().tool(old_price::spec()).build().await.unwrap();
    let mut client = Lines::initialized(&server, json!({})).await;
    let running = client.send("tools/call", call("old_price", json!({}))).await;
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    let prompt = Prompt::new("greet", "Greet.", "Say hello.");
    server.replace_offer(&prices().tool(new_price::spec()).prompt(prompt).build().await.unwrap());
    // The resources are the same ones.
    for kind in ["tools", "prompts"] {
        assert_eq!(client.read().await["method"], format!("notifications/{kind}/list_changed"));
    }
    let answer = client.read().await;
    assert_eq!((&answer["id"], texts(&answer)), (&running.into(), vec!["3"]));
    let tools = client.request("tools/list", json!({})).await;
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 1, "{tools}");
    assert_eq!(texts(&client.request("tools/call", call("new_price", json!({}))).await), ["4"]);
    assert_eq!(client.request("tools/call", call("old_price", json!({}))).await["error"]["code"], -32602);
}
