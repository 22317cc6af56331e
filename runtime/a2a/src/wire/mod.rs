//! The objects of A2A 1, as JSON.
//!
//! A field with its default value may be absent or `null`, and unknown fields are ignored, as in the JSON of protocol
//! buffers.

mod card;
mod fault;
mod moment;

pub use card::Skill;
pub(crate) use card::{
    Capabilities, Card, HttpScheme, Interface, Scopes, SecurityRequirement, SecurityScheme,
};
pub(crate) use fault::{Fault, Reason};
pub(crate) use moment::{now, read_moment};

use onionskin_core::json::json_values;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// The version of the protocol that this crate speaks.
pub(crate) const VERSION: &str = "1.0";
/// The header with the version.
pub(crate) const VERSION_HEADER: &str = "a2a-version";
pub(crate) const CARD_PATH: &str = "/.well-known/agent-card.json";
pub(crate) const EVENT_STREAM: &str = "text/event-stream";

/// Reads `null` as the default value.
pub(crate) fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Whether a version of the protocol has our major number.
pub(crate) fn is_spoken(version: &str) -> bool {
    version.trim().split('.').next() == VERSION.split('.').next()
}

/// A random id, which nobody can guess; `None` if the system has no random numbers.
pub(crate) fn new_id() -> Option<String> {
    let mut bytes = [0; 16];
    match getrandom::fill(&mut bytes) {
        Ok(()) => Some(format!("{:032x}", u128::from_ne_bytes(bytes))),
        Err(error) => {
            tracing::error!(%error, "there are no random numbers for an id");
            None
        }
    }
}

/// Who wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) enum Role {
    #[default]
    #[serde(rename = "ROLE_UNSPECIFIED")]
    Unspecified,
    #[serde(rename = "ROLE_USER")]
    User,
    #[serde(rename = "ROLE_AGENT")]
    Agent,
}

/// A message of a client or of an agent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, expecting = "an object")]
pub(crate) struct Message {
    #[serde(rename = "messageId", deserialize_with = "or_default")]
    pub(crate) id: String,
    #[serde(deserialize_with = "or_default")]
    pub(crate) role: Role,
    #[serde(deserialize_with = "or_default")]
    pub(crate) parts: Vec<Part>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) context_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) metadata: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "or_default")]
    pub(crate) reference_task_ids: Vec<String>,
}

impl Message {
    /// About how many bytes it has in memory.
    pub(crate) fn bytes(&self) -> usize {
        self.parts.iter().map(Part::bytes).sum::<usize>()
            + self.metadata.as_ref().map_or(0, value_bytes)
            + self.reference_task_ids.iter().map(|id| size_of::<String>() + id.len()).sum::<usize>()
    }
}

/// About how many bytes a value has in memory.
fn value_bytes(value: &Value) -> usize {
    let text = value.to_string();
    text.len() + size_of::<Value>() * json_values(text.as_bytes())
}

/// A part of a message or of an artifact: one of text, bytes, an address and a value.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, expecting = "an object")]
pub(crate) struct Part {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    /// Base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) raw: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) filename: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) media_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) metadata: Option<Value>,
}

/// What a part contains.
pub(crate) enum Content<'p> {
    Text(&'p str),
    Raw(&'p str),
    Url(&'p str),
    Data(&'p Value),
}

impl Part {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    pub(crate) fn data(data: Value) -> Self {
        Self { data: Some(data), media_type: Some("application/json".to_owned()), ..Self::default() }
    }

    /// Its content; `None` if it has none, or more than one.
    pub(crate) fn content(&self) -> Option<Content<'_>> {
        match (&self.text, &self.raw, &self.url, &self.data) {
            (Some(text), None, None, None) => Some(Content::Text(text)),
            (None, Some(raw), None, None) => Some(Content::Raw(raw)),
            (None, None, Some(url), None) => Some(Content::Url(url)),
            (None, None, None, Some(data)) => Some(Content::Data(data)),
            _ => None,
        }
    }

    /// About how many bytes it has in memory.
    pub(crate) fn bytes(&self) -> usize {
        let texts = [&self.text, &self.raw, &self.url, &self.filename, &self.media_type];
        let values = [&self.data, &self.metadata];
        size_of::<Self>()
            + texts.into_iter().flatten().map(String::len).sum::<usize>()
            + values.into_iter().flatten().map(value_bytes).sum::<usize>()
    }
}

/// The states of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) enum TaskState {
    #[default]
    #[serde(rename = "TASK_STATE_UNSPECIFIED")]
    Unspecified,
    #[serde(rename = "TASK_STATE_SUBMITTED")]
    Submitted,
    #[serde(rename = "TASK_STATE_WORKING")]
    Working,
    #[serde(rename = "TASK_STATE_COMPLETED")]
    Completed,
    #[serde(rename = "TASK_STATE_FAILED")]
    Failed,
    #[serde(rename = "TASK_STATE_CANCELED")]
    Canceled,
    #[serde(rename = "TASK_STATE_REJECTED")]
    Rejected,
    #[serde(rename = "TASK_STATE_INPUT_REQUIRED")]
    InputRequired,
    #[serde(rename = "TASK_STATE_AUTH_REQUIRED")]
    AuthRequired,
}

impl TaskState {
    /// Whether the task has ended.
    pub(crate) fn is_terminal(self) -> bool {
        match self {
            Self::Completed | Self::Failed | Self::Canceled | Self::Rejected => true,
            Self::Unspecified
            | Self::Submitted
            | Self::Working
            | Self::InputRequired
            | Self::AuthRequired => false,
        }
    }

    /// Whether nothing more happens without another message.
    pub(crate) fn is_at_rest(self) -> bool {
        self.is_terminal() || matches!(self, Self::InputRequired | Self::AuthRequired)
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct TaskStatus {
    #[serde(deserialize_with = "or_default")]
    pub(crate) state: TaskState,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<Message>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) timestamp: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Artifact {
    #[serde(rename = "artifactId", deserialize_with = "or_default")]
    pub(crate) id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(deserialize_with = "or_default")]
    pub(crate) parts: Vec<Part>,
}

impl Artifact {
    /// Adds parts. A text behind a text continues it.
    pub(crate) fn add(&mut self, parts: Vec<Part>) {
        for part in parts {
            match (self.parts.last_mut().and_then(|last| last.text.as_mut()), &part.text) {
                (Some(text), Some(more)) => text.push_str(more),
                _ => self.parts.push(part),
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Task {
    #[serde(deserialize_with = "or_default")]
    pub(crate) id: String,
    #[serde(deserialize_with = "or_default")]
    pub(crate) context_id: String,
    #[serde(deserialize_with = "or_default")]
    pub(crate) status: TaskStatus,
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "or_default")]
    pub(crate) artifacts: Vec<Artifact>,
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "or_default")]
    pub(crate) history: Vec<Message>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct StatusUpdate {
    #[serde(deserialize_with = "or_default")]
    pub(crate) task_id: String,
    #[serde(deserialize_with = "or_default")]
    pub(crate) context_id: String,
    #[serde(deserialize_with = "or_default")]
    pub(crate) status: TaskStatus,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ArtifactUpdate {
    #[serde(deserialize_with = "or_default")]
    pub(crate) task_id: String,
    #[serde(deserialize_with = "or_default")]
    pub(crate) context_id: String,
    #[serde(deserialize_with = "or_default")]
    pub(crate) artifact: Artifact,
    #[serde(skip_serializing_if = "std::ops::Not::not", deserialize_with = "or_default")]
    pub(crate) append: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not", deserialize_with = "or_default")]
    pub(crate) last_chunk: bool,
}

/// One event of a stream, and the answer to a message: one of its fields.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct StreamResponse {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task: Option<Task>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<Message>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status_update: Option<StatusUpdate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) artifact_update: Option<ArtifactUpdate>,
}

/// The parameters of `SendMessage` and `SendStreamingMessage`.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, expecting = "an object")]
pub(crate) struct SendParams {
    pub(crate) message: Option<Message>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) configuration: Option<SendConfiguration>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tenant: Option<String>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, expecting = "an object")]
pub(crate) struct SendConfiguration {
    pub(crate) history_length: Option<i64>,
    #[serde(deserialize_with = "or_default")]
    pub(crate) return_immediately: bool,
    pub(crate) task_push_notification_config: Option<Value>,
}

/// The parameters of the methods that name a task.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, expecting = "an object")]
pub(crate) struct TaskParams {
    #[serde(deserialize_with = "or_default")]
    pub(crate) id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) history_length: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tenant: Option<String>,
}

/// The parameters of `ListTasks`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, expecting = "an object")]
pub(crate) struct ListParams {
    pub(crate) context_id: Option<String>,
    pub(crate) status: Option<TaskState>,
    pub(crate) page_size: Option<i64>,
    pub(crate) page_token: Option<String>,
    pub(crate) history_length: Option<i64>,
    pub(crate) status_timestamp_after: Option<String>,
    #[serde(deserialize_with = "or_default")]
    pub(crate) include_artifacts: bool,
}

/// The answer to `ListTasks`. Its fields are always there.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TaskPage {
    pub(crate) tasks: Vec<Task>,
    pub(crate) next_page_token: String,
    pub(crate) page_size: usize,
    pub(crate) total_size: usize,
}
