//! A request of ours becomes one of genai's here.

use genai::adapter::AdapterKind;
use genai::chat::{
    Binary, ChatMessage, ChatOptions, ChatRequest, ContentPart, JsonSpec, MessageContent,
    ToolCall as TheirCall, ToolChoice as TheirChoice, ToolResponse,
};
use serde_json::{Map, Value, json};

use super::answer::Carried;
use onionskin_core::Args;
use onionskin_core::content::{ContentBlock, Media};
use onionskin_core::model::{
    Message, ModelError, ModelRequest, RequestOption, RequestParams, ToolCall, ToolChoice, ToolResultMessage,
};

/// A request to a provider that is spoken to in this protocol, without its tools.
pub(super) fn chat_request(request: &ModelRequest, adapter: &str) -> ChatRequest {
    let mut messages = Vec::with_capacity(request.messages.len());
    for message in &request.messages {
        match message {
            Message::User { content, .. } => {
                messages.push(ChatMessage::user(parts(content)));
            }
            Message::Assistant { text, tool_calls, provider_data, .. } => {
                messages.extend(assistant(text, tool_calls, provider_data.as_ref(), adapter));
            }
            Message::Tool { results, .. } => tool_results(results, &mut messages),
            // A message of a later version has no form here. Its text is kept.
            other => messages.push(ChatMessage::user(other.to_text().into_owned())),
        }
    }
    let mut chat = ChatRequest::new(messages);
    chat.system = request.system.as_deref().filter(|text| !text.is_empty()).map(str::to_owned);
    chat
}

/// Whether genai sends an option in this protocol. Where it does not, it leaves the option out without an error.
pub(super) fn is_sent(option: RequestOption, adapter: AdapterKind) -> bool {
    let protocol = !matches!(
        adapter,
        AdapterKind::Cohere | AdapterKind::BedrockApi | AdapterKind::Ollama | AdapterKind::OllamaCloud
    );
    let option = matches!(
        option,
        RequestOption::ToolChoice | RequestOption::ResponseSchema | RequestOption::ExtraBody
    );
    protocol && option
}

/// Whether genai sends a part of the input in this protocol as the provider takes it. Else it leaves the part out, or sends what the
/// provider refuses.
pub(super) fn reads(content: &ContentBlock, adapter: AdapterKind) -> bool {
    use AdapterKind::{Anthropic, BedrockApi, Cohere, Gemini, GeminiIx, Ollama, OllamaCloud, OpenAIResp};
    match content {
        ContentBlock::Text(_) | ContentBlock::ResourceLink(_) => true,
        ContentBlock::Image(_) => !matches!(adapter, Cohere | BedrockApi),
        ContentBlock::Audio(_) => {
            !matches!(adapter, Cohere | BedrockApi | Anthropic | OpenAIResp | Ollama | OllamaCloud)
        }
        ContentBlock::Resource(resource) if resource.as_text().is_some() => true,
        ContentBlock::Resource(resource) => match adapter {
            Cohere | BedrockApi | Ollama | OllamaCloud => false,
            Gemini | GeminiIx => resource.mime_type().is_some(),
            _ => resource.mime_type() == Some("application/pdf"),
        },
        _ => false,
    }
}

/// Sampling, the choice of tools, the form of the answer, and all of the answer captured.
///
/// # Errors
/// Returns an error if the protocol has no form for an option.
pub(super) fn options(params: &RequestParams, adapter: AdapterKind) -> Result<ChatOptions, ModelError> {
    if let Some(option) = params.options().find(|option| !is_sent(*option, adapter)) {
        let reason = format!("the crate genai does not send it in the protocol `{}`", adapter.as_lower_str());
        return Err(ModelError::unsupported(option, reason));
    }
    let mut options = ChatOptions::default()
        .with_capture_usage(true)
        .with_capture_content(true)
        .with_capture_tool_calls(true)
        .with_capture_reasoning_content(true)
        .with_stop_sequences(params.stop_sequences.clone());
    options.temperature = params.temperature;
    options.top_p = params.top_p;
    options.max_tokens = params.max_tokens;
    options.seed = params.seed;
    options.tool_choice = match &params.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(TheirChoice::None),
        ToolChoice::Required => Some(TheirChoice::Required),
        ToolChoice::Tool(name) => Some(TheirChoice::tool(&**name)),
        other => {
            let reason = format!("the choice {other:?} is newer than this adapter");
            return Err(ModelError::unsupported(RequestOption::ToolChoice, reason));
        }
    };
    options.response_format = params.response_schema.as_ref().map(|schema| {
        let mut sent = schema.schema().clone();
        // genai sends no description beside the schema.
        if let (Some(text), Value::Object(keywords)) = (schema.description(), &mut sent) {
            keywords.entry("description").or_insert_with(|| text.into());
        }
        JsonSpec::new(schema.name(), sent).into()
    });
    options.extra_body = (!params.extra_body.is_empty()).then(|| Value::Object(params.extra_body.clone()));
    Ok(options)
}

/// `None` for a message in which nothing was said: providers refuse it.
fn assistant(
    text: &str,
    tool_calls: &[ToolCall],
    provider_data: Option<&Value>,
    adapter: &str,
) -> Option<ChatMessage> {
    let carried: Option<Carried> = provider_data.and_then(|data| serde_json::from_value(data.clone()).ok());
    // Another provider's signatures would be refused.
    let carried = carried.filter(|carried| carried.adapter == adapter).unwrap_or_default();
    let mut content = MessageContent::from_parts(carried.parts);
    if !text.is_empty() {
        content.push(ContentPart::from_text(text));
    }
    let mut signatures = carried.signatures.into_iter();
    for call in tool_calls {
        content.push(ContentPart::ToolCall(TheirCall {
            call_id: call.id.to_string(),
            fn_name: call.name.to_string(),
            fn_arguments: Value::Object(arguments(&call.arguments)),
            thought_signatures: signatures.next().filter(|signatures| !signatures.is_empty()),
        }));
    }
    (!content.is_empty()).then(|| ChatMessage::assistant(content))
}

/// Providers take nothing but an object back; text that is not an object goes inside one.
fn arguments(text: &str) -> Map<String, Value> {
    if text.trim().is_empty() {
        return Map::new();
    }
    match Args::from(text).as_object() {
        Ok(object) => object.clone(),
        Err(_) => Map::from_iter([("invalid_arguments".to_owned(), json!(text))]),
    }
}

/// The results, then the pictures and sounds in them: providers take only text in a result.
fn tool_results(results: &[ToolResultMessage], messages: &mut Vec<ChatMessage>) {
    let mut responses = Vec::with_capacity(results.len());
    let mut media: Vec<ContentPart> = Vec::new();
    for result in results {
        let mut texts: Vec<String> = Vec::new();
        for block in &*result.content {
            match part(block) {
                ContentPart::Text(text) => texts.push(text),
                part => {
                    texts.push(format!("[attached below: {}]", kind_of(block)));
                    media.push(ContentPart::from_text(format!(
                        "{} from the result of `{}` (call {}):",
                        kind_of(block),
                        result.name,
                        result.call_id
                    )));
                    media.push(part);
                }
            }
        }
        responses.push(ToolResponse::new(&*result.call_id, texts.join("\n")).with_fn_name(&*result.name));
    }
    messages.push(ChatMessage::tool(MessageContent::from_tool_responses(responses)));
    if !media.is_empty() {
        messages.push(ChatMessage::user(media));
    }
}

fn parts(content: &[ContentBlock]) -> MessageContent {
    content.iter().map(part).collect()
}

fn part(block: &ContentBlock) -> ContentPart {
    let binary =
        |media: &Media| ContentPart::Binary(Binary::from_base64(media.mime_type(), media.data(), None));
    match block {
        ContentBlock::Text(text) => ContentPart::from_text(text),
        ContentBlock::Image(media) | ContentBlock::Audio(media) => binary(media),
        ContentBlock::Resource(resource) => {
            match (resource.as_text(), resource.as_blob(), resource.mime_type()) {
                (Some(text), ..) => ContentPart::from_text(format!("{}:\n{text}", resource.uri())),
                (None, Some(data), Some(mime_type)) => {
                    ContentPart::Binary(Binary::from_base64(mime_type, data, Some(resource.uri().to_owned())))
                }
                _ => ContentPart::from_text(resource.uri()),
            }
        }
        ContentBlock::ResourceLink(link) => ContentPart::from_text(match link.description() {
            Some(description) => format!("{} <{}>: {description}", link.name(), link.uri()),
            None => format!("{} <{}>", link.name(), link.uri()),
        }),
        other => ContentPart::from_text(json!(other).to_string()),
    }
}

fn kind_of(block: &ContentBlock) -> &'static str {
    match block {
        ContentBlock::Image(_) => "Picture",
        ContentBlock::Audio(_) => "Sound",
        _ => "File",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onionskin_core::content::{Audio, Image, Resource};
    use onionskin_core::model::ModelResponse;

    fn said(text: &str, calls: Vec<ToolCall>, provider_data: Option<Value>) -> Message {
        let mut response = ModelResponse::text(text);
        (response.tool_calls, response.provider_data) = (calls, provider_data);
        response.into()
    }

    fn request(messages: Vec<Message>) -> ModelRequest {
        let mut request = ModelRequest::new([Message::user("")]).with_agent("a");
        request.messages = messages.into();
        request
    }

    /// genai's request as JSON, to compare with.
    fn seen(request: &ModelRequest, adapter: &str) -> Value {
        serde_json::to_value(chat_request(request, adapter)).unwrap()
    }

    fn result(call_id: &str, content: Vec<ContentBlock>) -> ToolResultMessage {
        ToolResultMessage::new(call_id, "look", content)
    }

    /// What a protocol leaves out is refused before, and what it reads is in the request.
    #[test]
    fn l2_what_a_protocol_reads_is_sent_in_its_order() {
        let dot = || ContentBlock::from(Image(Media::new("iVBORw0KGgo=", "image/png")));
        let tone = ContentBlock::from(Audio(Media::new("AAAA", "audio/wav")));
        let page =
            ContentBlock::from(Resource::blob("file:///a.pdf", "JVBERi0=").with_mime_type("application/pdf"));
        let sheet = ContentBlock::from(
            Resource::blob("file:///a.xls", "AAAA").with_mime_type("application/vnd.ms-excel"),
        );
        let notes = ContentBlock::from(Resource::text("file:///a.md", "# A"));
        let read = |adapter| [&dot(), &tone, &page, &sheet, &notes].map(|part| reads(part, adapter));
        assert_eq!(read(AdapterKind::OpenAI), [true, true, true, false, true]);
        assert_eq!(read(AdapterKind::Groq), [true, true, true, false, true]);
        assert_eq!(read(AdapterKind::OpenAIResp), [true, false, true, false, true]);
        assert_eq!(read(AdapterKind::Anthropic), [true, false, true, false, true]);
        assert_eq!(read(AdapterKind::Gemini), [true; 5]);
        assert_eq!(read(AdapterKind::Ollama), [true, false, false, false, true]);
        assert_eq!(read(AdapterKind::Cohere), [false, false, false, false, true]);

        let message = Message::user_content([
            ContentBlock::text("What is it?"),
            dot(),
            ContentBlock::text("Be brief."),
        ]);
        let request = seen(&request(vec![message]), "openai");
        let content = request["messages"][0]["content"].to_string();
        let places = ["What is it?", "iVBORw0KGgo=", "Be brief."].map(|part| content.find(part).unwrap());
        assert!(places.is_sorted(), "{content}");
    }

    #[test]
    fn o3_system_and_params_are_sent() {
        let mut request = ModelRequest::new([Message::user("hi")]).with_agent("a");
        request.system = Some("Be kind.".into());
        request.params.temperature = Some(0.5);
        request.params.top_p = Some(0.9);
        request.params.max_tokens = Some(7);
        request.params.seed = Some(3);
        request.params.stop_sequences = vec!["END".to_owned()];
        let chat = seen(&request, "openai");
        assert_eq!(chat["system"], "Be kind.");
        let options = options(&request.params, AdapterKind::OpenAI).unwrap();
        assert_eq!((options.temperature, options.top_p), (Some(0.5), Some(0.9)));
        assert_eq!((options.max_tokens, options.seed), (Some(7), Some(3)));
        assert_eq!(options.stop_sequences, ["END"]);
    }

    #[test]
    fn o3_tool_calls_go_back_as_objects_even_when_they_were_broken() {
        let calls = ["{\"x\": 1}", "", "{broken", "[1]"]
            .iter()
            .enumerate()
            .map(|(number, text)| ToolCall::new(format!("c{number}"), "f", *text))
            .collect();
        let said = said("so", calls, None);
        let chat = chat_request(&request(vec![said]), "openai");
        let calls = chat.messages[0].content.tool_calls();
        let sent: Vec<_> = calls.iter().map(|call| call.fn_arguments.clone()).collect();
        assert_eq!(
            sent,
            [
                json!({"x": 1}),
                json!({}),
                json!({"invalid_arguments": "{broken"}),
                json!({"invalid_arguments": "[1]"})
            ]
        );
        assert_eq!(chat.messages[0].content.first_text(), Some("so"));
    }

    #[test]
    fn o3_provider_data_goes_back_to_its_own_provider_only() {
        let carried = Carried {
            adapter: "anthropic".to_owned(),
            parts: vec![
                ContentPart::ThoughtSignature("sig".to_owned()),
                ContentPart::ReasoningContent("hm".to_owned()),
            ],
            signatures: vec![vec!["sig".to_owned()]],
        };
        let calls = vec![ToolCall::new("c", "f", "{}")];
        let said = said("", calls, Some(serde_json::to_value(carried).unwrap()));
        let request = request(vec![said]);
        let own = chat_request(&request, "anthropic");
        assert_eq!(own.messages[0].content.thought_signatures(), ["sig"]);
        assert_eq!(own.messages[0].content.reasoning_contents(), ["hm"]);
        let call = own.messages[0].content.tool_calls()[0];
        assert_eq!(call.thought_signatures.as_deref(), Some(&["sig".to_owned()][..]));
        let other = chat_request(&request, "openai");
        assert!(!other.messages[0].content.contains_thought_signature());
        assert_eq!(other.messages[0].content.tool_calls()[0].thought_signatures, None);
    }

    #[test]
    fn o3_provider_data_of_something_else_is_left_out() {
        let said = |data| said("hi", Vec::new(), Some(data));
        let chat = chat_request(&request(vec![said(json!({"cassette": 1})), said(json!(3))]), "openai");
        assert!(chat.messages.iter().all(|message| message.content.is_text_only()));
    }

    #[test]
    fn o3_results_keep_their_ids_and_pictures_follow_them() {
        let dot = ContentBlock::from(Image(Media::new("iVBORw0KGgo=", "image/png")));
        let results = vec![
            result("c1", vec![ContentBlock::text("seen"), dot.clone()]),
            result("c2", vec![ContentBlock::text("nothing")]),
        ];
        let chat = chat_request(&request(vec![Message::tool(results)]), "openai");
        let responses = chat.messages[0].content.tool_responses();
        assert_eq!((&*responses[0].call_id, &*responses[1].call_id), ("c1", "c2"));
        assert_eq!(responses[0].content, "seen\n[attached below: Picture]");
        assert_eq!(responses[1].fn_name.as_deref(), Some("look"));
        let pictures = chat.messages[1].content.binaries();
        assert_eq!(pictures[0].content_type, "image/png");
        assert!(chat.messages[1].content.first_text().unwrap().contains("call c1"));
        let user = chat_request(&request(vec![Message::user_content([dot])]), "openai");
        assert_eq!(user.messages[0].content.binaries().len(), 1);
    }

    #[test]
    fn o3_an_empty_answer_is_not_sent() {
        let chat = chat_request(&request(vec![Message::assistant(""), Message::user("again")]), "openai");
        assert_eq!(chat.messages.len(), 1);
    }
}
