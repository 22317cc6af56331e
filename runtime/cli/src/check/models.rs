//! The names of models in cards and workflows, and what their request parameters ask of them.

use std::sync::Arc;

use onionskin_cards::{Card, CardError, Problem};
use onionskin_core::model::{Model as _, RequestOption, RequestParams};
use onionskin_genai::{GenaiModel, name_mistake};
use onionskin_vocabulary::Word as _;
use onionskin_vocabulary::agent::RequestParam;
use serde_json::{Value, json};

use super::report::Report;
use crate::program::Program;
use crate::settings::SCRIPT;

/// Reports the names by which no provider is found, and the parameters that the model of an agent does not support. A program with a setup
/// can ask a model of its own, and a server of `base_url` any name.
pub(super) fn check(program: &Program, agents: &[Arc<Card>], report: &mut Report) {
    if program.setup.is_some() || program.settings.base_url.is_some() {
        return;
    }
    let default = program.settings.model.as_ref().map(|model| &*model.value);
    let default = default.filter(|name| !name.starts_with(SCRIPT));
    let asked = GenaiModel::from_env();
    for agent in agents {
        let own = agent.model();
        let mut problems = Vec::new();
        if let Some(model) = &own
            && let Some(message) = name_mistake(model.value)
        {
            problems.push(Problem { message, span: model.span.clone() });
        }
        let name = own.as_ref().map(|model| model.value).or(default);
        for (param, value) in &agent.request_params {
            let unsupported =
                option(param.value, &value.value).and_then(|option| asked.check_option(name, option).err());
            problems.extend(
                unsupported.map(|error| Problem { message: error.to_string(), span: param.span.clone() }),
            );
        }
        if !problems.is_empty() {
            report.add(&CardError::new(agent.source.clone(), problems));
        }
    }
}

/// What a parameter asks of a model; none if each model supports it.
fn option(param: RequestParam, value: &Value) -> Option<RequestOption> {
    // The names of tools are checked elsewhere.
    let is_tool = param == RequestParam::ToolChoice && *value != "auto";
    let value = if is_tool { json!("required") } else { value.clone() };
    let params: RequestParams = serde_json::from_value(json!({ param.word(): value })).ok()?;
    params.options().next()
}
