//! Models of real providers. genai is the directory of providers, and no type of it is public here; requests and answers are written and read here.

#![forbid(unsafe_code)]
// A new variant of an enum must be handled in each `match`.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

mod answer;
mod body;
mod bounds;
mod calls;
mod carried;
mod exchange;
mod failure;
mod items;
mod names;
mod parts;
mod protocol;
mod shape;
mod stop;
mod structured;
mod surrogates;
mod target;
mod tools;
mod words;

use std::borrow::Cow;
use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use genai::adapter::AdapterKind;

use self::failure::ApiKey;
use self::protocol::Protocol;
pub use self::target::name_mistake;
use self::target::{Clients, Target};
use self::tools::Declared;
use onionskin_core::content::ContentBlock;
use onionskin_core::model::{
    Model, ModelDelta, ModelError, ModelIdentity, ModelRequest, ModelResponse, RequestOption, ResponseSchema,
};
use onionskin_core::secret::Secret;

/// A model of a real provider, or of any server that speaks one of their protocols: feature `genai`.
///
/// The model's name (`gpt-..`, `claude-..`, `gemini-..` and so on), the namespace of a provider in it (`groq::llama-3.3-70b`), or
/// [`adapter`](Self::adapter) selects the provider. Any other `::` is a part of the name. The key comes from the
/// provider's usual environment variable (`OPENAI_API_KEY`, `ANTHROPIC_API_KEY`, ..) or from
/// [`api_key`](Self::api_key). No error and no `Debug` output shows it. A server on this machine is asked without a proxy.
///
/// ```
/// use onionskin::genai::GenaiModel;
/// let local = GenaiModel::new("qwen3").base_url("http://127.0.0.1:8080/v1").adapter("openai");
/// assert!(format!("{local:?}").contains("qwen3"));
/// ```
///
/// Arguments of tool calls arrive as the model wrote them, broken JSON included, and in pieces where the provider streams them.
/// Gemini and Ollama send values, which are written as JSON again, each in one piece and with all digits of its numbers. Clones share the connections.
///
/// An answer is complete or an error: each call of which a piece came is in it once, and an empty answer has a
/// [reason](onionskin_core::model::StopReason) to be empty. Calls that cannot be distinguished, such as two equal calls without ids, are
/// [`ModelError::Incomplete`], and so are calls with a reason to stop that is not known here; a text with one has
/// [`StopReason::Other`](onionskin_core::model::StopReason::Other), and so has one whose stream of chat completions ends with `[DONE]` without a
/// reason; calls there are taken if all of them are whole. What a provider sends is read within bounds: 128 MiB of a stream with 16 MiB of texts and arguments in it, 16 MiB
/// of an answer that is not streamed, a million JSON values of an event or an answer, 512 calls, 64 KiB of an error. Compressed answers are not asked for.
///
/// A provider that runs tools of its own, which `extra_body` asks for, can pause (`pause_turn` of Anthropic). It is then asked to go on, and the
/// parts are one answer; after ten parts, it ends with [`StopReason::Incomplete`](onionskin_core::model::StopReason::Incomplete).
///
/// Answers of a type ([`RunRequest::run_as`](onionskin_core::run::RunRequest::run_as)) are asked for as the provider's own structured output
/// in the protocols of `OpenAI`, Anthropic and Gemini, and else as the call of a tool: for older models, for types without a form in
/// the provider's rules, and for Gemini beside tools, which it does not take together. The call is forced, but not while `thinking` in
/// [`extra_body`](onionskin_core::model::RequestParams::extra_body) is on: providers refuse the two together.
///
/// A request has no time limit of its own: a run ends it after
/// [`Limits::model_timeout`](onionskin_core::declaration::Limits::model_timeout) and repeats it after a transient error
/// ([`Limits::model_retries`](onionskin_core::declaration::Limits::model_retries)). Redirects are not followed, because
/// they would carry the key to another host.
///
/// # Errors
/// The agent is not built if the model's name, its protocol or its key cannot be used. Requests fail with
///
/// - [`ModelError::Unsupported`] if the protocol has no form for an option of the request: Ollama for a tool choice, Bedrock for a response
///   schema, Responses for stop sequences, Anthropic for a seed,
/// - [`ModelError::UnreadContent`] if the protocol has no form for a part of the input,
/// - [`ModelError::Setup`] if the model's name, the protocol, the key or the machine's TLS cannot be used,
/// - [`ModelError::NoKey`] if the environment variable of the key is missing,
/// - [`ModelError::TooLong`] if the provider says that the conversation is too long for the model,
/// - [`ModelError::Status`] if the provider answers with another error, before or within the stream,
/// - [`ModelError::Transport`] if the provider cannot be reached or the connection breaks,
/// - [`ModelError::Malformed`] if the answer does not follow the protocol, or exceeds a bound,
/// - [`ModelError::Incomplete`] if the answer lacks what it announced, or is empty without a reason,
/// - [`ModelError::Tools`] if the provider does not take the agent's strict tools
///   ([`strict_where_taken`](Self::strict_where_taken)).
#[derive(Clone)]
pub struct GenaiModel {
    name: Option<Arc<str>>,
    default: Option<Arc<str>>,
    base_url: Option<Arc<str>>,
    adapter: Option<Arc<str>>,
    key: ApiKeySource,
    stream: bool,
    /// Whether requests are marked for the provider's cache; `None` for what is usual there.
    marks: Option<bool>,
    tools: Declared,
    clients: Clients,
}

/// The source of the key.
#[derive(Clone, Default)]
enum ApiKeySource {
    /// The provider's own environment variable; none for a base URL of the user's own.
    #[default]
    Usual,
    /// This environment variable.
    Env(Arc<str>),
    /// This key.
    Explicit(ApiKey),
}

impl GenaiModel {
    /// Makes a model that asks the one that each agent names (`model: ..` in `agent!`), with the key from the provider's
    /// environment variable. A request of an agent that names none fails with [`ModelError::Setup`].
    pub fn from_env() -> Self {
        Self {
            name: None,
            default: None,
            base_url: None,
            adapter: None,
            key: ApiKeySource::default(),
            stream: true,
            marks: None,
            tools: Declared::default(),
            clients: Clients::default(),
        }
    }

    /// Makes a model that asks `model_name` for all agents, also for those that name another.
    pub fn new(model_name: impl Into<Arc<str>>) -> Self {
        Self { name: Some(model_name.into()), ..Self::from_env() }
    }

    /// Asks this model for the agents that name none.
    ///
    /// ```
    /// use onionskin::genai::GenaiModel;
    ///
    /// let model = GenaiModel::from_env().default_name("gpt-4o-mini");
    /// ```
    #[must_use]
    pub fn default_name(mut self, model_name: impl Into<Arc<str>>) -> Self {
        self.default = Some(model_name.into());
        self
    }

    /// Uses a server at this address: the part before `/chat/completions` or `/messages`, such as
    /// `http://127.0.0.1:8080/v1`. A query stays behind the path.
    ///
    /// The provider's key in the environment is not sent there: give a key with [`api_key`](Self::api_key)
    /// or [`api_key_env`](Self::api_key_env) if the server wants one. A model name that says nothing about
    /// its provider is then taken for a server that speaks `OpenAI`'s protocol.
    #[must_use]
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into().into());
        self
    }

    /// Uses this key. No error shows it, even if the provider's answer does.
    #[must_use]
    pub fn api_key(mut self, key: impl Into<Secret<String>>) -> Self {
        self.key = ApiKeySource::Explicit(ApiKey::new(key.into()));
        self
    }

    /// Uses the key in this environment variable, read when an agent is built and at each request.
    #[must_use]
    pub fn api_key_env(mut self, name: impl Into<Arc<str>>) -> Self {
        self.key = ApiKeySource::Env(name.into());
        self
    }

    /// Speaks this protocol, independent of the model's name: `openai`, `openai_resp`, `anthropic`,
    /// `gemini`, `ollama`, .. An unknown one is reported by the first request, with the known ones.
    #[must_use]
    pub fn adapter(mut self, adapter: impl Into<Arc<str>>) -> Self {
        self.adapter = Some(adapter.into());
        self
    }

    /// Sets whether answers are streamed (the default). Turn it off for servers that cannot stream; there are
    /// then no deltas.
    #[must_use]
    pub fn stream(mut self, stream: bool) -> Self {
        self.stream = stream;
        self
    }

    /// Sets whether requests have marks for the provider's prompt cache: at the ends of the tools, of the system
    /// prompt and of the last two messages of the user. Only Anthropic and Bedrock need marks; the other providers cache
    /// without them.
    ///
    /// By default, requests to Anthropic itself and to Claude models of Bedrock have marks, if they have tools or an
    /// earlier answer. Writing into the cache costs more than other input, and reading from it much less, so marks pay
    /// from the second request within five minutes. Turn them off for conversations that end sooner; turn them on
    /// for a server with Anthropic's protocol that takes them. With `cache_control` or `cachePoint` in
    /// [`extra_body`](onionskin_core::model::RequestParams::extra_body), the program sets its own.
    ///
    /// ```
    /// use onionskin::genai::GenaiModel;
    ///
    /// let model = GenaiModel::new("claude-haiku-4-5").cache_prompts(false);
    /// ```
    #[must_use]
    pub fn cache_prompts(mut self, marks: bool) -> Self {
        self.marks = Some(marks);
        self
    }

    /// Sends [strict](onionskin_core::export#strict) tools without `strict` if the provider does not take them as strict ones. A
    /// warning of `tracing` names them once for an agent's tools. By default, such a tool ends the run before the request, with
    /// [`ModelError::Tools`]. This is for OpenAI and Anthropic; other providers get the plain form.
    ///
    /// Once one tool exceeds the limits of a request, all later ones in the agent's order are sent without `strict`.
    #[must_use]
    pub fn strict_where_taken(mut self) -> Self {
        self.tools = Declared::where_taken();
        self
    }

    /// genai's adapter for the model with this name.
    fn adapter_kind(&self, name: &str) -> Result<AdapterKind, ModelError> {
        target::adapter_kind(name, self.adapter.as_deref(), self.base_url.is_some())
    }

    /// The provider of the model with this name.
    fn provider_of(&self, name: &str) -> &'static str {
        self.adapter_kind(name).map_or("genai", target::provider_name)
    }

    /// The model that is asked for an agent that names this one, or none.
    fn name_for<'n>(&'n self, requested: Option<&'n str>) -> Option<&'n str> {
        self.name.as_deref().or(requested).or(self.default.as_deref())
    }

    /// The protocol of the model that is asked for all agents.
    fn protocol(&self) -> Option<Protocol> {
        self.protocol_of(self.name.as_deref()?).map(|(_, protocol)| protocol)
    }

    /// The protocol of the model with this name. A wrong name or adapter is the error of the request.
    fn protocol_of(&self, name: &str) -> Option<(AdapterKind, Protocol)> {
        let kind = self.adapter_kind(name).ok()?;
        Some((kind, Protocol::new(kind, name).ok()?))
    }

    /// Where the request goes.
    async fn target(&self, request: &ModelRequest) -> Result<Target, ModelError> {
        let name = self.name_for(request.model.as_deref()).ok_or_else(|| {
            ModelError::Setup(format!(
                "the agent `{}` names no model: write `model: ..` in it, or give all agents one",
                request.agent
            ))
        })?;
        self.target_named(name).await
    }

    async fn target_named(&self, name: &str) -> Result<Target, ModelError> {
        target::target(&self.clients, name, self.adapter.as_deref(), self.base_url.as_deref(), &self.key)
            .await
    }
}

impl Model for GenaiModel {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        let target = self.target(request).await?;
        let tools = self.tools.tools(&request.tools, target.kind.as_lower_str())?;
        parts::ask(&target, request, &tools, self.stream, self.marks, deltas).await
    }

    fn provider(&self) -> Cow<'static, str> {
        Cow::Borrowed(self.name.as_deref().map_or("genai", |name| self.provider_of(name)))
    }

    fn identity(&self, requested: Option<&str>) -> ModelIdentity {
        let name = self.name_for(requested);
        ModelIdentity::new(name.map_or("genai", |name| self.provider_of(name)), name)
    }

    /// A model that each agent names itself is known at the request only.
    fn supports(&self, option: RequestOption) -> bool {
        self.protocol().is_none_or(|protocol| protocol.supports(option))
    }

    fn check_option(&self, requested: Option<&str>, option: RequestOption) -> Result<(), ModelError> {
        let protocol = self.name_for(requested).and_then(|name| self.protocol_of(name));
        protocol.map_or(Ok(()), |(kind, protocol)| protocol.check_option(kind, option))
    }

    /// The name, the protocol, the address and the key. A model that is named for one turn only is known at the request only.
    fn check(&self, requested: Option<&str>) -> Result<(), ModelError> {
        let Some(name) = self.name.as_deref().or(requested) else { return Ok(()) };
        // The directory of providers asks nobody, so nothing is pending.
        match pin!(self.target_named(name)).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(target) => target.map(drop),
            Poll::Pending => Ok(()),
        }
    }

    /// What the protocol has a form for. A model that each agent names itself is known at the request only.
    fn reads(&self, content: &ContentBlock) -> bool {
        self.protocol().is_none_or(|protocol| protocol.reads(content))
    }

    /// In the protocols of `OpenAI`, Anthropic and Gemini, in the provider's own rules.
    fn response_schema(&self, request: &ModelRequest, schema: &ResponseSchema) -> Option<ResponseSchema> {
        let name = self.name_for(request.model.as_deref())?;
        structured::schema(name, self.adapter_kind(name).ok()?, !request.tools.is_empty(), schema)
    }

    /// Not while the request turns thinking on.
    fn can_force_call(&self, request: &ModelRequest) -> bool {
        self.supports(RequestOption::ToolChoice) && !structured::turns_thinking_on(&request.params.extra_body)
    }
}

impl fmt::Debug for GenaiModel {
    /// Shows no key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GenaiModel")
            .field("name", &self.name)
            .field("base_url", &self.base_url.as_deref().map(failure::without_user))
            .field("adapter", &self.adapter)
            .field("stream", &self.stream)
            .finish_non_exhaustive()
    }
}
