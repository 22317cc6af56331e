//! The protocols: one file for each, and one table of what each of them carries.

mod anthropic;
mod anthropic_read;
mod bedrock;
pub(crate) mod cache_marks;
mod carries;
mod chat;
mod chat_read;
mod cohere;
mod content;
mod extra;
mod gemini;
mod gemini_read;
mod ids;
mod ollama;
mod responses;
mod responses_read;
#[cfg(test)]
mod tests;
mod tuning;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use genai::adapter::AdapterKind;
use reqwest::RequestBuilder;
use reqwest::header::AUTHORIZATION;
use serde_json::{Map, Value, json};

use onionskin_core::export::Dialect;
use onionskin_core::model::{Message, ModelError, ModelRequest, RequestParams, ResponseSchema, ToolChoice};

use self::content::Turn;
use self::ids::IdForm;
use crate::answer::Answer;
use crate::body::Framing;
use crate::bounds;
use crate::failure::ApiKey;
use crate::names::namespace_and_name;
use crate::tools::WireTool;

/// A protocol, which one or more providers speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Protocol {
    /// Chat Completions of `OpenAI`, which most providers and servers speak.
    Chat,
    /// Responses of `OpenAI`.
    Responses,
    Anthropic,
    Gemini,
    Ollama,
    /// The second version of Cohere's protocol.
    Cohere,
    /// Converse of Bedrock. Its streams are in a binary form, so an answer is read as a whole.
    Bedrock,
}

/// A request, and what the protocols need with it.
pub(crate) struct ProviderRequest<'a> {
    pub(crate) model_request: &'a ModelRequest,
    pub(crate) kind: AdapterKind,
    /// The server: its host and port, and the path behind them.
    pub(crate) endpoint: &'a str,
    /// The model's name for the provider.
    pub(crate) name: &'a str,
    pub(crate) tools: &'a [WireTool],
    pub(crate) stream: bool,
}

/// What an event of a stream was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    /// A part of the answer.
    Part,
    /// A call or a piece of one. Others can follow, also behind a reason to stop: some servers write one with each call.
    Call,
    /// The end of the answer.
    End,
    /// Nothing that the protocol has.
    Unknown,
}

impl Protocol {
    /// The protocol of a provider.
    ///
    /// # Errors
    /// Returns an error for a provider whose protocol is not spoken here.
    pub(crate) fn new(kind: AdapterKind, model: &str) -> Result<Self, ModelError> {
        use AdapterKind as Kind;
        let (namespace, name) = namespace_and_name(model);
        Ok(match kind {
            Kind::Baidu if namespace == Some("baidu-coding-anthropic") => Self::Anthropic,
            Kind::OpenCodeGo if name.to_ascii_lowercase().starts_with("minimax-") => Self::Anthropic,
            Kind::Baidu
            | Kind::OpenCodeGo
            | Kind::OpenAI
            | Kind::Fireworks
            | Kind::Together
            | Kind::Groq
            | Kind::Aihubmix
            | Kind::Kimi
            | Kind::Mimo
            | Kind::Moonshot
            | Kind::Nebius
            | Kind::Xai
            | Kind::DeepSeek
            | Kind::Mistral
            | Kind::Zai
            | Kind::BigModel
            | Kind::Aliyun
            | Kind::QwenCloud
            | Kind::Omlx
            | Kind::GithubCopilot
            | Kind::OpenRouter
            | Kind::AtlasCloud
            | Kind::Requesty
            | Kind::ApiRoute
            | Kind::Heabsy
            | Kind::Runcrate
            | Kind::CloudGpu
            | Kind::Custom(_) => Self::Chat,
            Kind::OpenAIResp => Self::Responses,
            Kind::Anthropic | Kind::MiniMax => Self::Anthropic,
            Kind::Gemini => Self::Gemini,
            Kind::Vertex if name.starts_with("claude") => Self::Anthropic,
            Kind::Vertex if name.starts_with("gemini") => Self::Gemini,
            Kind::Vertex => {
                return Err(ModelError::Setup(format!(
                    "the adapter `vertex` has models whose names begin with `gemini` or `claude`, and not `{name}`"
                )));
            }
            Kind::Ollama | Kind::OllamaCloud => Self::Ollama,
            Kind::Cohere => Self::Cohere,
            Kind::BedrockApi => Self::Bedrock,
            Kind::GeminiIx => {
                return Err(ModelError::Setup(format!(
                    "the model `{model}` would be called through the adapter `gemini_ix` (Gemini's Interactions), which is not supported: write \
                     `gemini::{name}` for the model's name"
                )));
            }
        })
    }

    /// The form of the ids of calls.
    pub(crate) fn ids(self, kind: AdapterKind) -> IdForm {
        match self {
            Self::Chat if kind == AdapterKind::Mistral => IdForm::Nine,
            Self::Chat => IdForm::Any(40),
            Self::Ollama | Self::Cohere | Self::Gemini => IdForm::Any(64),
            Self::Responses | Self::Anthropic | Self::Bedrock => IdForm::Word(64),
        }
    }

    /// The path behind the base address, with its query.
    pub(crate) fn path(self, kind: AdapterKind, name: &str, stream: bool) -> String {
        match self {
            Self::Chat => "chat/completions".to_owned(),
            Self::Responses => "responses".to_owned(),
            Self::Anthropic if kind == AdapterKind::Vertex => {
                let method = if stream { "streamRawPredict" } else { "rawPredict" };
                format!("publishers/anthropic/models/{}:{method}", segment(name))
            }
            Self::Anthropic => "messages".to_owned(),
            Self::Gemini => {
                let publisher = if kind == AdapterKind::Vertex { "publishers/google/" } else { "" };
                let method = if stream { "streamGenerateContent?alt=sse" } else { "generateContent" };
                // The lists of Gemini have the folder in the name.
                let (folder, name) = match name.split_once('/') {
                    Some((folder @ ("models" | "tunedModels"), name)) => (folder, name),
                    _ => ("models", name),
                };
                format!("{publisher}{folder}/{}:{method}", segment(name))
            }
            Self::Ollama => "api/chat".to_owned(),
            Self::Cohere => "chat".to_owned(),
            Self::Bedrock => format!("model/{}/converse", segment(name)),
        }
    }

    /// Adds the key and other headers.
    ///
    /// # Errors
    /// Returns an error if no header can have the key.
    pub(crate) fn headers(
        self,
        kind: AdapterKind,
        key: &ApiKey,
        request: RequestBuilder,
    ) -> Result<RequestBuilder, ModelError> {
        let request = match (self, kind) {
            (Self::Anthropic, kind) if kind != AdapterKind::Vertex => {
                request.header("anthropic-version", "2023-06-01")
            }
            (_, AdapterKind::GithubCopilot) => request.header("accept", "application/vnd.github+json"),
            _ => request,
        };
        if key.expose().is_empty() {
            return Ok(request);
        }
        Ok(match self {
            Self::Anthropic if !self.authorizes(kind) => request.header("x-api-key", key.header("")?),
            Self::Gemini if !self.authorizes(kind) => request.header("x-goog-api-key", key.header("")?),
            Self::Chat
            | Self::Responses
            | Self::Anthropic
            | Self::Gemini
            | Self::Ollama
            | Self::Cohere
            | Self::Bedrock => request.header(AUTHORIZATION, key.header("Bearer ")?),
        })
    }

    /// Whether the key is sent as `authorization`, and not in a header of its own.
    pub(crate) fn authorizes(self, kind: AdapterKind) -> bool {
        !matches!(self, Self::Anthropic | Self::Gemini) || kind == AdapterKind::Vertex
    }

    /// How the stream of an answer is divided; `None` if the answer is always one document.
    pub(crate) fn framing(self) -> Option<Framing> {
        match self {
            Self::Chat | Self::Responses | Self::Anthropic | Self::Gemini | Self::Cohere => {
                Some(Framing::Sse)
            }
            Self::Ollama => Some(Framing::Lines),
            Self::Bedrock => None,
        }
    }

    /// How long an event is waited for after one with a reason to stop. Older models of Gemini give one with each event.
    pub(crate) fn after_stop(self) -> Duration {
        match self {
            Self::Chat | Self::Responses | Self::Anthropic | Self::Ollama | Self::Cohere | Self::Bedrock => {
                bounds::AFTER_STOP
            }
            Self::Gemini => bounds::AFTER_ANY_STOP,
        }
    }

    /// The body of a request.
    ///
    /// # Errors
    /// Returns an error if the protocol has no form for an option.
    pub(crate) fn body(self, request: &ProviderRequest<'_>) -> Result<Map<String, Value>, ModelError> {
        let params = request.params();
        params.options().try_for_each(|option| self.check_option(request.kind, option))?;
        let users = request.model_request.messages.iter().filter_map(|message| match message {
            Message::User { content, .. } => Some(content),
            Message::Assistant { .. } | Message::Tool { .. } => None,
        });
        if let Some(unread) = users.flatten().find(|content| !self.reads(content)) {
            return Err(ModelError::unread_content(unread));
        }
        let mut body = match self {
            Self::Chat => chat::body(request),
            Self::Responses => responses::body(request),
            Self::Anthropic => anthropic::body(request),
            Self::Gemini => gemini::body(request),
            Self::Ollama => ollama::body(request),
            Self::Cohere => cohere::body(request),
            Self::Bedrock => bedrock::body(request),
        };
        extra::add(&mut body, &tuning::fields(self, request)?);
        extra::add(&mut body, &params.extra_body);
        Ok(body)
    }

    /// Reads an event of a stream.
    pub(crate) fn event(self, answer: &mut Answer<'_>, event: &Value) -> Result<Flow, ModelError> {
        match self {
            Self::Chat => chat_read::choice(answer, event, "delta"),
            Self::Responses => responses_read::event(answer, event),
            Self::Anthropic => anthropic_read::event(answer, event),
            Self::Gemini => gemini_read::event(answer, event),
            Self::Ollama => ollama::event(answer, event),
            Self::Cohere => cohere::event(answer, event),
            Self::Bedrock => bedrock::document(answer, event),
        }
    }

    /// Reads an answer that is one document.
    pub(crate) fn document(self, answer: &mut Answer<'_>, document: &Value) -> Result<Flow, ModelError> {
        match self {
            Self::Chat => chat_read::choice(answer, document, "message"),
            Self::Responses => responses_read::document(answer, document),
            Self::Anthropic => anthropic_read::document(answer, document),
            Self::Gemini => gemini_read::document(answer, document),
            Self::Ollama => ollama::event(answer, document),
            Self::Cohere => cohere::document(answer, document),
            Self::Bedrock => bedrock::document(answer, document),
        }
    }
}

impl<'a> ProviderRequest<'a> {
    fn params(&self) -> &'a RequestParams {
        &self.model_request.params
    }

    /// The conversation in the protocol's terms.
    fn turns(&self, protocol: Protocol) -> Vec<Turn<'a>> {
        content::turns(self, protocol)
    }

    /// The names of the tools that the conversation has calls of, if no tool is offered. Some providers refuse a conversation with calls
    /// whose request has no tools.
    fn called(&self) -> BTreeSet<String> {
        let messages = self.model_request.messages.iter().filter(|_| self.tools.is_empty());
        messages.flat_map(Message::tool_calls).map(|call| ids::sent_name(&call.name).into_owned()).collect()
    }

    /// The beginning of the list of messages, for protocols that have the instructions there.
    fn system_message(&self) -> Vec<Value> {
        self.system().map(|system| json!({ "role": "system", "content": system })).into_iter().collect()
    }

    fn system(&self) -> Option<&'a str> {
        self.model_request.system.as_deref().filter(|text| !text.is_empty())
    }

    /// The schema of the answer, in the rules of a provider if it has a form there, and whether it has one.
    fn schema(&self, dialect: Option<&Dialect>) -> Option<(String, Value, bool)> {
        let schema = self.model_request.params.response_schema.as_ref()?;
        let strict: Option<ResponseSchema> = dialect.and_then(|dialect| schema.in_dialect(dialect).ok());
        let is_strict = strict.is_some();
        let mut sent = strict.as_ref().unwrap_or(schema).schema().clone();
        // Few protocols have a place for a description beside the schema.
        if let (Some(text), Value::Object(keywords)) = (schema.description(), &mut sent) {
            keywords.entry("description").or_insert_with(|| text.into());
        }
        Some((schema.name().to_owned(), sent, is_strict))
    }

    /// The choice of tools; `None` if the model is free.
    fn choice(&self) -> Option<Choice<'a>> {
        match &self.model_request.params.tool_choice {
            ToolChoice::Auto => None,
            ToolChoice::None => Some(Choice::None),
            ToolChoice::Required => Some(Choice::Required),
            ToolChoice::Tool(name) => Some(Choice::Tool(name)),
        }
    }
}

/// A choice of tools that is not the model's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice<'a> {
    None,
    Required,
    Tool(&'a str),
}

/// A name as one segment of a path. A card of somebody else can name a model, and the name must not lead to another path or begin a query.
fn segment(name: &str) -> String {
    name.bytes().fold(String::with_capacity(name.len()), |mut segment, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~:@".contains(&byte) {
            segment.push(char::from(byte));
        } else {
            let _ = write!(segment, "%{byte:02X}");
        }
        segment
    })
}

/// A text field of a JSON value; an empty text if there is none.
fn text<'v>(value: &'v Value, path: &str) -> &'v str {
    value.pointer(path).and_then(Value::as_str).unwrap_or_default()
}

/// A text field that is not empty, such as the id of an answer.
fn named(value: &Value, path: &str) -> Option<String> {
    Some(text(value, path).to_owned()).filter(|text| !text.is_empty())
}

/// The error of an answer that a failure ended, with the beginning of the provider's words.
fn failed(how: &str, words: &str) -> ModelError {
    let words: String = words.chars().take(500).collect();
    ModelError::Incomplete(format!("{how} {words}").trim_end().to_owned())
}

/// A count of tokens, or of uses of a tool; 0 if there is none.
fn count(value: &Value, path: &str) -> u64 {
    value.pointer(path).map(bounded).unwrap_or_default()
}

/// A count as a provider reports it, up to its bound.
fn bounded(count: &Value) -> u64 {
    count.as_u64().unwrap_or_default().min(bounds::COUNT)
}

/// The elements of a list; none if there is no list.
fn list<'v>(value: &'v Value, path: &str) -> &'v [Value] {
    value.pointer(path).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// A body with the fields that are not null.
fn object(fields: Value) -> Map<String, Value> {
    let Value::Object(fields) = fields else { return Map::new() };
    fields.into_iter().filter(|(_, value)| !value.is_null()).collect()
}

/// A list as a field of [`object`]; null if it is empty.
fn unless_empty<T: Into<Value>>(list: Vec<T>) -> Value {
    if list.is_empty() { Value::Null } else { list.into_iter().map(Into::into).collect() }
}
