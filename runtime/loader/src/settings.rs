//! The settings of a card in the types of the runtime.

use std::time::Duration;

use onionskin_cards::{Card, Problem};
use onionskin_core::Effect;
use onionskin_core::declaration::{HistoryMergeTarget, HistorySource, Limits};
use onionskin_core::model::RequestParams;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// `request_params`, and what does not fit.
pub(crate) fn request_params(card: &Card) -> (RequestParams, Vec<Problem>) {
    let (mut params, mut problems) = (RequestParams::default(), Vec::new());
    for (key, value) in &card.request_params {
        if let Err(reason) = set(&mut params, key.value, &value.value) {
            let message = format!("`{}` does not fit: {reason}", key.value);
            problems.push(Problem { message, span: value.span.clone() });
        }
    }
    (params, problems)
}

fn set(params: &mut RequestParams, key: &str, given: &Value) -> Result<(), String> {
    match key {
        "temperature" => params.temperature = given.as_f64(),
        "top_p" => params.top_p = given.as_f64(),
        "max_tokens" => params.max_tokens = Some(small(given)),
        "seed" => params.seed = Some(whole(given)),
        "stop_sequences" => params.stop_sequences = read(given)?,
        "tool_choice" => params.tool_choice = read(&tool_choice(given))?,
        "response_schema" => params.response_schema = Some(read(given)?),
        "extra_body" => params.extra_body = read(given)?,
        _ => {}
    }
    Ok(())
}

fn read<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    T::deserialize(value).map_err(|error| error.to_string())
}

/// A word of its own, or the name of a tool.
fn tool_choice(value: &Value) -> Value {
    match value.as_str() {
        Some("auto" | "none" | "required") => value.clone(),
        _ => json!({ "tool": value }),
    }
}

/// `limits`.
pub(crate) fn limits(card: &Card) -> Limits {
    let mut limits = Limits::default();
    for (key, value) in &card.limits {
        let given = &value.value;
        match key.value {
            "turns" => limits.turns = small(given),
            "tool_calls" => limits.tool_calls = Some(small(given)),
            "tokens" => limits.tokens = Some(whole(given)),
            "time_sec" => limits.time = Some(seconds(given.as_f64())),
            "depth" => limits.depth = small(given),
            "max_retries" => limits.max_retries = small(given),
            "output_retries" => limits.output_retries = small(given),
            "model_timeout_sec" => limits.model_timeout = seconds(given.as_f64()),
            "model_retries" => limits.model_retries = small(given),
            _ => {}
        }
    }
    limits
}

/// A time that the card was checked for.
pub(crate) fn seconds(given: Option<f64>) -> Duration {
    given.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).unwrap_or(Duration::MAX)
}

/// A whole number that the card was checked for.
fn whole(value: &Value) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number from 0")]
    let of_float = |number: f64| number as u64;
    value.as_u64().or_else(|| value.as_f64().map(of_float)).unwrap_or_default()
}

fn small(value: &Value) -> u32 {
    u32::try_from(whole(value)).unwrap_or(u32::MAX)
}

pub(crate) fn history_source(word: &str) -> HistorySource {
    match word {
        "child" => HistorySource::Child,
        "orchestrator" => HistorySource::Orchestrator,
        "messages" => HistorySource::Messages,
        _ => HistorySource::None,
    }
}

pub(crate) fn history_merge_target(word: &str) -> HistoryMergeTarget {
    match word {
        "child" => HistoryMergeTarget::Child,
        "orchestrator" => HistoryMergeTarget::Orchestrator,
        _ => HistoryMergeTarget::None,
    }
}

pub(crate) fn effect(word: &str) -> Effect {
    match word {
        "pure" => Effect::Pure,
        "idempotent" => Effect::Idempotent,
        _ => Effect::Once,
    }
}
