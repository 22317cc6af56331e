//! Each request repeats the one before it and appends to it, because providers cache prompts by their beginnings.

use genai::adapter::AdapterKind;
use serde_json::{Value, json};

use super::{request, sent_with};
use crate::protocol::{Protocol, cache_marks};
use crate::tools::WireTool;
use onionskin_core::content::{ContentBlock, Image, Media};
use onionskin_core::model::{Message, ModelRequest, ModelResponse, ToolCall, ToolResultMessage};

const KINDS: [AdapterKind; 11] = [
    AdapterKind::OpenAI,
    AdapterKind::DeepSeek,
    AdapterKind::Mistral,
    AdapterKind::Groq,
    AdapterKind::OpenAIResp,
    AdapterKind::Anthropic,
    AdapterKind::MiniMax,
    AdapterKind::Gemini,
    AdapterKind::Ollama,
    AdapterKind::Cohere,
    AdapterKind::BedrockApi,
];

/// Numbers that are the same in each test run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    fn text(&mut self) -> String {
        let words = ["Grüße", "rain?", "  ", "\"quoted\"", "東京", "No."];
        (0..=self.below(3)).map(|_| words[usize::try_from(self.below(6)).unwrap()]).collect()
    }

    fn blocks(&mut self) -> Vec<ContentBlock> {
        let mut blocks = vec![ContentBlock::text(format!("It: {}", self.text()))];
        if self.one_in(3) {
            blocks.push(Image(Media::new("iVBORw0KGgo=", "image/png")).into());
        }
        blocks
    }
}

/// What a provider of this kind wants back of its reasoning.
pub(super) fn reasoning(kind: AdapterKind, calls: usize) -> Value {
    let signatures = vec![json!("c2ln"); calls];
    let carried = match Protocol::new(kind, "some-model").unwrap() {
        Protocol::Chat => json!({ "reasoning": { "reasoning_content": "Hm." } }),
        Protocol::Responses => {
            json!({ "blocks": [{ "type": "reasoning", "encrypted_content": "x", "summary": [] }] })
        }
        Protocol::Anthropic => {
            json!({ "blocks": [{ "type": "thinking", "thinking": "Hm.", "signature": "c2ln" }] })
        }
        Protocol::Gemini => json!({ "blocks": ["c2ln"], "signatures": signatures }),
        Protocol::Ollama | Protocol::Cohere => json!({ "reasoning": { "thinking": "Hm." } }),
        Protocol::Bedrock => json!({ "blocks": [
            { "reasoningContent": { "reasoningText": { "text": "Hm.", "signature": "c2ln" } } },
        ] }),
    };
    let mut carried = carried;
    carried["adapter"] = json!(kind.as_lower_str());
    carried
}

/// One turn: a message of the user, or an answer with calls and their results.
fn turn(random: &mut Random, kind: AdapterKind, messages: &mut Vec<Message>) {
    if random.one_in(3) {
        messages.push(Message::user_content(random.blocks()));
        if !random.one_in(3) {
            return;
        }
    }
    let count = usize::try_from(random.below(3)).unwrap();
    // Ids that some providers do not take, and the same ones again.
    let ids: Vec<String> = (0..count).map(|at| format!("call#{}{at}", random.below(2))).collect();
    let mut answer = ModelResponse::text(if count == 0 { "Yes.".to_owned() } else { random.text() });
    answer.tool_calls = ids
        .iter()
        .map(|id| ToolCall::new(&**id, "look", json!({ "x": random.below(9) }).to_string()))
        .collect();
    answer.provider_data = (!random.one_in(3)).then(|| reasoning(kind, count));
    messages.push(answer.into());
    if count > 0 {
        let results = ids.iter().map(|id| {
            let mut result = ToolResultMessage::new(&**id, "look", random.blocks());
            result.is_error = random.one_in(4);
            result
        });
        messages.push(Message::tool(results.collect::<Vec<_>>()));
    }
}

fn tool(name: &str) -> WireTool {
    WireTool {
        name: name.into(),
        description: "Looks.".into(),
        schema: json!({ "type": "object", "properties": {} }),
        strict: None,
    }
}

fn body(request: &ModelRequest, kind: AdapterKind, tools: &[WireTool], is_marked: bool) -> Value {
    let Value::Object(mut body) = sent_with(request, kind, tools) else { unreachable!() };
    if is_marked {
        let protocol = Protocol::new(kind, "some-model").unwrap();
        cache_marks::mark(protocol, &mut body, &request.params.extra_body);
    }
    Value::Object(body)
}

/// Removes the marks, which are not a part of what is cached. Returns how many there were.
fn unmark(value: &mut Value) -> usize {
    match value {
        Value::Array(items) => {
            let before = items.len();
            items.retain(|item| item.get("cachePoint").is_none());
            before - items.len() + items.iter_mut().map(unmark).sum::<usize>()
        }
        Value::Object(fields) => {
            let own = usize::from(fields.remove("cache_control").is_some());
            own + fields.values_mut().map(unmark).sum::<usize>()
        }
        _ => 0,
    }
}

/// The parts of a body that a provider reads in this order.
const PARTS: [&str; 9] = [
    "/tools",
    "/tools/0/functionDeclarations",
    "/toolConfig/tools",
    "/system",
    "/systemInstruction",
    "/instructions",
    "/messages",
    "/contents",
    "/input",
];

#[test]
fn o3_each_request_begins_with_the_one_before() {
    for kind in KINDS {
        for seed in 0..20 {
            for is_marked in [false, true] {
                let mut random = Random(seed);
                let mut messages = vec![Message::user("Hello.")];
                let mut tools = vec![tool("look")];
                let mut before: Option<Value> = None;
                for round in 0..8 {
                    let mut request = request(messages.clone());
                    request.system = Some("Be brief.".into());
                    let mut now = body(&request, kind, &tools, is_marked);
                    let marks = unmark(&mut now);
                    assert!(marks <= 4, "{kind}: {marks} marks");
                    for part in PARTS {
                        let text = |body: &Value| body.pointer(part).map(Value::to_string);
                        let Some(earlier) = before.as_ref().and_then(text) else { continue };
                        let later = text(&now).unwrap_or_default();
                        let begins = later.starts_with(earlier.trim_end_matches(']'));
                        // Tools are one list within a list there.
                        let is_nested = part == "/tools" && kind == AdapterKind::Gemini;
                        assert!(begins || is_nested, "{kind}, seed {seed}, {part}:\n{earlier}\n{later}");
                    }
                    before = Some(now);
                    turn(&mut random, kind, &mut messages);
                    if round == 4 {
                        tools.push(tool("later"));
                    }
                }
            }
        }
    }
}

/// The places of the marks in a body.
fn marked(body: &Value) -> Vec<String> {
    fn walk(value: &Value, at: &str, places: &mut Vec<String>) {
        match value {
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    walk(item, &format!("{at}/{index}"), places);
                }
            }
            Value::Object(fields) => {
                if fields.contains_key("cache_control") || fields.contains_key("cachePoint") {
                    places.push(at.to_owned());
                }
                fields.iter().for_each(|(name, value)| walk(value, &format!("{at}/{name}"), places));
            }
            _ => {}
        }
    }
    let mut places = Vec::new();
    walk(body, "", &mut places);
    places.sort();
    places
}

fn calls_and_results(rounds: usize) -> ModelRequest {
    let mut messages = vec![Message::user("Hello.")];
    for _ in 0..rounds {
        messages.push(ModelResponse::tool_calls([ToolCall::new("a", "look", "{}")]).into());
        messages.push(Message::tool([ToolResultMessage::new("a", "look", ["It rains.".into()])]));
    }
    let mut request = request(messages);
    request.system = Some("Be brief.".into());
    request
}

#[test]
fn o3_a_request_is_marked_where_the_one_before_ended() {
    let tools = [tool("look"), tool("later")];
    let body = |kind, rounds| body(&calls_and_results(rounds), kind, &tools, true);
    let places = |body: &Value| marked(body);
    assert_eq!(
        places(&body(AdapterKind::Anthropic, 0)),
        ["/messages/0/content/0", "/system/0", "/tools/1"],
        "{}",
        body(AdapterKind::Anthropic, 0)
    );
    assert_eq!(
        places(&body(AdapterKind::Anthropic, 1)),
        ["/messages/0/content/0", "/messages/2/content/0", "/system/0", "/tools/1"]
    );
    assert_eq!(
        places(&body(AdapterKind::Anthropic, 2)),
        ["/messages/2/content/0", "/messages/4/content/0", "/system/0", "/tools/1"]
    );
    assert_eq!(
        places(&body(AdapterKind::BedrockApi, 1)),
        ["/messages/0/content/1", "/messages/2/content/1", "/system/1", "/toolConfig/tools/2"]
    );
    for kind in KINDS.into_iter().filter(|kind| {
        !matches!(kind, AdapterKind::Anthropic | AdapterKind::MiniMax | AdapterKind::BedrockApi)
    }) {
        assert!(places(&body(kind, 2)).is_empty(), "{kind} caches without marks");
    }
}

#[test]
fn o3_a_request_that_may_be_the_only_one_has_no_marks_and_a_program_can_set_its_own() {
    let none = |request: &ModelRequest, tools: &[WireTool]| {
        marked(&body(request, AdapterKind::Anthropic, tools, true)).is_empty()
    };
    assert!(none(&calls_and_results(0), &[]));
    assert!(!none(&calls_and_results(0), &[tool("look")]));
    let mut own = calls_and_results(2);
    own.params.extra_body.insert("metadata".to_owned(), json!({ "user_id": "ada" }));
    assert!(!none(&own, &[tool("look")]));
    own.params.extra_body.insert("cache_control".to_owned(), json!({ "type": "ephemeral" }));
    let body = body(&own, AdapterKind::Anthropic, &[tool("look")], true);
    assert_eq!(marked(&body), [""], "only the field of the program");
}

#[test]
fn o3_marks_are_usual_where_the_provider_takes_them() {
    for (protocol, endpoint, name, expected) in [
        (Protocol::Anthropic, "api.anthropic.com/v1/", "claude-haiku-4-5", true),
        (Protocol::Anthropic, "127.0.0.1:8080/v1/", "claude-haiku-4-5", false),
        (
            Protocol::Bedrock,
            "bedrock-runtime.us-east-1.amazonaws.com/",
            "us.anthropic.claude-sonnet-4-5-v1:0",
            true,
        ),
        (
            Protocol::Bedrock,
            "bedrock-runtime.us-east-1.amazonaws.com/",
            "anthropic.claude-3-sonnet-v1:0",
            false,
        ),
        (
            Protocol::Bedrock,
            "bedrock-runtime.us-east-1.amazonaws.com/",
            "meta.llama3-1-8b-instruct-v1:0",
            false,
        ),
        (Protocol::Chat, "api.openai.com/v1/", "gpt-5", false),
        (Protocol::Gemini, "generativelanguage.googleapis.com/v1beta/", "gemini-3-pro", false),
    ] {
        assert_eq!(cache_marks::is_usual(protocol, endpoint, name), expected, "{endpoint} {name}");
    }
}
