//! Redaction of the pieces of an answer.

use std::sync::Arc;

use super::ModelDelta;
use crate::secret::{Redactor, StreamRedactor};

/// Redacts the pieces of a model's answer: its text and its reasoning. Without a redactor, pieces are passed on
/// unchanged.
#[derive(Default)]
pub(crate) struct RedactedDeltas(Option<(StreamRedactor, StreamRedactor)>);

impl RedactedDeltas {
    /// Uses this redactor from now on. Text that was held back is searched again.
    pub(crate) fn look_for(&mut self, redactor: Option<Arc<Redactor>>) {
        let Some(redactor) = redactor else { return };
        match &mut self.0 {
            Some((text, reasoning)) => {
                text.look_for(Arc::clone(&redactor));
                reasoning.look_for(redactor);
            }
            None => {
                let new = || StreamRedactor::new(Arc::clone(&redactor));
                self.0 = Some((new(), new()));
            }
        }
    }

    /// Takes the next piece and returns the text that is decided.
    pub(crate) fn push(&mut self, delta: ModelDelta) -> Option<ModelDelta> {
        let Some((text, reasoning)) = &mut self.0 else { return Some(delta) };
        let delta = match delta {
            ModelDelta::Text(piece) => ModelDelta::Text(text.push(&piece)),
            ModelDelta::Reasoning(piece) => ModelDelta::Reasoning(reasoning.push(&piece)),
        };
        Some(delta).filter(|delta| !delta.is_empty())
    }

    /// Returns the text that was held back, at the end of the answer.
    pub(crate) fn finish(self) -> impl Iterator<Item = ModelDelta> {
        let rest = self.0.map(|(mut text, mut reasoning)| {
            [ModelDelta::Reasoning(reasoning.finish()), ModelDelta::Text(text.finish())]
        });
        rest.into_iter().flatten().filter(|delta| !delta.is_empty())
    }
}

impl ModelDelta {
    fn is_empty(&self) -> bool {
        let (Self::Text(piece) | Self::Reasoning(piece)) = self;
        piece.is_empty()
    }
}
