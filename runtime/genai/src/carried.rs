//! What a provider must get back unchanged in the next turn: [`ModelResponse::provider_data`](onionskin_core::model::ModelResponse::provider_data).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use onionskin_core::model::ModelError;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Carried {
    /// The protocol that it belongs to: another provider would refuse the signatures.
    pub(crate) adapter: String,
    /// Signed or encrypted reasoning and calls of the provider's own tools, as the provider wrote them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) blocks: Vec<Value>,
    /// The signature of each call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) signatures: Vec<Option<String>>,
    /// Open reasoning, under the name of its field. `DeepSeek`, Kimi and others want it back while tools are called.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(crate) reasoning: Map<String, Value>,
}

impl Carried {
    pub(crate) fn of(adapter: &str) -> Self {
        Self { adapter: adapter.to_owned(), ..Self::default() }
    }

    /// The data of a message, if this protocol wrote it.
    pub(crate) fn read(data: Option<&Value>, adapter: &str) -> Self {
        let carried: Option<Self> = data.and_then(|data| Self::deserialize(data).ok());
        carried.filter(|carried| carried.adapter == adapter).unwrap_or_default()
    }

    /// Adds to the open reasoning.
    pub(crate) fn reason(&mut self, field: &str, piece: &str) {
        match self.reasoning.get_mut(field) {
            Some(Value::String(text)) => text.push_str(piece),
            _ => {
                self.reasoning.insert(field.to_owned(), piece.into());
            }
        }
    }

    /// The data of an answer with these signatures; `None` if there is nothing to send back.
    pub(crate) fn finish(
        mut self,
        signatures: Vec<Option<String>>,
        has_calls: bool,
    ) -> Result<Option<Value>, ModelError> {
        if signatures.iter().any(Option::is_some) {
            self.signatures = signatures;
        }
        if !has_calls {
            self.reasoning.clear();
        }
        let empty = self.blocks.is_empty() && self.signatures.is_empty() && self.reasoning.is_empty();
        let carried = (!empty).then(|| serde_json::to_value(self)).transpose();
        carried.map_err(|error| ModelError::Malformed(error.to_string()))
    }
}
