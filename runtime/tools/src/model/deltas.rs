//! Redaction of the pieces of an answer.

use std::collections::HashMap;
use std::sync::Arc;

use super::{ModelDelta, ToolCallDelta};
use onionskin_definitions::secret::{Redactor, StreamRedactor};

/// Redacts the pieces of a model's answer: text, reasoning and arguments of calls. Without a redactor, pieces
/// pass unchanged. Ids and names of calls are not redacted here.
#[derive(Default)]
pub struct RedactedDeltas(Option<Redacted>);

struct Redacted {
    redactor: Arc<Redactor>,
    text: StreamRedactor,
    reasoning: StreamRedactor,
    calls: Vec<RedactedCall>,
    /// The indices of the calls by id.
    places: HashMap<Arc<str>, usize>,
}

struct RedactedCall {
    id: Arc<str>,
    name: Arc<str>,
    arguments: StreamRedactor,
}

impl RedactedDeltas {
    /// Uses this redactor from now on. Withheld text is searched again.
    pub fn set_redactor(&mut self, redactor: Option<Arc<Redactor>>) {
        let Some(redactor) = redactor else { return };
        match &mut self.0 {
            Some(redacted) => redacted.set_redactor(redactor),
            None => self.0 = Some(Redacted::new(redactor)),
        }
    }

    /// Redacts the next piece and returns the text that is safe to show. For a call the text may be empty,
    /// which announces the call.
    pub fn push(&mut self, delta: ModelDelta) -> Option<ModelDelta> {
        let Some(redacted) = &mut self.0 else { return Some(delta) };
        match delta {
            ModelDelta::Text(piece) => not_empty(redacted.text.push(&piece)).map(ModelDelta::Text),
            ModelDelta::Reasoning(piece) => {
                not_empty(redacted.reasoning.push(&piece)).map(ModelDelta::Reasoning)
            }
            ModelDelta::ToolCall(piece) => Some(ModelDelta::ToolCall(redacted.redact_call(piece))),
            ModelDelta::Usage(_) => Some(delta),
        }
    }

    /// Returns the withheld text at the end of the answer.
    pub fn finish(self) -> impl Iterator<Item = ModelDelta> {
        self.0.into_iter().flat_map(Redacted::finish)
    }
}

impl Redacted {
    fn new(redactor: Arc<Redactor>) -> Self {
        let new = || StreamRedactor::new(Arc::clone(&redactor));
        Self { text: new(), reasoning: new(), calls: Vec::new(), places: HashMap::new(), redactor }
    }

    fn set_redactor(&mut self, redactor: Arc<Redactor>) {
        let calls = self.calls.iter_mut().map(|call| &mut call.arguments);
        for text in [&mut self.text, &mut self.reasoning].into_iter().chain(calls) {
            text.set_redactor(Arc::clone(&redactor));
        }
        self.redactor = redactor;
    }

    fn redact_call(&mut self, mut piece: ToolCallDelta) -> ToolCallDelta {
        let known = self.places.get(&piece.id).copied();
        let at = known.unwrap_or_else(|| {
            let (id, name) = (Arc::clone(&piece.id), Arc::clone(&piece.name));
            let arguments = StreamRedactor::new(Arc::clone(&self.redactor));
            self.places.insert(Arc::clone(&id), self.calls.len());
            self.calls.push(RedactedCall { id, name, arguments });
            self.calls.len() - 1
        });
        piece.arguments = self.calls[at].arguments.push(&piece.arguments);
        piece
    }

    fn finish(mut self) -> impl Iterator<Item = ModelDelta> {
        let reasoning = not_empty(self.reasoning.finish()).map(ModelDelta::Reasoning);
        let text = not_empty(self.text.finish()).map(ModelDelta::Text);
        let calls = self.calls.into_iter().filter_map(|RedactedCall { id, name, mut arguments }| {
            let rest = not_empty(arguments.finish())?;
            Some(ModelDelta::ToolCall(ToolCallDelta { id, name, arguments: rest }))
        });
        reasoning.into_iter().chain(text).chain(calls)
    }
}

fn not_empty(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}
