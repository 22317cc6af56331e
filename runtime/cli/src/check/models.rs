//! The names of models in cards and workflows.

use std::sync::Arc;

use onionskin_cards::{Card, CardError, Problem};
use onionskin_genai::name_mistake;

use super::report::Report;
use crate::program::Program;

/// Reports the names by which no provider is found. A program with a setup can ask a model of its own, and a server of `base_url` any name.
pub(super) fn check(program: &Program, agents: &[Arc<Card>], report: &mut Report) {
    if program.setup.is_some() || program.settings.base_url.is_some() {
        return;
    }
    for agent in agents {
        let Some(model) = agent.model() else { continue };
        if let Some(message) = name_mistake(model.value) {
            report.add(&CardError::new(agent.source.clone(), vec![Problem { message, span: model.span }]));
        }
    }
}
