//! How the pieces of the protocols become an answer.

use serde_json::{Value, json};

use super::{request, sent};
use crate::answer::Answer;
use crate::protocol::{Flow, Protocol};
use genai::adapter::AdapterKind;
use onionskin_core::model::{Message, ModelDelta, ModelError, ModelResponse, StopReason};

type Outcome = Result<(ModelResponse, Vec<ModelDelta>), ModelError>;

fn read(protocol: Protocol, events: &[Value]) -> Outcome {
    let mut deltas = Vec::new();
    let mut note = |delta| deltas.push(delta);
    let mut answer = Answer::new("x", &mut note);
    for event in events {
        if protocol.event(&mut answer, event)? == Flow::End {
            break;
        }
    }
    let response = answer.finish()?.response;
    Ok((response, deltas))
}

fn chunk(delta: &Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn chat(calls: &[Value], reason: &str) -> Outcome {
    let mut events: Vec<_> = calls.iter().map(|calls| chunk(&json!({"tool_calls": calls}))).collect();
    events.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}));
    read(Protocol::Chat, &events)
}

fn calls(response: &ModelResponse) -> Vec<(&str, &str, &str)> {
    response.tool_calls.iter().map(|call| (&*call.id, &*call.name, &*call.arguments)).collect()
}

/// The pieces of each call add up to it.
fn pieces_add_up((response, deltas): &(ModelResponse, Vec<ModelDelta>)) {
    for call in &response.tool_calls {
        let pieces = deltas.iter().filter_map(|delta| match delta {
            ModelDelta::ToolCall(piece) if piece.id == call.id => Some(&*piece.arguments),
            _ => None,
        });
        assert_eq!(pieces.collect::<String>(), *call.arguments, "{deltas:?}");
    }
}

/// What it is, the pieces, and the calls that they are.
type Case = (&'static str, Vec<Value>, Vec<(&'static str, &'static str, &'static str)>);

#[test]
fn o3_calls_of_a_chat_stream_stay_apart_whatever_marks_they_have() {
    let call = |index: Value, id: Value, name: Value, arguments: Value| json!({"index": index, "id": id, "function": {"name": name, "arguments": arguments}});
    let null = || Value::Null;
    let cases: Vec<Case> = vec![
        (
            "no index",
            vec![
                json!([call(null(), json!("a"), json!("f"), json!("{\"x\""))]),
                json!([call(null(), null(), null(), json!(": 1}"))]),
                json!([call(null(), json!("b"), json!("g"), json!("{}"))]),
            ],
            vec![("a", "f", "{\"x\": 1}"), ("b", "g", "{}")],
        ),
        (
            "all with index 0",
            vec![
                json!([call(json!(0), json!("a"), json!("f"), json!("{}"))]),
                json!([call(json!(0), json!("b"), json!("f"), json!("{\"x\": 2}"))]),
            ],
            vec![("a", "f", "{}"), ("b", "f", "{\"x\": 2}")],
        ),
        (
            "1 before 0, and a very large number",
            vec![
                json!([call(json!(4_000_000_000_u64), json!("b"), json!("g"), json!("{"))]),
                json!([call(json!(0), json!("a"), json!("f"), json!("{}"))]),
                json!([call(json!(4_000_000_000_u64), null(), null(), json!("}"))]),
            ],
            vec![("b", "g", "{}"), ("a", "f", "{}")],
        ),
        (
            "equal ids",
            vec![
                json!([call(json!(0), json!("x"), json!("f"), json!("{\"x\": 1}"))]),
                json!([call(json!(1), json!("x"), json!("f"), json!("{\"x\": 2}"))]),
            ],
            vec![("x", "f", "{\"x\": 1}"), ("x_2", "f", "{\"x\": 2}")],
        ),
        (
            "empty ids",
            vec![json!([
                call(json!(0), json!(""), json!("f"), json!("{\"x\": 1}")),
                call(json!(1), json!(""), json!("f"), json!(""))
            ])],
            vec![("_1", "f", "{\"x\": 1}"), ("_2", "f", "{}")],
        ),
        (
            "no marks, several in an event",
            vec![
                json!([
                    call(null(), null(), json!("f"), json!("{\"x\"")),
                    call(null(), null(), json!("f"), json!("{\"y\""))
                ]),
                json!([
                    call(null(), null(), null(), json!(": 1}")),
                    call(null(), null(), null(), json!(": 2}"))
                ]),
            ],
            vec![("_1", "f", "{\"x\": 1}"), ("_2", "f", "{\"y\": 2}")],
        ),
        (
            "a new id with each piece, and the name with each piece",
            vec![
                json!([call(json!(0), json!("a"), json!("f"), json!("{\"x\""))]),
                json!([call(json!(0), json!("b"), null(), json!(": "))]),
                json!([call(json!(0), json!("a"), json!("f"), json!("1}"))]),
            ],
            vec![("a", "f", "{\"x\": 1}")],
        ),
        (
            "arguments as an object",
            vec![json!([call(json!(0), json!("a"), json!("f"), json!({"x": 1}))])],
            vec![("a", "f", "{\"x\":1}")],
        ),
        (
            "no arguments",
            vec![json!([call(json!(0), json!("a"), json!("f"), null())])],
            vec![("a", "f", "{}")],
        ),
    ];
    for (case, events, expected) in cases {
        for reason in ["tool_calls", "stop"] {
            let outcome = chat(&events, reason).unwrap_or_else(|error| panic!("{case}: {error}"));
            assert_eq!(calls(&outcome.0), expected, "{case}");
            assert_eq!(outcome.0.stop, StopReason::ToolCalls, "{case}");
            pieces_add_up(&outcome);
        }
    }
    let legacy = [
        chunk(&json!({"function_call": {"name": "f", "arguments": ""}})),
        chunk(&json!({"function_call": {"arguments": "{\"x\": 1}"}})),
        json!({"choices": [{"delta": {}, "finish_reason": "function_call"}]}),
    ];
    assert_eq!(calls(&read(Protocol::Chat, &legacy).unwrap().0), [("_1", "f", "{\"x\": 1}")]);
}

#[test]
fn o3_an_answer_without_what_it_announced_is_incomplete() {
    let incomplete = |outcome: Outcome| match outcome {
        Err(error @ ModelError::Incomplete(_)) => assert!(error.is_transient()),
        other => panic!("{other:?}"),
    };
    incomplete(chat(&[], "tool_calls"));
    incomplete(chat(&[], "stop"));
    incomplete(chat(&[], "something new"));
    incomplete(chat(&[json!([{"index": 0, "id": "a", "function": {"arguments": "{}"}}])], "tool_calls"));
    assert_eq!(chat(&[], "length").unwrap().0.stop, StopReason::Length);
    assert_eq!(chat(&[], "content_filter").unwrap().0.stop, StopReason::ContentFilter);
    assert!(matches!(
        read(Protocol::Chat, &[chunk(&json!({"content": "x"}))]),
        Err(ModelError::Transport(_))
    ));
    let malformed =
        json!({"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "call(x"}]});
    let error = read(Protocol::Gemini, &[malformed]).unwrap_err();
    assert!(matches!(&error, ModelError::Incomplete(text) if text.contains("call(x")), "{error}");
    let blocked = json!({"promptFeedback": {"blockReason": "SAFETY"}});
    assert_eq!(read(Protocol::Gemini, &[blocked]).unwrap().0.stop, StopReason::ContentFilter);
}

#[test]
fn o3_a_call_that_a_limit_cut_off_cannot_run_with_defaults() {
    let cut = chat(&[json!([{"index": 0, "id": "a", "function": {"name": "f", "arguments": ""}}])], "length");
    let (response, _) = cut.unwrap();
    assert_eq!((response.stop, calls(&response)), (StopReason::Length, vec![("a", "f", "{")]));
}

#[test]
fn o3_a_refusal_is_the_text_and_the_reason() {
    let refusal = chunk(&json!({"refusal": "I cannot."}));
    let stop = json!({"choices": [{"delta": {}, "finish_reason": "stop"}]});
    let responses = [
        json!({"type": "response.refusal.delta", "output_index": 0, "delta": "I cannot."}),
        json!({"type": "response.completed", "response": {"status": "completed", "output": [
            {"type": "message", "content": [{"type": "refusal", "refusal": "I cannot."}]}]}}),
    ];
    for outcome in [read(Protocol::Chat, &[refusal, stop]), read(Protocol::Responses, &responses)] {
        let (response, _) = outcome.unwrap();
        assert_eq!((&*response.text, response.stop), ("I cannot.", StopReason::Refusal));
    }
}

fn anthropic(events: &[Value], reason: &str) -> Outcome {
    let mut events = events.to_vec();
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": reason}}));
    events.push(json!({"type": "message_stop"}));
    read(Protocol::Anthropic, &events)
}

fn tool_use(index: u32, id: &str, input: &Value) -> Value {
    json!({"type": "content_block_start", "index": index,
           "content_block": {"type": "tool_use", "id": id, "name": "f", "input": input}})
}

fn partial(index: u32, text: &str) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": text}})
}

#[test]
fn o3_blocks_of_anthropic_are_read_by_their_numbers() {
    let both = [
        tool_use(0, "a", &json!({})),
        tool_use(1, "b", &json!({})),
        partial(1, "{\"y\": "),
        partial(0, "{\"x\": 1}"),
        partial(1, "2}"),
    ];
    // The blocks are not closed, but each has its whole text.
    let outcome = anthropic(&both, "tool_use").unwrap();
    assert_eq!(calls(&outcome.0), [("a", "f", "{\"x\": 1}"), ("b", "f", "{\"y\": 2}")]);
    pieces_add_up(&outcome);
    let outcome = anthropic(&[tool_use(0, "a", &json!({"x": 1}))], "tool_use").unwrap();
    assert_eq!(calls(&outcome.0), [("a", "f", "{\"x\":1}")]);
    pieces_add_up(&outcome);
    let error = anthropic(&[tool_use(0, "a", &json!({}))], "tool_use").unwrap_err();
    assert!(matches!(error, ModelError::Incomplete(_)), "{error}");
    let closed = [tool_use(0, "a", &json!({})), json!({"type": "content_block_stop", "index": 0})];
    assert_eq!(calls(&anthropic(&closed, "tool_use").unwrap().0), [("a", "f", "{}")]);
    let texts = [
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "He"}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "llo"}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "citations_delta", "citation": {}}}),
    ];
    assert_eq!(anthropic(&texts, "end_turn").unwrap().0.text, "Hello");
}

#[test]
fn o3_tools_of_the_provider_go_back_with_their_input() {
    let events = [
        json!({"type": "content_block_start", "index": 0, "content_block":
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}}),
        partial(0, "{\"query\": \"tide\"}"),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": "High."}}),
    ];
    let (response, _) = anthropic(&events, "end_turn").unwrap();
    assert!(response.tool_calls.is_empty());
    let data = response.provider_data.unwrap();
    assert_eq!(data["blocks"][0]["input"], json!({"query": "tide"}));
}

#[test]
fn o3_the_end_of_a_responses_stream_has_what_its_events_left_out() {
    let item = |id: &str, arguments: &str| json!({"type": "function_call", "call_id": id, "name": "f", "arguments": arguments});
    let reasoning = json!({"type": "reasoning", "encrypted_content": "opaque", "summary": []});
    let events = [
        json!({"type": "response.output_item.added", "output_index": 1, "item": item("a", "")}),
        json!({"type": "response.function_call_arguments.delta", "output_index": 1, "delta": "{\"x\""}),
        json!({"type": "response.function_call_arguments.done", "output_index": 1, "arguments": "{\"x\": 1}"}),
        json!({"type": "response.completed", "response": {"id": "r", "status": "completed",
            "output": [reasoning, item("a", "{\"x\": 1}"), item("b", "{}")]}}),
    ];
    let outcome = read(Protocol::Responses, &events).unwrap();
    assert_eq!(calls(&outcome.0), [("a", "f", "{\"x\": 1}"), ("b", "f", "{}")]);
    pieces_add_up(&outcome);
    assert_eq!(outcome.0.provider_data.unwrap()["blocks"][0]["encrypted_content"], "opaque");
    let mut cut = events[..2].to_vec();
    cut.push(json!({"type": "response.completed", "response": {"status": "completed", "output": []}}));
    // Its text came in part: the tool says that it is broken.
    assert_eq!(calls(&read(Protocol::Responses, &cut).unwrap().0), [("a", "f", "{\"x\"")]);
}

#[test]
fn o3_cohere_and_ollama_call_tools() {
    let cohere = [
        json!({"type": "message-start", "id": "m"}),
        json!({"type": "tool-call-start", "index": 0, "delta": {"message": {"tool_calls":
            {"id": "a", "type": "function", "function": {"name": "f", "arguments": ""}}}}}),
        json!({"type": "tool-call-delta", "index": 0,
               "delta": {"message": {"tool_calls": {"function": {"arguments": "{\"x\": 1}"}}}}}),
        json!({"type": "tool-call-end", "index": 0}),
        json!({"type": "message-end", "delta": {"finish_reason": "TOOL_CALL",
            "usage": {"tokens": {"input_tokens": 3, "output_tokens": 4}}}}),
    ];
    let outcome = read(Protocol::Cohere, &cohere).unwrap();
    assert_eq!((calls(&outcome.0), outcome.0.usage.total()), (vec![("a", "f", "{\"x\": 1}")], 7));
    pieces_add_up(&outcome);
    let ollama = [
        json!({"message": {"tool_calls": [{"function": {"name": "f"}}]}, "done": false}),
        json!({"message": {"tool_calls": [{"function": {"name": "g", "arguments": {"x": 1}}}]}, "done": false}),
        json!({"message": {"content": ""}, "done": true, "done_reason": "stop"}),
    ];
    let outcome = read(Protocol::Ollama, &ollama).unwrap();
    assert_eq!(calls(&outcome.0), [("_1", "f", "{}"), ("_2", "g", "{\"x\":1}")]);
    pieces_add_up(&outcome);
}

#[test]
fn o3_the_first_signature_of_each_call_goes_back_to_gemini() {
    let event = json!({"candidates": [{"finishReason": "STOP", "content": {"parts": [
        {"thought": true, "text": "Hm."},
        {"functionCall": {"name": "f", "args": {"x": 1}}, "thoughtSignature": "sig"},
        {"functionCall": {"name": "g", "args": {}}},
    ]}}]});
    let mut sink = |_| {};
    let mut answer = Answer::new("gemini", &mut sink);
    Protocol::Gemini.event(&mut answer, &event).unwrap();
    let response = answer.finish().unwrap().response;
    assert_eq!(response.reasoning.as_deref(), Some("Hm."));
    let body = sent(&request(vec![response.into()]), AdapterKind::Gemini);
    let parts = &body["contents"][0]["parts"];
    assert_eq!(parts[0], json!({"functionCall": {"name": "f", "args": {"x": 1}}, "thoughtSignature": "sig"}));
    assert_eq!(parts[1], json!({"functionCall": {"name": "g", "args": {}}}));
}

#[test]
fn o3_open_reasoning_goes_back_in_its_field_while_tools_are_called() {
    let events = [
        chunk(&json!({"reasoning_content": "Hm"})),
        chunk(&json!({"reasoning_content": "."})),
        chunk(
            &json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}]}),
        ),
        json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}),
    ];
    let mut sink = |_| {};
    let mut answer = Answer::new("deepseek", &mut sink);
    for event in &events {
        Protocol::Chat.event(&mut answer, event).unwrap();
    }
    let message = Message::from(answer.finish().unwrap().response);
    let body = sent(&request(vec![message.clone()]), AdapterKind::DeepSeek);
    assert_eq!(body["messages"][0]["reasoning_content"], "Hm.");
    let body = sent(&request(vec![message]), AdapterKind::OpenAI);
    assert_eq!(body["messages"][0].get("reasoning_content"), None);
}
