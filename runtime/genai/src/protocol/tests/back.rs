//! What of an answer goes back to its provider.

use genai::adapter::AdapterKind;
use serde_json::{Value, json};

use super::{KINDS, request, sent};
use crate::answer::Answer;
use crate::protocol::{Flow, Protocol, ProviderRequest};
use onionskin_core::content::{ContentBlock, Image, Media};
use onionskin_core::model::{Message, ModelError, ModelResponse, ToolCall, ToolResultMessage};

pub(super) fn streamed(kind: AdapterKind, events: &[Value]) -> ModelResponse {
    let mut sink = |_| {};
    let protocol = Protocol::new(kind, "some-model").unwrap();
    let mut answer = Answer::new(kind.as_lower_str(), &mut sink);
    for event in events {
        if protocol.event(&mut answer, event).unwrap() == Flow::End {
            break;
        }
    }
    answer.finish().unwrap().response
}

pub(super) fn whole(kind: AdapterKind, document: &Value) -> ModelResponse {
    let mut sink = |_| {};
    let mut answer = Answer::new(kind.as_lower_str(), &mut sink);
    Protocol::new(kind, "some-model").unwrap().document(&mut answer, document).unwrap();
    answer.finish().unwrap().response
}

/// The message of an answer in the next request.
pub(super) fn back(kind: AdapterKind, response: ModelResponse) -> Value {
    let body = sent(&request(vec![response.into()]), kind);
    match kind {
        AdapterKind::OpenAIResp => body["input"].clone(),
        AdapterKind::Anthropic | AdapterKind::BedrockApi => body["messages"][0]["content"].clone(),
        AdapterKind::Gemini => body["contents"][0]["parts"].clone(),
        _ => body["messages"][0].clone(),
    }
}

fn thought(number: u32) -> Value {
    json!({"type": "thinking", "thinking": format!("Thought {number}."), "signature": format!("S{number}")})
}

fn tool_use(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "f", "input": {"x": 1}})
}

/// Blocks of Anthropic as a stream.
fn events(blocks: &[Value]) -> Vec<Value> {
    let mut events = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        let mut start = block.clone();
        let mut deltas = Vec::new();
        let mut cut = |field: &str, kind: &str| {
            if let Some(text) = block[field].as_str() {
                start[field] = json!("");
                deltas.push(json!({"type": kind, field: text}));
            }
        };
        match block["type"].as_str().unwrap() {
            "text" => cut("text", "text_delta"),
            "thinking" => {
                cut("thinking", "thinking_delta");
                cut("signature", "signature_delta");
            }
            _ => {}
        }
        events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        for delta in deltas {
            events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}));
    events.push(json!({"type": "message_stop"}));
    events
}

#[test]
fn o3_blocks_go_back_to_anthropic_in_their_order() {
    let text = |text: &str| json!({"type": "text", "text": text});
    let search =
        json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "tide"}});
    let found = json!({"type": "web_search_tool_result", "tool_use_id": "s", "content": []});
    let orders = [
        vec![thought(1), tool_use("a"), thought(2), tool_use("b")],
        vec![thought(1), text("So."), thought(2), tool_use("a")],
        vec![text("I search."), search, found, text("Now I call."), tool_use("a")],
        vec![thought(1), text("So."), tool_use("a"), tool_use("b")],
    ];
    for blocks in orders {
        let content = json!(blocks);
        let document = json!({"content": content, "stop_reason": "tool_use"});
        assert_eq!(back(AdapterKind::Anthropic, whole(AdapterKind::Anthropic, &document)), content);
        let response = streamed(AdapterKind::Anthropic, &events(&blocks));
        assert_eq!(back(AdapterKind::Anthropic, response), content);
    }
    // Reasoning without a signature would be refused.
    let unsigned = json!({"type": "thinking", "thinking": "Hm."});
    let document = json!({"content": [unsigned, thought(1), text("So."), thought(2), tool_use("a")],
        "stop_reason": "tool_use"});
    let content = back(AdapterKind::Anthropic, whole(AdapterKind::Anthropic, &document));
    assert_eq!(content, json!([thought(1), text("So."), thought(2), tool_use("a")]));
}

#[test]
fn o3_a_changed_text_or_call_goes_back_at_its_place() {
    let document = json!({"content": [thought(1), {"type": "text", "text": "The key is 7."}, thought(2), tool_use("a")],
        "stop_reason": "tool_use"});
    let mut response = whole(AdapterKind::Anthropic, &document);
    response.text = "The key is ***.".to_owned();
    response.tool_calls[0] = ToolCall::new("a", "g", "{}");
    response.tool_calls.push(ToolCall::new("b", "f", "{\"x\":1}"));
    let text = json!({"type": "text", "text": "The key is ***."});
    let changed = json!({"type": "tool_use", "id": "a", "name": "g", "input": {}});
    let expected = json!([thought(1), text, thought(2), changed, tool_use("b")]);
    assert_eq!(back(AdapterKind::Anthropic, response.clone()), expected);
    (response.text, response.tool_calls) = (String::new(), Vec::new());
    assert_eq!(back(AdapterKind::Anthropic, response), json!([thought(1), thought(2)]));
}

#[test]
fn o3_blocks_go_back_to_bedrock_in_their_order() {
    let thought = |number: u32| json!({"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": format!("S{number}")}}});
    let call = |id: &str| json!({"toolUse": {"toolUseId": id, "name": "f", "input": {"x": 1}}});
    let content = json!([thought(1), call("a"), thought(2), {"text": "So."}, call("b")]);
    let document = json!({"output": {"message": {"content": content}}, "stopReason": "tool_use"});
    assert_eq!(back(AdapterKind::BedrockApi, whole(AdapterKind::BedrockApi, &document)), content);
}

#[test]
fn o3_items_go_back_to_responses_in_their_order() {
    let thought =
        |number: u32| json!({"type": "reasoning", "encrypted_content": format!("E{number}"), "summary": []});
    let call =
        |id: &str| json!({"type": "function_call", "call_id": id, "name": "f", "arguments": "{\"x\":1}"});
    let search = json!({"type": "web_search_call", "id": "ws_1", "status": "completed",
        "action": {"type": "search", "query": "tide"}});
    let message = json!({"type": "message", "role": "assistant",
        "content": [{"type": "output_text", "text": "I look."}]});
    let phased = |phase: &str, text: &str| {
        let content = json!([{"type": "output_text", "text": text}]);
        json!({"type": "message", "role": "assistant", "phase": phase, "content": content})
    };
    for items in [
        json!([thought(1), call("a"), thought(2), call("b")]),
        json!([thought(1), search, thought(2), message, call("a")]),
        // What a model says before calls is not its answer.
        json!([phased("commentary", "I look."), call("a")]),
        json!([thought(1), phased("commentary", "I look."), call("a")]),
        json!([phased("commentary", "I look. "), phased("final_answer", "It is low.")]),
        json!([message, phased("final_answer", "It is low.")]),
    ] {
        let completed = json!({"status": "completed", "output": items});
        let kind = AdapterKind::OpenAIResp;
        assert_eq!(back(kind, whole(kind, &completed)), items);
        let mut events: Vec<_> = items
            .as_array()
            .unwrap()
            .iter()
            .enumerate()
            .map(|(at, item)| json!({"type": "response.output_item.done", "output_index": at, "item": item}))
            .collect();
        events.push(json!({"type": "response.completed", "response": completed}));
        assert_eq!(back(kind, streamed(kind, &events)), items);
        // The last event has no items, or has the reasoning alone, which its pieces lacked.
        let mut empty = events.clone();
        *empty.last_mut().unwrap() =
            json!({"type": "response.completed", "response": {"status": "completed", "output": []}});
        assert_eq!(back(kind, streamed(kind, &empty)), items);
        events.retain(|event| event["item"]["type"] != "reasoning");
        assert_eq!(back(kind, streamed(kind, &events)), items);
    }
}

#[test]
fn o3_reasoning_that_is_encrypted_anew_in_each_event_goes_back_once() {
    let thought = |id: &str, encrypted: &str| {
        json!({"type": "reasoning", "id": id, "encrypted_content": encrypted,
        "summary": [{"type": "summary_text", "text": "Hm."}]})
    };
    let call = json!({"type": "function_call", "id": "F", "call_id": "a", "name": "f", "arguments": "{}"});
    let response = streamed(
        AdapterKind::OpenAIResp,
        &[
            json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning", "id": "A", "summary": []}}),
            json!({"type": "response.reasoning_summary_text.delta", "item_id": "B", "output_index": 0, "delta": "Hm."}),
            json!({"type": "response.output_item.done", "output_index": 0, "item": thought("C", "E1")}),
            json!({"type": "response.output_item.done", "output_index": 1, "item": call}),
            json!({"type": "response.completed", "response": {"status": "completed", "output": [thought("D", "E2"), call]}}),
        ],
    );
    assert_eq!(response.reasoning.as_deref(), Some("Hm."));
    let items = back(AdapterKind::OpenAIResp, response);
    let encrypted: Vec<_> = items.as_array().unwrap().iter().map(|item| &item["encrypted_content"]).collect();
    assert_eq!(encrypted, [&json!("E2"), &Value::Null]);
}

#[test]
fn o3_a_text_of_blanks_is_not_sent_where_it_is_refused() {
    let calls = vec![ToolCall::new("a", "f", "{}")];
    let mut response = ModelResponse::text("\n\n");
    response.tool_calls = calls;
    for kind in [AdapterKind::Anthropic, AdapterKind::BedrockApi] {
        let content = back(kind, response.clone());
        assert_eq!(content.as_array().unwrap().len(), 1, "{kind}: {content}");
    }
    let result = |text: &str| Message::tool([ToolResultMessage::new("a", "f", [ContentBlock::text(text)])]);
    for text in ["", " \n"] {
        let request = request(vec![response.clone().into(), result(text)]);
        let body = sent(&request, AdapterKind::Anthropic);
        assert_eq!(body["messages"][1]["content"][0].get("content"), None, "{body}");
        let body = sent(&request, AdapterKind::BedrockApi);
        let content = &body["messages"][1]["content"][0]["toolResult"]["content"];
        assert_eq!(content, &json!([{"text": "[no output]"}]), "{body}");
    }
}

#[test]
fn o3_what_a_server_signs_within_a_call_goes_back_with_it() {
    let signed = json!({"index": 0, "id": "a", "type": "function", "extra_content": {"google": {"thought_signature": "S1"}},
        "function": {"name": "f", "arguments": "{}", "thought_signature": "S2"}});
    let plain =
        json!({"index": 1, "id": "b", "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let document =
        json!({"choices": [{"message": {"tool_calls": [signed, plain]}, "finish_reason": "tool_calls"}]});
    let events = [
        json!({"choices": [{"delta": {"tool_calls": [signed]}}]}),
        json!({"choices": [{"delta": {"tool_calls": [plain]}}]}),
        json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}),
    ];
    let kind = AdapterKind::OpenAI;
    for response in [whole(kind, &document), streamed(kind, &events)] {
        let mut calls = back(kind, response)["tool_calls"].clone();
        for (call, wanted) in calls.as_array_mut().unwrap().iter_mut().zip([&signed, &plain]) {
            call["index"] = wanted["index"].clone();
            assert_eq!(call, wanted);
        }
    }
}

#[test]
fn o3_open_reasoning_goes_back_to_ollama_and_cohere_with_calls() {
    let call = json!({"id": "a", "type": "function", "function": {"name": "f", "arguments": {}}});
    let message = json!({"message": {"role": "assistant", "content": "", "thinking": "Hm.", "tool_calls": [call]}, "done": true});
    let sent = back(AdapterKind::Ollama, whole(AdapterKind::Ollama, &message));
    assert_eq!(sent["thinking"], "Hm.", "{sent}");
    let thought = json!([{"type": "thinking", "thinking": "Hm."}]);
    let message = json!({"message": {"role": "assistant", "tool_plan": "I look.", "content": thought, "tool_calls": [call]},
        "finish_reason": "TOOL_CALL"});
    let sent = back(AdapterKind::Cohere, whole(AdapterKind::Cohere, &message));
    assert_eq!((&sent["content"], &sent["tool_plan"]), (&thought, &json!("I look.")), "{sent}");
    // Without calls, it has served.
    let message = json!({"message": {"content": "Done.", "thinking": "Hm."}, "done": true});
    let sent = back(AdapterKind::Ollama, whole(AdapterKind::Ollama, &message));
    assert_eq!(sent.get("thinking"), None, "{sent}");
}

#[test]
fn o3_an_empty_field_of_reasoning_does_not_hide_the_other_one() {
    let call = json!({"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let message = json!({"reasoning_content": "", "reasoning": "Hm.", "tool_calls": [call]});
    let document = json!({"choices": [{"message": message, "finish_reason": "tool_calls"}]});
    let response = whole(AdapterKind::OpenAI, &document);
    assert_eq!(response.reasoning.as_deref(), Some("Hm."));
    assert_eq!(back(AdapterKind::OpenAI, response)["reasoning"], "Hm.");
}

#[test]
fn o3_a_name_that_providers_refuse_is_not_sent_again() {
    let long = "x".repeat(300);
    for (name, expected) in [
        ("functions.echo tool!", "functions_echo_tool_"),
        ("default_api:echo", "default_api_echo"),
        ("gr\u{fc}\u{df}e", "gr__e"),
        (&*long, &long[..64]),
        ("echo-1_b", "echo-1_b"),
    ] {
        let said = Message::from(ModelResponse::tool_calls([ToolCall::new("a", name, "{}")]));
        let result = ToolResultMessage::new("a", name, [ContentBlock::text("Unknown tool.")]);
        let request = request(vec![said, Message::tool([result])]);
        for kind in KINDS {
            let body = sent(&request, kind).to_string();
            assert!(body.contains(&format!("\"{expected}\"")), "{kind}: {body}");
            assert_eq!(body.contains(&format!("\"{name}\"")), name == expected, "{kind}: {body}");
        }
    }
}

#[test]
fn o3_what_one_server_signed_does_not_go_to_another() {
    let data = |endpoint: &str| json!({"adapter": "anthropic", "endpoint": endpoint, "blocks": [thought(1)]});
    for (endpoint, is_sent) in [
        ("a.example/v1/", true),
        ("b.example/v1/", false),
        ("a.example:8080/v1/", false),
        ("a.example/other/v1/", false),
        ("", true),
    ] {
        let mut response = ModelResponse::tool_calls([ToolCall::new("a", "f", "{}")]);
        response.provider_data = Some(data(endpoint));
        let request = request(vec![response.into()]);
        let kind = AdapterKind::Anthropic;
        let request = ProviderRequest {
            model_request: &request,
            kind,
            endpoint: "a.example/v1/",
            name: "m",
            tools: &[],
            stream: true,
        };
        let body = Value::Object(Protocol::Anthropic.body(&request).unwrap()).to_string();
        assert_eq!(body.contains("S1"), is_sent, "{endpoint}: {body}");
    }
}

#[test]
fn o3_a_conversation_with_calls_has_tools_where_they_are_required() {
    let said = Message::from(ModelResponse::tool_calls([ToolCall::new("a", "look", "{}")]));
    let result = ToolResultMessage::new("a", "look", [ContentBlock::text("Fog.")]);
    let request = request(vec![said, Message::tool([result])]);
    let body = sent(&request, AdapterKind::Anthropic);
    assert_eq!((&body["tools"][0]["name"], &body["tool_choice"]["type"]), (&json!("look"), &json!("none")));
    let body = sent(&request, AdapterKind::BedrockApi);
    assert_eq!(body["toolConfig"]["tools"][0]["toolSpec"]["name"], "look", "{body}");
    let body = sent(&super::request(vec![Message::user("hi")]), AdapterKind::Anthropic);
    assert_eq!((body.get("tools"), body.get("tool_choice")), (None, None));
}

#[test]
fn o3_blanks_beside_a_picture_are_not_sent_where_they_are_refused() {
    let dot = ContentBlock::from(Image(Media::new("iVBORw0KGgo=", "image/png")));
    let request = request(vec![Message::user_content([ContentBlock::text(" "), dot])]);
    for kind in [AdapterKind::Anthropic, AdapterKind::BedrockApi] {
        let body = sent(&request, kind);
        assert_eq!(body["messages"][0]["content"].as_array().unwrap().len(), 1, "{kind}: {body}");
    }
}

#[test]
fn o3_thoughts_are_asked_for_and_ids_sent_where_they_are_taken() {
    let said = Message::from(ModelResponse::tool_calls([ToolCall::new("a", "look", "{}")]));
    let request = request(vec![said]);
    let body = |kind, name| {
        let request =
            ProviderRequest { model_request: &request, kind, endpoint: "", name, tools: &[], stream: true };
        Value::Object(Protocol::Gemini.body(&request).unwrap())
    };
    for (name, thinks) in [
        ("gemini-2.5-pro", true),
        ("gemini-3-flash-preview", true),
        ("models/gemini-2.5-flash", true),
        ("gemini-flash-latest", true),
        ("gemini-2.5-flash-lite", false),
        ("gemini-2.5-flash-image", false),
        ("models/gemini-2.0-flash", false),
        ("gemma-3-27b-it", false),
        ("learnlm-2.0-flash-experimental", false),
    ] {
        let body = body(AdapterKind::Gemini, name);
        assert_eq!(body.pointer("/generationConfig/thinkingConfig").is_some(), thinks, "{name}: {body}");
    }
    for (name, is_signed) in
        [("gemini-3-pro", true), ("gemini-flash-latest", true), ("gemini-2.5-pro", false)]
    {
        let body = body(AdapterKind::Gemini, name);
        assert_eq!(
            body.pointer("/contents/0/parts/0/thoughtSignature").is_some(),
            is_signed,
            "{name}: {body}"
        );
    }
    let place = "/contents/0/parts/0/functionCall/id";
    assert_eq!(body(AdapterKind::Gemini, "gemini-2.5-pro").pointer(place), Some(&json!("a")));
    assert_eq!(body(AdapterKind::Vertex, "gemini-2.5-pro").pointer(place), None);
}

#[test]
fn o3_bedrock_counts_cached_input_and_says_that_a_call_is_malformed() {
    let document = |reason: &str| {
        json!({"output": {"message": {"content": [{"text": "I pay."}]}}, "stopReason": reason,
            "usage": {"inputTokens": 3, "cacheReadInputTokens": 100, "cacheWriteInputTokens": 20, "outputTokens": 5}})
    };
    let usage = whole(AdapterKind::BedrockApi, &document("end_turn")).usage;
    assert_eq!((usage.input_tokens, usage.output_tokens), (123, 5));
    assert_eq!((usage.cached_input_tokens, usage.cache_write_tokens), (100, 20));
    for reason in ["malformed_tool_use", "malformed_model_output"] {
        let mut sink = |_| {};
        let mut answer = Answer::new("bedrock_api", &mut sink);
        let error = Protocol::Bedrock.document(&mut answer, &document(reason)).unwrap_err();
        assert!(matches!(&error, ModelError::Incomplete(text) if text.contains(reason)), "{error}");
    }
}

#[test]
fn o3_a_call_of_responses_with_two_texts_does_not_run() {
    let call = |arguments: &str| json!({"type": "function_call", "id": "A", "call_id": "a", "name": "pay", "arguments": arguments});
    let event = |kind: &str, rest: Value| {
        let mut event = json!({"type": kind, "output_index": 0});
        event.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        event
    };
    for (last, is_read) in [("{\"cents\":50}", true), ("{ \"cents\": 50 }", true), ("{\"cents\":5}", false)] {
        let mut sink = |_| {};
        let mut answer = Answer::new("openai_resp", &mut sink);
        let events = [
            event("response.output_item.added", json!({"item": call("")})),
            event("response.function_call_arguments.delta", json!({"delta": "{\"cents\":50}"})),
            event("response.output_item.done", json!({"item": call(last)})),
        ];
        let read =
            events.iter().try_for_each(|event| Protocol::Responses.event(&mut answer, event).map(|_| ()));
        assert_eq!(read.is_ok(), is_read, "{last}: {read:?}");
    }
}

#[test]
fn o3_the_reasoning_of_each_answer_goes_back_where_it_is_required() {
    let message = json!({"content": "One.", "reasoning_content": "Hm."});
    let document = json!({"choices": [{"message": message, "finish_reason": "stop"}]});
    for (kind, goes_back) in
        [(AdapterKind::DeepSeek, true), (AdapterKind::OpenAI, false), (AdapterKind::Kimi, true)]
    {
        let sent = back(kind, whole(kind, &document));
        assert_eq!(sent.get("reasoning_content").is_some(), goes_back, "{kind}: {sent}");
    }
    // The answers of other models have none.
    let mut other = ModelResponse::text("One.");
    other.tool_calls = vec![ToolCall::new("a", "f", "{}")];
    for kind in [AdapterKind::DeepSeek, AdapterKind::Kimi] {
        assert_eq!(back(kind, other.clone())["reasoning_content"], " ", "{kind}");
    }
    assert_eq!(back(AdapterKind::OpenAI, other).get("reasoning_content"), None);
    // The same server, asked as one that speaks the protocol of `OpenAI`.
    let mut sink = |_| {};
    let mut answer = Answer::new("openai", &mut sink);
    answer.carried.endpoint = "api.deepseek.com/v1/".to_owned();
    Protocol::Chat.document(&mut answer, &document).unwrap();
    let data = answer.finish().unwrap().response.provider_data.unwrap();
    assert_eq!(data["reasoning"]["reasoning_content"], "Hm.", "{data}");
}

#[test]
fn o3_a_message_of_calls_alone_has_no_text() {
    for text in ["", " \n", "So."] {
        let mut response = ModelResponse::text(text);
        response.tool_calls = vec![ToolCall::new("a", "f", "{}")];
        let content = back(AdapterKind::OpenAI, response)["content"].clone();
        assert_eq!(content, if text == "So." { json!("So.") } else { Value::Null });
    }
}
