//! The pieces of a streamed answer in a file: the sizes of the parts of the answer that they are, so that each text is there once
//! and whole.

use std::collections::HashMap;
use std::sync::Arc;

use onionskin_core::model::{ModelDelta, ModelResponse, ToolCallDelta, Usage};
use onionskin_core::secret::{Redact as _, Redactor};
use serde::{Deserialize, Serialize};
use serde_saphyr::FlowSeq;

/// Consecutive pieces of one kind.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum StoredPieces {
    Text(FlowSeq<Vec<Piece>>),
    Reasoning(FlowSeq<Vec<Piece>>),
    Call { id: Arc<str>, name: Arc<str>, arguments: FlowSeq<Vec<Piece>> },
    Usage(Usage),
}

/// A piece of a text.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Piece {
    /// The next so many characters of the text in the answer.
    Size(usize),
    /// A piece that is not in the answer.
    Literal(String),
}

/// What pieces are added to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Channel {
    Text,
    Reasoning,
    Call(Arc<str>),
}

/// The channel of a piece, and its text; `None` for a count of tokens.
fn channel(delta: &ModelDelta) -> Option<(Channel, &str)> {
    match delta {
        ModelDelta::Text(text) => Some((Channel::Text, text)),
        ModelDelta::Reasoning(text) => Some((Channel::Reasoning, text)),
        ModelDelta::ToolCall(call) => Some((Channel::Call(Arc::clone(&call.id)), &call.arguments)),
        ModelDelta::Usage(_) => None,
    }
}

fn text_mut(delta: &mut ModelDelta) -> Option<&mut String> {
    match delta {
        ModelDelta::Text(text) | ModelDelta::Reasoning(text) => Some(text),
        ModelDelta::ToolCall(call) => Some(&mut call.arguments),
        ModelDelta::Usage(_) => None,
    }
}

/// The text of an answer to which the pieces of a channel add up.
fn whole<'a>(answer: &'a ModelResponse, channel: &Channel) -> Option<&'a str> {
    match channel {
        Channel::Text => Some(&answer.text),
        Channel::Reasoning => answer.reasoning.as_deref(),
        Channel::Call(id) => {
            answer.tool_calls.iter().find(|call| call.id == *id).map(|call| &*call.arguments)
        }
    }
}

fn sums(stream: &[ModelDelta]) -> HashMap<Channel, String> {
    let mut sums: HashMap<_, String> = HashMap::new();
    for (channel, text) in stream.iter().filter_map(channel) {
        sums.entry(channel).or_default().push_str(text);
    }
    sums
}

/// The pieces as they are stored.
pub(super) fn store(stream: &[ModelDelta], answer: Option<&ModelResponse>) -> Vec<StoredPieces> {
    let mut sums = sums(stream);
    sums.retain(|channel, sum| answer.and_then(|answer| whole(answer, channel)) == Some(sum));
    let mut stored: Vec<StoredPieces> = Vec::new();
    for delta in stream {
        let piece = |text: &str| match channel(delta) {
            Some((channel, _)) if sums.contains_key(&channel) => Piece::Size(text.chars().count()),
            Some(_) | None => Piece::Literal(text.to_owned()),
        };
        match (delta, stored.last_mut()) {
            (ModelDelta::Text(text), Some(StoredPieces::Text(pieces)))
            | (ModelDelta::Reasoning(text), Some(StoredPieces::Reasoning(pieces))) => {
                pieces.0.push(piece(text));
            }
            (ModelDelta::ToolCall(call), Some(StoredPieces::Call { id, name, arguments }))
                if (&*call.id, &*call.name) == (&**id, &**name) =>
            {
                arguments.0.push(piece(&call.arguments));
            }
            (ModelDelta::Text(text), _) => stored.push(StoredPieces::Text(FlowSeq(vec![piece(text)]))),
            (ModelDelta::Reasoning(text), _) => {
                stored.push(StoredPieces::Reasoning(FlowSeq(vec![piece(text)])));
            }
            (ModelDelta::ToolCall(call), _) => stored.push(StoredPieces::Call {
                id: Arc::clone(&call.id),
                name: Arc::clone(&call.name),
                arguments: FlowSeq(vec![piece(&call.arguments)]),
            }),
            (ModelDelta::Usage(usage), _) => stored.push(StoredPieces::Usage(*usage)),
        }
    }
    stored
}

/// The pieces again.
///
/// # Errors
/// Returns the reason if the sizes do not add up to the texts of the answer.
pub(super) fn load(
    stored: Vec<StoredPieces>,
    answer: Option<&ModelResponse>,
) -> Result<Vec<ModelDelta>, String> {
    let mut parts = Parts { answer, used: HashMap::new() };
    let mut stream = Vec::new();
    for pieces in stored {
        match pieces {
            StoredPieces::Text(FlowSeq(pieces)) => {
                for piece in pieces {
                    stream.push(ModelDelta::Text(parts.next(&Channel::Text, piece)?));
                }
            }
            StoredPieces::Reasoning(FlowSeq(pieces)) => {
                for piece in pieces {
                    stream.push(ModelDelta::Reasoning(parts.next(&Channel::Reasoning, piece)?));
                }
            }
            StoredPieces::Call { id, name, arguments: FlowSeq(pieces) } => {
                let channel = Channel::Call(Arc::clone(&id));
                for piece in pieces {
                    let arguments = parts.next(&channel, piece)?;
                    let delta = ToolCallDelta::new(Arc::clone(&id), Arc::clone(&name), arguments);
                    stream.push(ModelDelta::ToolCall(delta));
                }
            }
            StoredPieces::Usage(usage) => stream.push(ModelDelta::Usage(usage)),
        }
    }
    parts.finish()?;
    Ok(stream)
}

/// The texts of an answer, and how many bytes of each were used.
struct Parts<'a> {
    answer: Option<&'a ModelResponse>,
    used: HashMap<Channel, usize>,
}

impl Parts<'_> {
    fn next(&mut self, channel: &Channel, piece: Piece) -> Result<String, String> {
        let size = match piece {
            Piece::Literal(text) => return Ok(text),
            Piece::Size(size) => size,
        };
        let used = self.used.entry(channel.clone()).or_default();
        let rest = self.answer.and_then(|answer| whole(answer, channel)).and_then(|text| text.get(*used..));
        let piece: String = rest.unwrap_or_default().chars().take(size).collect();
        if piece.chars().count() < size {
            return Err(mismatch(channel));
        }
        *used += piece.len();
        Ok(piece)
    }

    fn finish(self) -> Result<(), String> {
        let is_short = |(channel, used): &(&Channel, &usize)| {
            self.answer.and_then(|answer| whole(answer, channel)).is_some_and(|text| text.len() > **used)
        };
        match self.used.iter().find(is_short) {
            Some((channel, _)) => Err(mismatch(channel)),
            None => Ok(()),
        }
    }
}

fn mismatch(channel: &Channel) -> String {
    let text = match channel {
        Channel::Text => "text".to_owned(),
        Channel::Reasoning => "reasoning".to_owned(),
        Channel::Call(id) => format!("arguments of the call `{id}`"),
    };
    format!("the sizes in `stream` do not add up to the {text}: correct them, or remove `stream`")
}

/// Masks secrets. A stream that shows one in its texts is reduced to one piece for each text, because the secret may be in several pieces.
pub(super) fn redact(stream: &mut Vec<ModelDelta>, redactor: &Redactor, redact_name: impl Fn(&mut Arc<str>)) {
    let mut sums = sums(stream);
    if sums.values().any(|sum| redactor.shows(sum)) {
        stream.retain_mut(|delta| {
            let Some((channel, _)) = channel(delta) else { return true };
            let Some(mut sum) = sums.remove(&channel) else { return false };
            sum.redact(redactor);
            if let Some(text) = text_mut(delta) {
                *text = sum;
            }
            true
        });
    }
    for delta in stream {
        if let ModelDelta::ToolCall(call) = delta {
            redactor.redact_id(&mut call.id);
            redact_name(&mut call.name);
        }
    }
}
