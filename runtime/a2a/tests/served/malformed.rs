//! Mistakes of clients: each has an answer that names it.

use reqwest::Response;
use serde_json::{Value, json};

use crate::client::{Binding, Client, both, message};
use crate::{serve_asker, serve_limited};

async fn rpc_text(client: &Client, headers: &[(&str, &str)], body: impl Into<String>) -> (u16, Value) {
    let mut request = client.http.post(format!("{}/a2a", client.url)).body(body.into());
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    read(request.send().await.unwrap()).await
}

async fn read(response: Response) -> (u16, Value) {
    let status = response.status().as_u16();
    (status, serde_json::from_str(&response.text().await.unwrap()).unwrap_or_default())
}

const JSON: (&str, &str) = ("content-type", "application/json");
const VERSION: (&str, &str) = ("a2a-version", "1.0");

#[tokio::test]
async fn o6_a_request_that_is_no_call_is_refused_with_its_code() {
    let url = serve_asker().await;
    let client = Client::new(&url, Binding::Rpc);
    let call = |method: &str, params: Value| {
        json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params }).to_string()
    };
    let deep = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
    let cases = [
        ("{".to_owned(), -32700, Value::Null),
        (deep, -32700, Value::Null),
        ("[]".to_owned(), -32600, Value::Null),
        ("7".to_owned(), -32600, Value::Null),
        (r#"{"jsonrpc": "2.0", "method": "GetTask"}"#.to_owned(), -32600, Value::Null),
        (r#"{"jsonrpc": "2.0", "id": {}, "method": "GetTask"}"#.to_owned(), -32600, Value::Null),
        (r#"{"id": 7, "method": "GetTask"}"#.to_owned(), -32600, json!(7)),
        (r#"{"jsonrpc": "2.0", "id": 7}"#.to_owned(), -32600, json!(7)),
        (call("message/send", json!({})), -32601, json!(7)),
        (call("GetTask", json!([])), -32602, json!(7)),
        (call("GetTask", json!({ "id": 5 })), -32602, json!(7)),
        (call("GetTask", json!({})), -32001, json!(7)),
        (call("SendMessage", json!({})), -32602, json!(7)),
        (call("GetExtendedAgentCard", json!({})), -32004, json!(7)),
        (call("DeleteTaskPushNotificationConfig", json!({})), -32003, json!(7)),
    ];
    for (body, code, id) in cases {
        let (status, answer) = rpc_text(&client, &[JSON, VERSION], body.clone()).await;
        let shown: String = body.chars().take(80).collect();
        assert_eq!(
            (status, &answer["error"]["code"], &answer["id"]),
            (200, &json!(code), &id),
            "{shown}: {answer}"
        );
    }
}

#[tokio::test]
async fn o6_the_version_of_the_protocol_must_be_1() {
    let url = serve_asker().await;
    let client = Client::new(&url, Binding::Rpc);
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "ListTasks" }).to_string();
    for versions in [
        &[JSON][..],
        &[JSON, ("a2a-version", "")],
        &[JSON, ("a2a-version", "0.3")],
        &[JSON, ("a2a-version", "2.0")],
    ] {
        let (_, answer) = rpc_text(&client, versions, body.clone()).await;
        assert_eq!(answer["error"]["code"], -32009, "{versions:?}");
    }
    for version in ["1.0", "1.1"] {
        let (_, answer) = rpc_text(&client, &[JSON, ("A2A-Version", version)], body.clone()).await;
        assert!(answer["result"]["tasks"].is_array(), "{answer}");
    }
    let get = async |query: &str| {
        read(client.http.get(format!("{url}/a2a/rest/tasks{query}")).send().await.unwrap()).await
    };
    let (status, answer) = get("").await;
    assert_eq!((status, &answer["error"]["details"][0]["reason"]), (400, &json!("VERSION_NOT_SUPPORTED")));
    assert_eq!(get("?A2A-Version=1.0").await.0, 200);
}

#[tokio::test]
async fn o6_a_body_of_another_type_or_too_long_is_refused_unread() {
    let url = serve_limited(|limits| limits.body_bytes = 2_000).await;
    let client = Client::new(&url, Binding::Rpc);
    // A form of another site has such a type.
    let (status, answer) = rpc_text(&client, &[("content-type", "text/plain"), VERSION], "{}").await;
    assert_eq!((status, &answer["error"]["code"]), (415, &json!(-32005)));
    let (status, answer) = rpc_text(&client, &[JSON, VERSION], " ".repeat(2_001)).await;
    assert_eq!((status, &answer["error"]["code"]), (413, &json!(-32600)));
    let rest = client
        .http
        .post(format!("{url}/a2a/rest/message:send"))
        .header(JSON.0, JSON.1)
        .header(VERSION.0, VERSION.1);
    assert_eq!(read(rest.body(" ".repeat(2_001)).send().await.unwrap()).await.0, 413);
    let get = client.http.get(format!("{url}/a2a")).send().await.unwrap();
    assert_eq!((get.status().as_u16(), get.headers()["allow"].to_str().unwrap()), (405, "POST"));
}

#[tokio::test]
async fn o6_each_mistake_of_a_message_is_named() {
    let url = serve_asker().await;
    for client in both(&url) {
        let with = |name: &str, value: Value| {
            let mut wrong = message("count");
            wrong[name] = value;
            wrong
        };
        let wrong = [
            with("messageId", json!("")),
            with("messageId", json!("x".repeat(101))),
            with("role", json!("ROLE_AGENT")),
            with("role", json!("user")),
            with("parts", json!([])),
            with("parts", Value::Null),
            with("parts", json!([{}])),
            with("parts", json!([{ "text": "a", "url": "http://b" }])),
            with("parts", json!([{ "text": 5 }])),
            with("parts", json!([{ "raw": "!!", "mediaType": "image/png" }])),
            with("parts", json!([{ "raw": "/w==", "mediaType": "text/plain" }])),
            with("parts", json!(vec![json!({ "text": "a" }); 33])),
            with("contextId", json!("x".repeat(101))),
            with("contextId", json!("a\nb")),
            json!("text"),
            Value::Null,
        ];
        for message in wrong {
            let (_, reason) = client.send(message.clone()).await.unwrap_err();
            assert_eq!(reason, "INVALID_PARAMS", "{message}");
            assert_eq!(client.stream(message).await.err().unwrap().1, "INVALID_PARAMS");
        }
        // Absent and unknown fields are none of them.
        let mut right = message("count");
        (right["contextId"], right["taskId"], right["metadata"], right["x"]) =
            (json!(""), Value::Null, json!({}), json!(1));
        assert!(client.send(right).await.is_ok());
        let file = json!({ "raw": "Y291bnQ=", "mediaType": "text/plain" });
        let read = client.send(with("parts", json!([file]))).await.unwrap();
        assert_eq!(crate::client::state(&read), "COMPLETED", "{read}");
        assert!(client.send(with("parts", json!([{ "data": 5 }, { "raw": "iVBORw0KGgo=", "mediaType": "image/png" }, { "url": "https://a.b/c", "filename": "c" }]))).await.is_ok());
    }
}

#[tokio::test]
async fn o6_a_mistake_is_named_without_the_inside_and_in_few_words() {
    let url = serve_asker().await;
    let client = Client::new(&url, Binding::Rpc);
    let long = "x".repeat(100_000);
    for params in [json!({ "message": long }), json!({ "message": { "role": long } })] {
        let answer = read(client.rpc("SendMessage", params).await).await.1.to_string();
        assert!(answer.len() < 2_000 && !answer.contains("struct"), "{} bytes: {answer:.300}", answer.len());
    }
    // Each event of a stream has the id.
    let call = json!({ "jsonrpc": "2.0", "id": long, "method": "ListTasks" }).to_string();
    let (_, answer) = rpc_text(&client, &[JSON, VERSION], call).await;
    assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32600), &Value::Null));
    // Each value takes many times the memory of its text.
    let values = format!("[{}1]", "1,".repeat(100_000));
    let (status, answer) = rpc_text(&client, &[JSON, VERSION], values).await;
    assert_eq!(status, 413, "{answer}");
}

#[tokio::test]
async fn o6_a_user_with_a_blank_id_is_nobody() {
    let url = serve_asker().await;
    for client in both(&url) {
        let (_, reason) = client.user(" ").list(&[]).await.unwrap_err();
        assert_eq!(reason, "INTERNAL_ERROR");
    }
}

#[tokio::test]
async fn o6_an_unknown_path_is_a_method_that_does_not_exist() {
    let url = serve_asker().await;
    let client = Client::new(&url, Binding::Rest);
    for path in ["nothing", "tasks/a/b/c", "tasks/a:run", "message:send"] {
        let get = client.http.get(format!("{url}/a2a/rest/{path}")).header(VERSION.0, VERSION.1);
        let (status, answer) = read(get.send().await.unwrap()).await;
        assert_eq!(
            (status, &answer["error"]["details"][0]["reason"]),
            (404, &json!("METHOD_NOT_FOUND")),
            "{path}"
        );
    }
}
