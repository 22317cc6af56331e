//! Requests to models.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use super::{History, Message, RequestParams};
use crate::journal::{StepId, StepKind};
use onionskin_definitions::definition::ToolDeclaration;
use onionskin_definitions::secret::{Redact, Redactor};
use onionskin_definitions::setters;

/// A request to a model.
///
/// The model reads the fields. The ids identify the run, the session and the user; an adapter can send them
/// to the provider, for example as HTTP headers or as `user` or `metadata` of the request. Secrets of the
/// session are redacted in them.
///
/// A test of a model creates requests:
///
/// ```
/// use onionskin::ToolDefinition;
/// use onionskin::model::{Message, ModelRequest, ToolDeclaration};
/// use serde_json::json;
///
/// let schema = json!({ "type": "object", "properties": { "city": { "type": "string" } } });
/// let weather = ToolDefinition::new("weather", "The weather in a city.").with_input_schema(schema);
/// let request = ModelRequest::new([Message::user("How warm is it in Paris?")])
///     .with_system("Answer in one word.")
///     .with_tools([ToolDeclaration::new("weather", &weather)])
///     .with_user("ada");
/// assert_eq!(request.messages.len(), 1);
/// assert_eq!(request.user(), Some("ada"));
/// assert_eq!(request.step().to_string(), "turn 1/model");
/// ```
///
/// The serialised form omits the ids and the marks of messages of the runtime ([`Message::is_input`]). So it
/// is the same in each process, and a journal can compare it with a recorded request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelRequest {
    /// The agent that makes the request.
    pub agent: Arc<str>,
    /// The model's name, if the agent sets one.
    pub model: Option<Arc<str>>,
    /// The system prompt.
    pub system: Option<Arc<str>>,
    /// The conversation so far, shared with the run.
    #[serde(serialize_with = "without_marks")]
    pub messages: History,
    /// The tools that the model may call.
    pub tools: Arc<[ToolDeclaration]>,
    /// Model parameters, such as the temperature.
    pub params: RequestParams,
    #[serde(skip)]
    pub(crate) ids: RequestIds,
}

/// Serialises the messages without the marks of the runtime, so that the request equals one that a journal
/// recorded before there were such marks.
fn without_marks<S: Serializer>(messages: &History, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(messages.iter().map(|message| match message {
        Message::User { content, by_runtime: true } => Cow::Owned(Message::user_content(content.clone())),
        Message::User { .. } | Message::Assistant { .. } | Message::Tool { .. } => Cow::Borrowed(message),
    }))
}

/// The ids of a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RequestIds {
    pub(crate) run: Arc<str>,
    pub(crate) correlation: Arc<str>,
    pub(crate) session: Arc<str>,
    pub(crate) user: Option<Arc<str>>,
    pub(crate) step: StepId,
}

impl Default for RequestIds {
    /// The first turn of a run without an id.
    fn default() -> Self {
        let step = StepId::new(StepKind::Model, "").in_turn(1, None);
        let none = Arc::default;
        Self { run: none(), correlation: none(), session: none(), user: None, step }
    }
}

impl Redact for RequestIds {
    fn redact(&mut self, redactor: &Redactor) {
        for id in [&mut self.run, &mut self.correlation, &mut self.session].into_iter().chain(&mut self.user)
        {
            if redactor.shows(id) {
                *id = redactor.redact(&**id).into();
            }
        }
    }
}

impl ModelRequest {
    /// Creates a request of the agent `agent` with these messages, without tools and ids.
    pub fn new(messages: impl Into<History>) -> Self {
        Self {
            agent: "agent".into(),
            model: None,
            system: None,
            messages: messages.into(),
            tools: Arc::new([]),
            params: RequestParams::default(),
            ids: RequestIds::default(),
        }
    }

    setters! {
        /// Sets the agent that makes the request.
        with_agent(name: impl Into<Arc<str>>) => agent = name.into();

        /// Sets the model's name.
        with_model(name: impl Into<Arc<str>>) => model = Some(name.into());

        /// Sets the system prompt.
        with_system(text: impl Into<Arc<str>>) => system = Some(text.into());

        /// Sets the tools that the model may call.
        with_tools(tools: impl IntoIterator<Item = ToolDeclaration>) => tools = tools.into_iter().collect();

        /// Sets the model parameters.
        with_params(params: RequestParams) => params = params;
    }

    /// Sets [`run_id`](Self::run_id) and [`step`](Self::step).
    #[must_use]
    pub fn with_step(mut self, run_id: impl Into<Arc<str>>, step: StepId) -> Self {
        (self.ids.run, self.ids.step) = (run_id.into(), step);
        self
    }

    setters! {
        /// Sets [`correlation_id`](Self::correlation_id).
        with_correlation_id(id: impl Into<Arc<str>>) => ids.correlation = id.into();

        /// Sets [`session_id`](Self::session_id).
        with_session_id(id: impl Into<Arc<str>>) => ids.session = id.into();

        /// Sets [`user`](Self::user).
        with_user(id: impl Into<Arc<str>>) => ids.user = Some(id.into());
    }

    /// The id of the run in its journal, as [`RunContext::run_id`](crate::RunContext::run_id); empty for a
    /// hand-written request. Together with [`step`](Self::step) it identifies the request, also in replays of
    /// the run and in retries after a transient error.
    pub fn run_id(&self) -> &str {
        &self.ids.run
    }

    /// The id of the run and all its child runs, as
    /// [`RunContext::correlation_id`](crate::RunContext::correlation_id); empty for a hand-written request.
    pub fn correlation_id(&self) -> &str {
        &self.ids.correlation
    }

    /// The id of the session, as [`Session::id`](crate::Session::id); empty for a hand-written request.
    /// Sessions get new ids in each process.
    pub fn session_id(&self) -> &str {
        &self.ids.session
    }

    /// The user of the run, as set with `RunRequest::user`.
    pub fn user(&self) -> Option<&str> {
        self.ids.user.as_deref()
    }

    /// The step of the request, for example `turn 3/model`. [`StepId::turn`] is the number of the turn.
    pub fn step(&self) -> &StepId {
        &self.ids.step
    }

    pub(super) fn redact_ids(&mut self, redactor: &Redactor) {
        self.ids.redact(redactor);
    }
}
