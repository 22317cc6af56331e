//! Signed and encrypted reasoning goes back to its provider, and to no other.

use genai::adapter::AdapterKind;
use serde_json::{Value, json};

use super::back::{back, streamed, whole};
use super::prefix::reasoning;
use super::{KINDS, request, sent};
use onionskin_core::model::{ModelResponse, ToolCall};

#[test]
fn o3_signed_parts_go_back_to_gemini_in_their_place() {
    let call = |name: &str| json!({"functionCall": {"id": name, "name": name, "args": {"x": 1}}});
    let signed = |mut part: Value, signature: &str| {
        part["thoughtSignature"] = json!(signature);
        part
    };
    let thought = json!({"thought": true, "text": "Hm."});
    for parts in [
        vec![signed(call("f"), "S1"), call("g")],
        vec![json!({"text": "I look."}), signed(call("f"), "S1")],
        vec![signed(json!({"text": "I look."}), "S0"), signed(call("f"), "S1"), signed(call("g"), "S2")],
        vec![signed(json!({"text": "Done."}), "S0")],
    ] {
        let with_thought: Vec<Value> = [&thought].into_iter().chain(&parts).cloned().collect();
        let event = |parts: &[Value]| json!({"candidates": [{"content": {"parts": parts}}]});
        let mut end = event(&[]);
        end["candidates"][0]["finishReason"] = json!("STOP");
        let mut document = event(&with_thought);
        document["candidates"][0]["finishReason"] = json!("STOP");
        let kind = AdapterKind::Gemini;
        assert_eq!(back(kind, whole(kind, &document)), json!(parts));
        let events: Vec<_> = with_thought.chunks(1).map(event).chain([end]).collect();
        assert_eq!(back(kind, streamed(kind, &events)), json!(parts));
    }
}

#[test]
fn o3_reasoning_of_one_provider_goes_to_no_other() {
    for of in KINDS {
        for to in KINDS {
            let mut response = ModelResponse::tool_calls([ToolCall::new("a", "f", "{}")]);
            response.provider_data = Some(reasoning(of, 1));
            let body = sent(&request(vec![response.into()]), to).to_string();
            let signs = ["c2ln", "encrypted_content\":\"x", "Hm."];
            let is_sent = signs.iter().any(|sign| body.contains(sign));
            // A server of this protocol has the reasoning in another field.
            assert_eq!(is_sent, of == to, "{of} to {to}: {body}");
        }
    }
}
