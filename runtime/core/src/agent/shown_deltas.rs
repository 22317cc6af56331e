//! The pieces of an answer that a run shows: its events, after the filters of the run hooks.

use super::run::AgentRun;
use crate::event::EventKind;
use crate::model::ModelDelta;
use crate::run_hook::DeltaFilters;

/// Shows the pieces of one answer.
pub(super) struct ShownDeltas<'r> {
    run: &'r AgentRun,
    turn: u32,
    text: DeltaFilters,
    reasoning: DeltaFilters,
}

impl<'r> ShownDeltas<'r> {
    pub(super) fn new(run: &'r AgentRun, turn: u32) -> Self {
        let text = filters(run);
        let text = if run.answer_form().is_some() { text.expect_json() } else { text };
        Self { run, turn, text, reasoning: filters(run) }
    }

    pub(super) fn push(&mut self, delta: ModelDelta) {
        let shown = match delta {
            ModelDelta::Text(text) => ModelDelta::Text(self.text.push(text)),
            ModelDelta::Reasoning(text) => ModelDelta::Reasoning(self.reasoning.push(text)),
        };
        self.show(shown);
    }

    /// Shows what the filters held back.
    pub(super) fn finish(mut self) {
        let rest = [ModelDelta::Reasoning(self.reasoning.finish()), ModelDelta::Text(self.text.finish())];
        for delta in rest {
            self.show(delta);
        }
    }

    fn show(&self, delta: ModelDelta) {
        let kind = match delta {
            ModelDelta::Text(text) | ModelDelta::Reasoning(text) if text.is_empty() => return,
            ModelDelta::Text(text) => EventKind::TextDelta { text },
            ModelDelta::Reasoning(text) => EventKind::ReasoningDelta { text },
        };
        self.run.event(self.turn, kind);
    }
}

impl AgentRun {
    /// Shows a whole text, if there is a reader of events.
    pub(super) fn show_text(&self, turn: u32, text: &str) {
        if !text.is_empty() && self.cx.events().are_kept() {
            let mut shown = ShownDeltas::new(self, turn);
            shown.push(ModelDelta::Text(text.to_owned()));
            shown.finish();
        }
    }
}

fn filters(run: &AgentRun) -> DeltaFilters {
    DeltaFilters::new(&run.instance.run_hooks, &run.cx)
}
