//! What a provider must get back unchanged in the next turn: [`ModelResponse::provider_data`](onionskin_core::model::ModelResponse::provider_data).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use onionskin_core::model::ModelError;

use crate::names::host;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Carried {
    /// The protocol that it belongs to: another provider would refuse the signatures.
    pub(crate) adapter: String,
    /// The server that it came from: its host, its port and the path. What one server signed, another one of the same protocol refuses.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) endpoint: String,
    /// Signed or encrypted reasoning and calls of the provider's own tools, as the provider wrote them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) blocks: Vec<Value>,
    /// The order of the blocks among the texts and calls of the message. Without one, the blocks are first, and then the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) order: Vec<Place>,
    /// The phases of texts in the order, by the first byte of each: whether it is the answer or only said on the way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) phases: Vec<(usize, String)>,
    /// What goes back with each call: a signature, or fields of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) signatures: Vec<Option<Value>>,
    /// Open reasoning, under the name of its field. Servers want it back while tools are called, and some with each answer.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(crate) reasoning: Map<String, Value>,
}

/// The place of a part in the answer of the provider. The order of these variants is that of an answer without an order of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Place {
    /// The block of this number.
    Block(usize),
    /// The bytes of the message's text, from the first one to the one behind the last.
    Text(usize, usize),
    /// The call of this number.
    Call(usize),
}

/// Whether the server wants the open reasoning of each answer back, also of those without calls. `DeepSeek` and Kimi refuse a conversation that
/// lacks it.
pub(crate) fn wants_all_reasoning(adapter: &str, endpoint: &str) -> bool {
    matches!(adapter, "deepseek" | "kimi" | "moonshot")
        || matches!(
            host(endpoint),
            "api.deepseek.com" | "api.kimi.com" | "api.moonshot.ai" | "api.moonshot.cn"
        )
}

impl Carried {
    pub(crate) fn new(adapter: &str) -> Self {
        Self { adapter: adapter.to_owned(), ..Self::default() }
    }

    /// The data of a message, if this protocol and server wrote it.
    pub(crate) fn read(data: Option<&Value>, adapter: &str, endpoint: &str) -> Self {
        let carried: Option<Self> = data.and_then(|data| Self::deserialize(data).ok());
        // Data of an earlier version do not name the server.
        let is_its_own = |carried: &Self| carried.endpoint.is_empty() || carried.endpoint == endpoint;
        carried.filter(|carried| carried.adapter == adapter && is_its_own(carried)).unwrap_or_default()
    }

    /// The data of an answer in two parts, of whose texts these are the lengths. Only the second part has calls.
    ///
    /// # Errors
    /// Returns an error if the data have no form in JSON.
    pub(crate) fn joined(
        parts: [Option<&Value>; 2],
        texts: [usize; 2],
        calls: usize,
    ) -> Result<Option<Value>, ModelError> {
        let [first, rest] = parts.map(|data| data.and_then(|data| Self::deserialize(data).ok()));
        let (mut whole, rest): (Self, Self) = match (first, rest) {
            (Some(first), rest) => (first, rest.unwrap_or_default()),
            (None, Some(rest)) => {
                (Self { endpoint: rest.endpoint.clone(), ..Self::new(&rest.adapter) }, rest)
            }
            (None, None) => return Ok(None),
        };
        let (blocks, text) = (whole.blocks.len(), texts[0]);
        whole.order = whole.places(texts[0], 0);
        whole.order.extend(rest.places(texts[1], calls).into_iter().map(|place| match place {
            Place::Block(number) => Place::Block(blocks + number),
            Place::Text(from, to) => Place::Text(text + from, text + to),
            Place::Call(number) => Place::Call(number),
        }));
        whole.blocks.extend(rest.blocks);
        (whole.signatures, whole.reasoning) = (rest.signatures, rest.reasoning);
        let whole = serde_json::to_value(whole);
        whole.map(Some).map_err(|error| ModelError::Malformed(error.to_string()))
    }

    /// The places of all parts.
    fn places(&self, text: usize, calls: usize) -> Vec<Place> {
        if !self.order.is_empty() {
            return self.order.clone();
        }
        let text = (text > 0).then_some(Place::Text(0, text));
        (0..self.blocks.len()).map(Place::Block).chain(text).chain((0..calls).map(Place::Call)).collect()
    }

    /// Notes the place of a piece of the text.
    pub(crate) fn text(&mut self, from: usize, to: usize) {
        match self.order.last_mut() {
            Some(Place::Text(_, last)) if *last == from => *last = to,
            _ => self.order.push(Place::Text(from, to)),
        }
    }

    /// Changes each block, and leaves out those that become nothing.
    pub(crate) fn change_blocks(&mut self, change: impl Fn(Value) -> Option<Value>) {
        let mut retained = Vec::new();
        let mut numbers = Vec::new();
        for block in std::mem::take(&mut self.blocks) {
            numbers.push(change(block).map(|block| {
                retained.push(block);
                retained.len() - 1
            }));
        }
        self.blocks = retained;
        self.order = std::mem::take(&mut self.order)
            .into_iter()
            .filter_map(|place| match place {
                Place::Block(number) => numbers.get(number).copied().flatten().map(Place::Block),
                Place::Text(..) | Place::Call(_) => Some(place),
            })
            .collect();
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
        signatures: Vec<Option<Value>>,
        has_calls: bool,
    ) -> Result<Option<Value>, ModelError> {
        if signatures.iter().any(Option::is_some) {
            self.signatures = signatures;
        }
        if !has_calls && !wants_all_reasoning(&self.adapter, &self.endpoint) {
            self.reasoning.clear();
        }
        let has_blocks = self.order.iter().any(|place| matches!(place, Place::Block(_)));
        if self.phases.is_empty() && (!has_blocks || self.order.is_sorted()) {
            self.order.clear();
        }
        let empty = self.blocks.is_empty() && self.phases.is_empty();
        let empty = empty && self.signatures.is_empty() && self.reasoning.is_empty();
        let carried = (!empty).then(|| serde_json::to_value(self)).transpose();
        carried.map_err(|error| ModelError::Malformed(error.to_string()))
    }
}
