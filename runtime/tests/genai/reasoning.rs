//! What a provider thought before it called a tool goes back to it in the next request of the run, unchanged and at its place.

use serde_json::{Value, json};

use super::{agent, model, serve, sse};

/// Runs an agent on an answer with a call and one with a text. Returns the body of the second request.
async fn second_request(adapter: &str, first: &[Value], last: &Value) -> Value {
    let body = |events: &[Value]| {
        events.iter().map(|event| format!("data: {event}\n\n")).collect::<Vec<_>>().concat()
    };
    let (url, seen) = serve(vec![sse(&body(first)), sse(&body(std::slice::from_ref(last)))]).await;
    let agent = agent(model(&url).adapter(adapter).api_key("key"), |_| {}).await;
    let output = agent.run("hello").await.unwrap();
    assert_eq!((&*output.text, output.tool_calls.len()), ("Heard.", 1), "{adapter}");
    seen.bodies().remove(1)
}

#[tokio::test]
async fn o3_encrypted_reasoning_goes_back_to_responses_in_its_place() {
    let thought = json!({"type": "reasoning", "id": "rs_1", "encrypted_content": "gAAA==", "summary": [{"type": "summary_text", "text": "Hm."}]});
    let call = json!({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "echo", "arguments": "{\"text\": \"one\"}"});
    let done = |at: usize, item: &Value| json!({"type": "response.output_item.done", "output_index": at, "item": item});
    let completed = |items: Value| json!({"type": "response.completed", "response": {"status": "completed", "output": items}});
    let first = [done(0, &thought), done(1, &call), completed(json!([thought, call]))];
    let message = json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Heard."}]});
    let body = second_request("openai_resp", &first, &completed(json!([message]))).await;
    let input = body["input"].as_array().unwrap();
    let at = input.iter().position(|item| item["type"] == "reasoning").unwrap();
    assert_eq!(input[at]["encrypted_content"], thought["encrypted_content"], "{body}");
    assert_eq!(input[at]["summary"], thought["summary"], "{body}");
    assert_eq!(
        (&input[at + 1]["type"], &input[at + 1]["call_id"]),
        (&json!("function_call"), &json!("call_1"))
    );
    assert_eq!(input[at + 2]["type"], "function_call_output", "{body}");
}

#[tokio::test]
async fn o3_thought_signatures_go_back_to_gemini_in_their_place() {
    let event = |parts: Value, reason: Option<&str>| json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": reason}]});
    let text = json!({"text": "I listen.", "thoughtSignature": "U0="});
    let call = json!({"functionCall": {"id": "c1", "name": "echo", "args": {"text": "one"}}, "thoughtSignature": "U1=="});
    let first = [
        event(json!([{"thought": true, "text": "Hm."}]), None),
        event(json!([text]), None),
        event(json!([call]), Some("STOP")),
    ];
    let last = event(json!([{"text": "Heard."}]), Some("STOP"));
    let body = second_request("gemini", &first, &last).await;
    assert_eq!(body["contents"][1], json!({"role": "model", "parts": [text, call]}), "{body}");
    assert_eq!(body["contents"][2]["parts"][0]["functionResponse"]["id"], "c1", "{body}");
}
