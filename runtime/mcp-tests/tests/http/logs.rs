//! The log messages of servers by address.

use onionskin::mcp::ServerConfig;
use onionskin::{ScriptedModel, ScriptedTurn, agent};
use serde_json::{Value, json};
use tracing::Level;

use crate::server::{Reply, Request, Server, current, earlier, result, said};
use crate::thread_log::keep;

fn logs(request: &Request) -> Reply {
    let params = json!({ "level": "info", "data": "the key is k3y-value" });
    let message = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": params });
    Reply::events([message.to_string(), said(request, "done").to_string()])
}

/// The server of a generation, with a log.
fn with_log(request: &Request, base: fn(&Request) -> Reply) -> Reply {
    match request.asks() {
        "tools/call" => logs(request),
        "logging/setLevel" => Reply::json(200, &result(request, &json!({}))),
        _ => {
            let reply = String::from_utf8(base(request).into_bytes()).unwrap();
            let (head, body) = reply.split_once("\r\n\r\n").unwrap();
            let Ok(mut body) = serde_json::from_str::<Value>(body) else { return Reply::bytes(reply) };
            if body["result"]["capabilities"].is_object() {
                body["result"]["capabilities"]["logging"] = json!({});
            }
            let length = head.lines().find(|line| line.starts_with("content-length")).unwrap();
            let body = body.to_string();
            Reply::bytes(format!(
                "{}\r\n\r\n{body}",
                head.replace(length, &format!("content-length: {}", body.len()))
            ))
        }
    }
}

agent! { Caller { instruction: "Call.", servers: [web] } }

#[tokio::test]
async fn a4_the_log_of_a_server_by_address_is_written_in_both_generations() {
    let generations: [fn(&Request) -> Reply; 2] = [earlier, current];
    for base in generations {
        let (logged, _guard) = keep(Level::INFO);
        let server = Server::start(move |request| with_log(request, base)).await;
        let config = ServerConfig::http(server.url()).header("X-Key", "k3y-value".to_owned());
        let model =
            ScriptedModel::turns([ScriptedTurn::call("web__read", json!({})), ScriptedTurn::say("{last}")]);
        let caller = Caller::builder().model(model).server("web", config).build().await.unwrap();
        assert_eq!(caller.run("Go.").await.unwrap().text, "done");
        caller.shutdown().await;
        let text = logged.text();
        assert!(text.contains("INFO onionskin_mcp::server: log: the key is [x-key]"), "{text}");
        let requests = server.requests();
        let call = requests.iter().find(|request| request.asks() == "tools/call").unwrap();
        let of_call = &call.body["params"]["_meta"]["io.modelcontextprotocol/logLevel"];
        let of_session = requests.iter().find(|request| request.asks() == "logging/setLevel");
        let of_session = of_session.map_or(&Value::Null, |request| &request.body["params"]["level"]);
        let is_current = requests.iter().all(|request| request.asks() != "initialize");
        let expected =
            if is_current { (&json!("info"), &Value::Null) } else { (&Value::Null, &json!("info")) };
        assert_eq!((of_call, of_session), expected);
    }
}
