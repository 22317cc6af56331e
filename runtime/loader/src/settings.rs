//! The settings of a card in the types of the runtime. Both have the names of the vocabulary.

use onionskin_cards::{Card, Problem};
use onionskin_core::__private0::settings::Settings;
use onionskin_core::model::RequestParams;
use onionskin_vocabulary::Word;
use onionskin_vocabulary::agent::{Part, RequestParam};
use onionskin_vocabulary::settings::{TOOL_CHOICES, ValueKind};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The settings of a card, and the values that do not fit.
pub(crate) fn read(card: &Card) -> (Settings, Vec<Problem>) {
    let mut problems = Vec::new();
    let mut params = Map::new();
    for (param, value) in &card.request_params {
        let entry = |(word, value): (String, Value)| Map::from_iter([(word, value)]);
        let written = (param.value.to_string(), encode(param.value, &value.value));
        match RequestParams::deserialize(Value::Object(entry(written.clone()))) {
            Ok(_) => params.extend([written]),
            Err(error) => {
                let message = format!("`{}` does not fit: {error}", param.value);
                problems.push(Problem { message, span: value.span.clone() });
            }
        }
    }
    let limits = card.limits.iter().map(|(limit, value)| (limit.value.to_string(), value.value.clone()));
    let tables = [(Part::RequestParams, params), (Part::Limits, limits.collect())]
        .map(|(part, table)| (part.word(), Value::Object(table)));
    let settings = card.settings.iter().map(|(setting, value)| (setting.word(), value.value.clone()));
    let all = settings.chain(tables).map(|(word, value)| (word.to_owned(), value)).collect();
    let settings = Settings::deserialize(Value::Object(all)).unwrap_or_else(|error| {
        // The values were checked, so one of them is beyond what the runtime can hold.
        problems.push(Problem {
            message: format!("the settings do not fit: {error}"),
            span: card.name.span.clone(),
        });
        Settings::default()
    });
    (settings, problems)
}

/// The value of a request parameter as the runtime reads it.
fn encode(param: RequestParam, value: &Value) -> Value {
    match (param.kind(), value.as_str()) {
        (ValueKind::ToolChoice, Some(choice)) if !TOOL_CHOICES.contains(&choice) => json!({ "tool": choice }),
        (
            ValueKind::Number(_)
            | ValueKind::Texts
            | ValueKind::ToolChoice
            | ValueKind::Map
            | ValueKind::Word(_)
            | ValueKind::Boolean,
            _,
        ) => value.clone(),
    }
}
