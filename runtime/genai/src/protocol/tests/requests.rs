//! What the protocols send.

use std::sync::Arc;

use genai::adapter::AdapterKind;
use serde_json::{Value, json};

use super::{KINDS, request, sent, sent_with};
use crate::protocol::{Protocol, ProviderRequest};
use onionskin_core::ToolDefinition;
use onionskin_core::content::{Audio, ContentBlock, Image, Media, Resource};
use onionskin_core::model::{
    Message, ModelError, ModelRequest, ModelResponse, RequestOption, ResponseSchema, ToolCall,
    ToolDeclaration, ToolResultMessage,
};

fn said(text: &str, calls: Vec<ToolCall>, provider_data: Option<Value>) -> Message {
    let mut response = ModelResponse::text(text);
    (response.tool_calls, response.provider_data) = (calls, provider_data);
    response.into()
}

fn dot() -> ContentBlock {
    Image(Media::new("iVBORw0KGgo=", "image/png")).into()
}

/// Two calls and their results, the second of which failed.
fn two_calls() -> ModelRequest {
    let calls =
        vec![ToolCall::new("call#look#0", "look", "{\"x\": 1}"), ToolCall::new("w:0", "look", "{broken")];
    let first = ToolResultMessage::new("call#look#0", "look", [ContentBlock::text("seen")]);
    let mut second = ToolResultMessage::new("w:0", "look", [ContentBlock::text("fog")]);
    second.is_error = true;
    request(vec![Message::user("hi"), said("so", calls, None), Message::tool([first, second])])
}

#[test]
fn l2_what_a_protocol_reads_is_sent_in_its_order() {
    let tone = ContentBlock::from(Audio(Media::new("AAAA", "audio/wav")));
    let page =
        ContentBlock::from(Resource::blob("file:///a.pdf", "JVBERi0=").with_mime_type("application/pdf"));
    let sheet = ContentBlock::from(
        Resource::blob("file:///a.xls", "AAAA").with_mime_type("application/vnd.ms-excel"),
    );
    let notes = ContentBlock::from(Resource::text("file:///a.md", "# A"));
    let parts = [dot(), tone, page, sheet, notes];
    let expected = [
        (AdapterKind::OpenAI, [true, true, true, false, true]),
        (AdapterKind::OpenAIResp, [true, false, true, false, true]),
        (AdapterKind::Anthropic, [true, false, true, false, true]),
        (AdapterKind::Gemini, [true; 5]),
        (AdapterKind::Ollama, [true, false, false, false, true]),
        (AdapterKind::Cohere, [true, false, false, false, true]),
        (AdapterKind::BedrockApi, [true, false, false, false, true]),
    ];
    for (kind, reads) in expected {
        let protocol = Protocol::new(kind, "some-model").unwrap();
        assert_eq!(parts.each_ref().map(|part| protocol.reads(part)), reads, "{kind}");
        for (part, reads) in parts.iter().zip(reads) {
            let content = [ContentBlock::text("What is it?"), part.clone(), ContentBlock::text("Be brief.")];
            let request = request(vec![Message::user_content(content)]);
            let request = ProviderRequest {
                model_request: &request,
                kind,
                endpoint: "",
                name: "some-model",
                tools: &[],
                stream: true,
            };
            match protocol.body(&request) {
                Ok(body) => {
                    assert!(reads, "{kind}");
                    let body = Value::Object(body).to_string();
                    let data = match part {
                        ContentBlock::Image(media) | ContentBlock::Audio(media) => media.data(),
                        ContentBlock::Resource(resource) => resource.as_blob().unwrap_or("# A"),
                        _ => unreachable!(),
                    };
                    // Ollama has pictures beside the text.
                    let places = ["What is it?", data, "Be brief."].map(|part| body.find(part));
                    assert!(places.iter().all(Option::is_some), "{kind}: {body}");
                    assert!(places.is_sorted() || kind == AdapterKind::Ollama, "{kind}: {body}");
                }
                Err(error) => assert!(matches!(error, ModelError::UnreadContent { .. }) && !reads, "{kind}"),
            }
        }
    }
}

#[test]
fn o3_system_and_params_are_sent() {
    let mut request = request(vec![Message::user("hi")]);
    request.system = Some("Be kind.".into());
    request.params.temperature = Some(0.5);
    request.params.top_p = Some(0.25);
    request.params.max_tokens = Some(7);
    for kind in KINDS {
        let has_stop = Protocol::new(kind, "some-model").unwrap().supports(RequestOption::StopSequences);
        assert_eq!(has_stop, kind != AdapterKind::OpenAIResp, "{kind}");
        request.params.stop_sequences = has_stop.then(|| "END".to_owned()).into_iter().collect();
        let has_seed = Protocol::new(kind, "some-model").unwrap().supports(RequestOption::Seed);
        assert_eq!(
            has_seed,
            !matches!(kind, AdapterKind::OpenAIResp | AdapterKind::Anthropic | AdapterKind::BedrockApi),
            "{kind}"
        );
        request.params.seed = has_seed.then_some(3);
        let body = sent(&request, kind).to_string();
        for part in ["Be kind.", "0.5", "0.25", ":7"] {
            assert!(body.contains(part), "{kind} {part}: {body}");
        }
        assert_eq!(body.contains("END"), has_stop, "{kind}: {body}");
        assert_eq!(body.contains("\"seed\":3"), has_seed, "{kind}: {body}");
    }
    request.params.seed = Some(3);
    assert_eq!(sent(&request, AdapterKind::Mistral)["random_seed"], 3);
}

#[test]
fn o3_every_result_is_sent_with_the_id_of_its_call() {
    let pairs = |ids: [&str; 2]| ids.map(str::to_owned).to_vec();
    let words = pairs(["call_look_0_n1", "w_0_n2"]);
    let as_written = pairs(["call#look#0", "w:0"]);
    for (kind, calls, results, ids) in [
        (AdapterKind::OpenAI, "/messages/1/tool_calls/*/id", "/messages/2../tool_call_id", &as_written),
        (AdapterKind::OpenAIResp, "/input/2../call_id", "/input/4../call_id", &words),
        (AdapterKind::Anthropic, "/messages/1/content/1../id", "/messages/2/content/*/tool_use_id", &words),
        (
            AdapterKind::Gemini,
            "/contents/1/parts/1../functionCall/id",
            "/contents/2/parts/*/functionResponse/id",
            &as_written,
        ),
        (AdapterKind::Ollama, "/messages/1/tool_calls/*/id", "/messages/2../tool_call_id", &as_written),
        (AdapterKind::Cohere, "/messages/1/tool_calls/*/id", "/messages/2../tool_call_id", &as_written),
        (
            AdapterKind::BedrockApi,
            "/messages/1/content/1../toolUse/toolUseId",
            "/messages/2/content/*/toolResult/toolUseId",
            &words,
        ),
    ] {
        let body = sent(&two_calls(), kind);
        assert_eq!(every(&body, calls)[..2], ids[..], "{kind}: {body}");
        assert_eq!(every(&body, results), ids[..], "{kind}: {body}");
        let text = body.to_string();
        assert!(text.contains("seen") && text.contains("fog"), "{kind}: {body}");
        assert!(text.contains("invalid_arguments"), "{kind}: {body}");
    }
    let nine = sent(&two_calls(), AdapterKind::Mistral);
    assert_eq!(every(&nine, "/messages/2../tool_call_id"), ["call00001", "call00002"]);
}

/// The texts at a path in which `*` is every element of a list, and `2..` every element from the third on.
fn every(body: &Value, path: &str) -> Vec<String> {
    let mut values = vec![body];
    for step in path.split('/').skip(1) {
        let from =
            if step == "*" { Some(0) } else { step.strip_suffix("..").map(|from| from.parse().unwrap()) };
        values = values
            .into_iter()
            .flat_map(|value| match from {
                Some(from) => value.as_array().into_iter().flatten().skip(from).collect::<Vec<_>>(),
                None => {
                    value.get(step).or_else(|| value.get(step.parse::<usize>().ok()?)).into_iter().collect()
                }
            })
            .collect();
    }
    values.into_iter().map(|value| value.as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn o3_a_failed_result_is_marked_where_the_protocol_has_a_mark() {
    let marks = [
        (AdapterKind::Anthropic, "/messages/2/content", "is_error"),
        (AdapterKind::Gemini, "/contents/2/parts", "\"error\":\"fog\""),
        (AdapterKind::BedrockApi, "/messages/2/content", "\"status\":\"error\""),
    ];
    for (kind, place, mark) in marks {
        let body = sent(&two_calls(), kind);
        let results = body.pointer(place).unwrap();
        let marked = [0, 1].map(|at| results[at].to_string().contains(mark));
        assert_eq!(marked, [false, true], "{kind}: {results}");
    }
    for kind in KINDS {
        let has_mark = marks.iter().any(|(marked, ..)| *marked == kind);
        assert_eq!(Protocol::new(kind, "some-model").unwrap().carries().error_marks, has_mark, "{kind}");
    }
}

#[test]
fn o3_each_protocol_carries_tools() {
    let schema = json!({"type": "object", "properties": {"at": {"type": "string"}}});
    let definition = ToolDefinition::new("look", "Looks around.").with_input_schema(schema);
    let tools: Arc<[ToolDeclaration]> = [ToolDeclaration::new("look", &definition)].into();
    for kind in KINDS {
        let wire = crate::tools::Declared::default().tools(&tools, kind.as_lower_str()).unwrap();
        let body = sent_with(&request(vec![Message::user("hi")]), kind, &wire);
        let text = body.to_string();
        for part in ["\"look\"", "Looks around.", "\"at\""] {
            assert!(text.contains(part), "{kind} {part}: {body}");
        }
    }
}

#[test]
fn o3_tool_calls_go_back_as_objects_even_when_they_were_broken() {
    let texts = ["{\"x\": 1}", "", "{broken", "[1]"];
    let calls =
        texts.iter().enumerate().map(|(at, text)| ToolCall::new(format!("c{at}"), "f", *text)).collect();
    let body = sent(&request(vec![said("so", calls, None)]), AdapterKind::OpenAI);
    let sent = every(&body, "/messages/0/tool_calls/*/function/arguments");
    let expected =
        [r#"{"x":1}"#, "{}", r#"{"invalid_arguments":"{broken"}"#, r#"{"invalid_arguments":"[1]"}"#];
    assert_eq!(sent, expected);
    assert_eq!(body["messages"][0]["content"], "so");
}

#[test]
fn o3_provider_data_goes_back_to_its_own_provider_only() {
    let block = json!({"type": "thinking", "thinking": "hm", "signature": "sig"});
    let carried = json!({"adapter": "anthropic", "blocks": [block]});
    let calls = vec![ToolCall::new("c", "f", "{}")];
    let request = request(vec![said("", calls, Some(carried)), said("hi", Vec::new(), Some(json!(3)))]);
    assert_eq!(sent(&request, AdapterKind::Anthropic)["messages"][0]["content"][0], block);
    for kind in KINDS.into_iter().filter(|kind| *kind != AdapterKind::Anthropic) {
        assert!(!sent(&request, kind).to_string().contains("sig"), "{kind}");
    }
}

#[test]
fn o3_pictures_in_results_follow_them() {
    let result = |id: &str, content: Vec<ContentBlock>| ToolResultMessage::new(id, "look", content);
    let calls = vec![ToolCall::new("c1", "look", "{}"), ToolCall::new("c2", "look", "{}")];
    let results = [
        result("c1", vec![ContentBlock::text("seen"), dot()]),
        result("c2", vec![Audio(Media::new("AAAA", "audio/wav")).into()]),
    ];
    let request = request(vec![said("", calls, None), Message::tool(results)]);
    let body = sent(&request, AdapterKind::OpenAI);
    assert_eq!(body["messages"][1]["content"], "seen\n[attached below: Picture]");
    let media = &body["messages"][3]["content"];
    assert!(media[0]["text"].as_str().unwrap().contains("call c1"), "{media}");
    assert_eq!(media[1]["image_url"]["url"], "data:image/png;base64,iVBORw0KGgo=");
    assert_eq!(media[3]["input_audio"]["format"], "wav");
    // So is what no protocol of this kind reads, and what is no picture at all.
    let odd = |data: &str, mime_type: &str| ContentBlock::from(Image(Media::new(data, mime_type)));
    let file = |data: &str| ContentBlock::from(Resource::blob("file:///a", data));
    let blocks = vec![
        odd("AAAA", "image/svg+xml"),
        odd("no picture", "image/png"),
        odd("", "image/png"),
        file("AAAA"),
        ContentBlock::from(Resource::blob("file:///b.png", "iVBORw0KGgo=").with_mime_type("image/png")),
    ];
    let calls = vec![ToolCall::new("c1", "look", "{}")];
    let odd = super::request(vec![said("", calls, None), Message::tool([result("c1", blocks)])]);
    for kind in KINDS {
        let body = sent(&odd, kind).to_string();
        for part in [
            "[Picture (`image/svg+xml`), which this model does not read]",
            "[Picture (`image/png`), whose data are no base64]",
            "iVBORw0KGgo=",
            "[attached below: Picture <file:///b.png>]",
        ] {
            assert!(body.contains(part), "{kind} {part}: {body}");
        }
        assert!(!body.contains("no picture") && !body.contains("image/svg+xml;"), "{kind}: {body}");
        let named = "[File <file:///a> (`application/octet-stream`), which this model does not read]";
        assert!(body.contains(named), "{kind}: {body}");
    }
    // What a protocol does not read is said in its place.
    let body = sent(&request, AdapterKind::Anthropic);
    assert!(body["messages"][1]["content"][1]["content"].as_str().unwrap().contains("audio/wav"), "{body}");
    assert!(!body.to_string().contains("AAAA"), "{body}");
}

#[test]
fn o3_mistral_gets_no_message_of_the_user_behind_results() {
    let result = ToolResultMessage::new("c", "look", vec![ContentBlock::text("seen"), dot()]);
    let calls = vec![ToolCall::new("c", "look", "{}")];
    let request = request(vec![said("", calls, None), Message::tool([result]), Message::user("again")]);
    let roles = |kind| every(&sent(&request, kind), "/messages/*/role");
    assert_eq!(roles(AdapterKind::OpenAI), ["assistant", "tool", "user", "user"]);
    assert_eq!(roles(AdapterKind::Mistral), ["assistant", "tool", "assistant", "user", "user"]);
    assert_eq!(sent(&request, AdapterKind::Mistral).get("stream_options"), None);
}

#[test]
fn o3_open_reasoning_does_not_go_back_to_groq() {
    let calls = vec![ToolCall::new("c", "f", "{}")];
    let carried = |adapter: &str| json!({"adapter": adapter, "reasoning": {"reasoning": "Hm."}});
    for (kind, goes_back) in [(AdapterKind::Groq, false), (AdapterKind::DeepSeek, true)] {
        let request = request(vec![said("", calls.clone(), Some(carried(kind.as_lower_str())))]);
        assert_eq!(sent(&request, kind).to_string().contains("Hm."), goes_back, "{kind}");
    }
}

#[test]
fn o3_an_empty_answer_is_not_sent() {
    for kind in KINDS {
        let plain = sent(&request(vec![Message::user("again")]), kind);
        let with = sent(&request(vec![Message::assistant(""), Message::user("again")]), kind);
        assert_eq!(plain, with, "{kind}");
    }
}

/// The body of a request to a model of this name at this server.
fn body_for(kind: AdapterKind, name: &str, endpoint: &str, stream: bool) -> Value {
    let mut request = request(vec![Message::user("hi")]);
    request.params.max_tokens = (kind != AdapterKind::Fireworks).then_some(7);
    let request = ProviderRequest { model_request: &request, kind, endpoint, name, tools: &[], stream };
    Value::Object(Protocol::new(kind, name).unwrap().body(&request).unwrap())
}

#[test]
fn o3_a_limit_of_tokens_has_the_name_that_the_model_takes() {
    for (name, endpoint, field) in [
        ("gpt-5-mini", "", "max_completion_tokens"),
        ("ft:gpt-5-mini:acme::x", "", "max_completion_tokens"),
        ("codex-mini-latest", "", "max_completion_tokens"),
        ("openai/o3", "gateway.example/v1/", "max_completion_tokens"),
        ("gpt-4o", "api.openai.com/v1/", "max_tokens"),
        ("ft:gpt-4o:acme::x", "api.openai.com/v1/", "max_tokens"),
        ("our-deployment", "acme.openai.azure.com/openai/v1/", "max_completion_tokens"),
        ("our-model", "127.0.0.1:8080/v1/", "max_tokens"),
    ] {
        assert_eq!(body_for(AdapterKind::OpenAI, name, endpoint, true)[field], 7, "{name}");
    }
    for (stream, most) in [(true, 512_000), (false, 4_096)] {
        assert_eq!(body_for(AdapterKind::Fireworks, "m", "", stream)["max_tokens"], most);
    }
}

#[test]
fn o3_responses_are_asked_for_reasoning_only_where_a_model_reasons() {
    for (name, reasons) in [
        ("gpt-5", true),
        ("o3", true),
        ("gpt-5-chat-latest", false),
        ("openai/gpt-4o", false),
        ("qwen3", false),
    ] {
        let body = body_for(AdapterKind::OpenAIResp, name, "", true);
        assert_eq!(body.get("include").is_some(), reasons, "{name}: {body}");
        // A summary is for organisations that are verified.
        assert_eq!(body.get("reasoning"), None, "{name}: {body}");
    }
}

#[test]
fn o3_extra_fields_do_not_replace_what_the_agent_has() {
    let mut request = request(vec![Message::user("hi")]);
    request.params.temperature = Some(0.5);
    let schema = json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false});
    for (kind, extra, retained) in [
        (
            AdapterKind::OpenAIResp,
            json!({"text": {"verbosity": "low"}}),
            &["\"json_schema\"", "verbosity"][..],
        ),
        (AdapterKind::OpenAIResp, json!({"tools": [{"type": "web_search"}]}), &["\"look\"", "web_search"]),
        (AdapterKind::Anthropic, json!({"output_config": {"effort": "low"}}), &["\"json_schema\"", "effort"]),
        (
            AdapterKind::Gemini,
            json!({"generationConfig": {"responseModalities": ["TEXT"]}}),
            &["responseJsonSchema", "0.5", "TEXT"],
        ),
        (AdapterKind::Ollama, json!({"options": {"num_ctx": 32768}}), &["0.5", "32768"]),
    ] {
        request.params.response_schema = Some(ResponseSchema::new("form", schema.clone()).unwrap());
        request.params.extra_body = extra.as_object().unwrap().clone();
        let tools: Arc<[ToolDeclaration]> =
            [ToolDeclaration::new("look", &ToolDefinition::new("look", "Looks."))].into();
        let wire = crate::tools::Declared::default().tools(&tools, kind.as_lower_str()).unwrap();
        let body = sent_with(&request, kind, &wire).to_string();
        for part in retained {
            assert!(body.contains(part), "{kind} {part}: {body}");
        }
    }
}

#[test]
fn o3_a_name_in_a_path_stays_one_segment() {
    let path = |kind, name: &str| Protocol::new(kind, name).unwrap().path(kind, name, false);
    for (kind, name, expected) in [
        (AdapterKind::Gemini, "gemini-2.5-pro", "models/gemini-2.5-pro:generateContent"),
        (AdapterKind::Gemini, "models/gemini-2.5-pro", "models/gemini-2.5-pro:generateContent"),
        (AdapterKind::Gemini, "tunedModels/mine", "tunedModels/mine:generateContent"),
        (AdapterKind::Gemini, "../../admin", "models/..%2F..%2Fadmin:generateContent"),
        (AdapterKind::Gemini, "gemini-2.5-pro?x=1#y", "models/gemini-2.5-pro%3Fx%3D1%23y:generateContent"),
        (
            AdapterKind::Vertex,
            "claude-x@20260101/y",
            "publishers/anthropic/models/claude-x@20260101%2Fy:rawPredict",
        ),
        (
            AdapterKind::BedrockApi,
            "arn:aws:bedrock:eu:1:p/m?",
            "model/arn:aws:bedrock:eu:1:p%2Fm%3F/converse",
        ),
    ] {
        assert_eq!(path(kind, name), expected);
    }
}
