//! What a remote agent has said of one message.

use onionskin_core::text::{short, visible};
use serde::{Deserialize, Serialize};

use super::RemoteError;
use crate::wire::{Artifact, ArtifactUpdate, Content, Message, Part, StreamResponse, TaskState, TaskStatus};

/// The characters of a text of a remote agent in an error, and of a question.
const ERROR_CHARS: usize = 300;
const QUESTION_CHARS: usize = 4_000;

/// The end of an exchange.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reply {
    Answer { text: String },
    Question { task_id: String, context_id: String, text: String },
}

/// The task so far, or the message in its place.
#[derive(Default)]
pub(super) struct Progress {
    task_id: Option<String>,
    context_id: Option<String>,
    status: TaskStatus,
    artifacts: Vec<Artifact>,
    message: Option<Message>,
}

impl Progress {
    /// The task, while it is at work.
    pub(super) fn unfinished(&self) -> Option<&str> {
        self.task_id.as_deref().filter(|_| !self.is_at_rest())
    }

    /// Whether the exchange is over.
    pub(super) fn is_at_rest(&self) -> bool {
        self.message.is_some() || self.status.state.is_at_rest()
    }

    pub(super) fn add(&mut self, event: StreamResponse) -> Result<(), RemoteError> {
        let StreamResponse { task, message, status_update, artifact_update } = event;
        if let Some(task) = task {
            self.take_ids(task.id, task.context_id)?;
            (self.status, self.artifacts) = (task.status, task.artifacts);
        }
        if let Some(update) = artifact_update {
            self.take_ids(update.task_id.clone(), update.context_id.clone())?;
            self.take_artifact(update)?;
        }
        if let Some(update) = status_update {
            self.take_ids(update.task_id, update.context_id)?;
            self.status = update.status;
        }
        if message.is_some() {
            self.message = message;
        }
        Ok(())
    }

    /// The context can change, because some servers give the second turn of a task another one.
    fn take_ids(&mut self, task_id: String, context_id: String) -> Result<(), RemoteError> {
        if task_id.is_empty() {
            return Err(RemoteError::Protocol { reason: "an event has no id of its task".to_owned() });
        }
        match &self.task_id {
            Some(known) if *known != task_id => {
                return Err(RemoteError::Protocol { reason: "an event is of another task".to_owned() });
            }
            _ => self.task_id = Some(task_id),
        }
        if self.context_id.is_none() && !context_id.is_empty() {
            self.context_id = Some(context_id);
        }
        Ok(())
    }

    fn take_artifact(&mut self, update: ArtifactUpdate) -> Result<(), RemoteError> {
        let ArtifactUpdate { artifact, append, .. } = update;
        let known = self.artifacts.iter_mut().find(|known| known.id == artifact.id);
        match known {
            Some(known) if append => known.add(artifact.parts),
            Some(known) => *known = artifact,
            None if append => {
                let reason = "an artifact is continued that did not begin".to_owned();
                return Err(RemoteError::Protocol { reason });
            }
            None => self.artifacts.push(artifact),
        }
        Ok(())
    }

    /// The end of the exchange.
    pub(super) fn into_reply(self, max_bytes: usize) -> Result<Reply, RemoteError> {
        let said = self.status.message.as_ref().map(|message| text(&message.parts)).unwrap_or_default();
        let ended = |state: &str| {
            let message = visible(&short(&said, ERROR_CHARS)).into_owned();
            Err(RemoteError::Ended { state: state.to_owned(), message })
        };
        if let Some(message) = &self.message {
            return answer(text(&message.parts), max_bytes);
        }
        match self.status.state {
            TaskState::Completed => {
                let texts: Vec<_> = self.artifacts.iter().map(|artifact| text(&artifact.parts)).collect();
                let texts = texts.join("\n");
                // Some agents answer in the last message of the task.
                answer(if texts.is_empty() { said } else { texts }, max_bytes)
            }
            TaskState::InputRequired => Ok(Reply::Question {
                task_id: self.task_id.unwrap_or_default(),
                context_id: self.context_id.unwrap_or_default(),
                text: visible(&short(&said, QUESTION_CHARS)).into_owned(),
            }),
            TaskState::Failed => ended("failed"),
            TaskState::Canceled => ended("canceled"),
            TaskState::Rejected => ended("rejected"),
            TaskState::AuthRequired => ended("auth-required"),
            TaskState::Submitted | TaskState::Working | TaskState::Unspecified => {
                Err(RemoteError::Protocol { reason: "the answer is neither a message nor a task".to_owned() })
            }
        }
    }
}

fn answer(text: String, max_bytes: usize) -> Result<Reply, RemoteError> {
    if text.len() > max_bytes {
        Err(RemoteError::TooLong { most: max_bytes })
    } else {
        Ok(Reply::Answer { text })
    }
}

/// The text of parts. Values count if there is no text, and files are named.
fn text(parts: &[Part]) -> String {
    let has_text = parts.iter().any(|part| part.text.is_some());
    let mut text = String::new();
    for part in parts {
        let name = part.filename.as_deref().unwrap_or("without a name");
        match part.content() {
            Some(Content::Text(more)) => text.push_str(more),
            Some(Content::Data(_)) if has_text => {}
            Some(Content::Data(data)) => text.push_str(&data.to_string()),
            Some(Content::Url(url)) => text.push_str(&format!("\n[file {name}: {url}]")),
            Some(Content::Raw(_)) => text.push_str(&format!("\n[file {name}, which is left out]")),
            None => {}
        }
    }
    text
}
