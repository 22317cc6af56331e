//! One request and its answer.

use reqwest::header::CONTENT_TYPE;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::time::{Instant, timeout_at};

use onionskin_core::json::json_values;
use onionskin_core::model::{Message, ModelDelta, ModelError, ModelRequest, exact_json};

use crate::answer::{Answer, Part, has_many_digits};
use crate::body::{Body, Event, Events, Framing};
use crate::bounds;
use crate::failure::{self, scrubbed};
use crate::protocol::{Flow, Protocol, ProviderRequest, cache_marks};
use crate::surrogates::Halves;
use crate::target::Target;
use crate::tools::WireTool;

/// Sends a request and reads the answer, as a stream if `stream` says so and the protocol has one. `marks` says whether the request is marked for
/// the cache of the provider, if the program says it.
pub(crate) async fn ask(
    target: &Target,
    request: &ModelRequest,
    tools: &[WireTool],
    stream: bool,
    marks: Option<bool>,
    deltas: &mut (dyn FnMut(ModelDelta) + Send),
) -> Result<Part, ModelError> {
    let Target { kind, protocol, name, key, http, .. } = target;
    let framing = protocol.framing().filter(|_| stream);
    let endpoint = &target.endpoint();
    let (kind, stream) = (*kind, framing.is_some());
    let mut body =
        protocol.body(&ProviderRequest { model_request: request, kind, endpoint, name, tools, stream })?;
    if marks.unwrap_or_else(|| cache_marks::is_usual(*protocol, endpoint, name)) {
        cache_marks::mark(*protocol, &mut body, &request.params.extra_body);
    }
    let post = http.post(target.url(stream)).header(CONTENT_TYPE, "application/json");
    let post = post.body(encode(&Value::Object(body), request));
    let post = protocol.headers(kind, key, post)?;
    let response = post.send().await.map_err(|error| failure::sending(error, key))?;
    if !response.status().is_success() {
        return Err(failure::status(response, key).await);
    }
    let body = Body::new(response, key)?;
    match framing {
        Some(framing) => read_stream(target, tools, body, framing, deltas).await,
        None => {
            let mut body = body;
            let bytes = body.document().await?;
            read_document(target, tools, &bytes, deltas)
        }
    }
}

/// The JSON of a body, with the digits that the model gave the numbers in calls. Numbers that cannot be distinguished are rounded.
fn encode(body: &Value, request: &ModelRequest) -> String {
    let long = request.messages.iter().flat_map(Message::tool_calls);
    let long = long.filter(|call| has_many_digits(&call.arguments));
    // What is no JSON goes back as a text.
    let long = long.filter(|call| serde_json::from_str::<&RawValue>(&call.arguments).is_ok());
    let source = long.map(|call| &*call.arguments).collect::<Vec<_>>().join(" ");
    exact_json(body, &source).unwrap_or_else(|_| body.to_string())
}

async fn read_stream(
    target: &Target,
    tools: &[WireTool],
    body: Body<'_>,
    framing: Framing,
    deltas: &mut (dyn FnMut(ModelDelta) + Send),
) -> Result<Part, ModelError> {
    let Target { kind, protocol, key, .. } = target;
    let adapter = kind.as_lower_str();
    let mut events = Events::new(body, framing);
    let mut answer = Answer::new(adapter, deltas).with_tools(tools);
    answer.carried.endpoint = target.endpoint();
    let mut halves = Halves::for_stream();
    let mut unknown: Option<String> = None;
    let mut until: Option<Instant> = None;
    loop {
        let event = match until {
            None => events.next().await?,
            // The answer is complete; only the usage can be missing. A connection that breaks or stays open now does no harm.
            Some(until) => match timeout_at(until, events.next()).await {
                Ok(Ok(event)) => event,
                Ok(Err(_)) | Err(_) => break,
            },
        };
        let (mut text, cut) = match event {
            Event::Document(bytes) => return read_document(target, tools, &bytes, deltas),
            Event::Data { text, .. } if text.trim() == "[DONE]" => {
                // It is a part of this protocol only. What writes it into another one knows nothing of the answer.
                if *protocol == Protocol::Chat {
                    answer.is_through();
                }
                break;
            }
            Event::Data { text, cut } => (text, cut),
            Event::End { stray: Some(stray) } => return Err(failure::unexpected(&stray, adapter, key)),
            Event::End { stray: None } => break,
        };
        check_values(text.as_bytes())?;
        let event: Value = match serde_json::from_str(&text) {
            Ok(event) => event,
            Err(_) if cut => break,
            Err(error) => {
                text = halves.join(&text);
                serde_json::from_str(&text).map_err(|_| {
                    let said = key.quote(&text);
                    ModelError::Malformed(format!("an event is no JSON ({error}): {said}"))
                })?
            }
        };
        if let Some(error) = failure::reported(&event, key) {
            return Err(error);
        }
        answer.read_from(&text);
        let flow = protocol.event(&mut answer, &event);
        answer.report_usage();
        match flow.map_err(|error| scrubbed(error, key))? {
            Flow::Part => {
                answer.recognise();
                if answer.has_stopped() {
                    until = Some(Instant::now() + protocol.after_stop());
                }
            }
            Flow::Call => {
                answer.recognise();
                until = None;
            }
            Flow::End => {
                answer.recognise();
                break;
            }
            Flow::Unknown => {
                unknown.get_or_insert(text);
            }
        }
    }
    if !answer.is_known() {
        return Err(match unknown {
            Some(event) => failure::unexpected(&event, adapter, key),
            None => ModelError::Transport("the server ended the stream before its first event".to_owned()),
        });
    }
    answer.finish().map_err(|error| scrubbed(error, key))
}

/// Checks how many values a text has, before they take their memory.
fn check_values(json: &[u8]) -> Result<(), ModelError> {
    if json_values(json) > bounds::VALUES {
        return Err(ModelError::Malformed(format!("it has more than {} JSON values", bounds::VALUES)));
    }
    Ok(())
}

/// Reads an answer that is one document, also one that came in the place of a stream. Its pieces are not passed on.
fn read_document(
    target: &Target,
    tools: &[WireTool],
    bytes: &[u8],
    deltas: &mut (dyn FnMut(ModelDelta) + Send),
) -> Result<Part, ModelError> {
    let Target { kind, protocol, key, .. } = target;
    let adapter = kind.as_lower_str();
    let unexpected = || failure::unexpected(&String::from_utf8_lossy(bytes), adapter, key);
    check_values(bytes)?;
    let said = String::from_utf8_lossy(bytes);
    let (said, document): (_, Value) = match serde_json::from_slice(bytes) {
        Ok(document) => (said, document),
        Err(_) => {
            let joined = Halves::for_document().join(&said);
            let document = serde_json::from_str(&joined).map_err(|_| unexpected())?;
            (joined.into(), document)
        }
    };
    if let Some(error) = failure::reported(&document, key) {
        return Err(error);
    }
    let mut usage_alone = |delta| {
        if let ModelDelta::Usage(_) = delta {
            deltas(delta);
        }
    };
    let mut answer = Answer::new(adapter, &mut usage_alone).with_tools(tools);
    answer.carried.endpoint = target.endpoint();
    answer.read_from(&said);
    let flow = protocol.document(&mut answer, &document);
    answer.report_usage();
    let flow = flow.map_err(|error| scrubbed(error, key))?;
    if flow == Flow::Unknown {
        return Err(unexpected());
    }
    answer.ends();
    answer.finish().map_err(|error| scrubbed(error, key))
}

#[cfg(test)]
mod tests {
    use genai::adapter::AdapterKind;
    use onionskin_core::model::{ModelResponse, ToolCall};

    use super::*;
    use crate::protocol::Protocol;

    #[test]
    fn o3_the_digits_of_a_call_go_back_as_the_model_wrote_them() {
        let long = r#"{"n":12345678901234567890123,"m":[0.1000000000000000055511151231257827,1.5]}"#;
        // They have the same value, so they cannot be distinguished as values.
        let near = r#"{"n":98765432109876543210987,"m":98765432109876543210988}"#;
        for (kind, is_text) in [
            (AdapterKind::OpenAI, true),
            (AdapterKind::OpenAIResp, true),
            (AdapterKind::Cohere, true),
            (AdapterKind::Anthropic, false),
            (AdapterKind::Gemini, false),
            (AdapterKind::Ollama, false),
            (AdapterKind::BedrockApi, false),
        ] {
            let sent = |calls: &[&str]| {
                let calls = calls.iter().map(|arguments| ToolCall::new("a", "f", *arguments));
                let request = ModelRequest::new([ModelResponse::tool_calls(calls).into()]);
                let provider_request = ProviderRequest {
                    model_request: &request,
                    kind,
                    endpoint: "",
                    name: "m",
                    tools: &[],
                    stream: true,
                };
                let body = Protocol::new(kind, "m").unwrap().body(&provider_request).unwrap();
                encode(&Value::Object(body), &request)
            };
            let as_sent = if is_text { Value::from(long).to_string() } else { long.to_owned() };
            for calls in [&[long][..], &[long, "{}"], &[r#"{"broken": "12345678901234567890"#, long]] {
                let body = sent(calls);
                assert!(body.contains(&as_sent), "{kind}: {body}");
            }
            let body = sent(&[near]);
            assert!(body.contains("9.87654321098765"), "{kind}: {body}");
        }
    }
}
