//! Types as JSON: the inputs and the answers of agents.

pub(super) mod answer_form;
pub(super) mod input_form;
mod json_form;
