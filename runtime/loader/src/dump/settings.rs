//! The settings of a card that is written.

use std::time::Duration;

use onionskin_cards::{Card, Spanned};
use onionskin_core::__private0::outline::Outline;
use onionskin_core::Effect;
use onionskin_core::declaration::{HistoryMergeTarget, HistorySource, Limits};
use onionskin_core::model::{RequestParams, ToolChoice};
use serde_json::{Value, json};

use super::spanned;

/// The settings that differ from their defaults.
pub(super) fn settings(outline: &Outline, card: &mut Card) {
    card.default = outline.is_default.then(|| spanned(true));
    card.model = outline.model.as_ref().map(|model| spanned(model.to_string()));
    card.request_params = params(&outline.params);
    card.limits = limits(&outline.limits);
    let source = match outline.history_source {
        HistorySource::Child => Some("child"),
        HistorySource::Orchestrator => Some("orchestrator"),
        HistorySource::Messages => Some("messages"),
        _ => None,
    };
    card.history_source = source.map(spanned);
    let target = match outline.history_merge_target {
        HistoryMergeTarget::Child => Some("child"),
        HistoryMergeTarget::Orchestrator => Some("orchestrator"),
        _ => None,
    };
    card.history_merge_target = target.map(spanned);
    let effect = match outline.effect {
        Effect::Pure => Some("pure"),
        Effect::Idempotent => Some("idempotent"),
        _ => None,
    };
    card.effect = effect.map(spanned);
    card.lock = outline.has_strict_lock.then(|| spanned("strict"));
    let count = |count: usize| spanned(u64::try_from(count).unwrap_or(u64::MAX));
    card.max_parallel = outline.max_parallel.map(count);
    card.max_display_instances = outline.max_display_instances.map(count);
    card.child_timeout_sec = outline.child_timeout.map(|time| spanned(time.as_secs_f64()));
}

type Settings = Vec<(Spanned<&'static str>, Spanned<Value>)>;

fn params(params: &RequestParams) -> Settings {
    let choice = match &params.tool_choice {
        ToolChoice::None => json!("none"),
        ToolChoice::Required => json!("required"),
        ToolChoice::Tool(name) => json!(**name),
        _ => Value::Null,
    };
    let schema = params.response_schema.as_ref();
    given([
        ("temperature", json!(params.temperature)),
        ("top_p", json!(params.top_p)),
        ("max_tokens", json!(params.max_tokens)),
        ("seed", json!(params.seed)),
        (
            "stop_sequences",
            if params.stop_sequences.is_empty() { Value::Null } else { json!(params.stop_sequences) },
        ),
        ("tool_choice", choice),
        ("response_schema", schema.map_or(Value::Null, |schema| json!(schema))),
        ("extra_body", if params.extra_body.is_empty() { Value::Null } else { json!(params.extra_body) }),
    ])
}

fn limits(limits: &Limits) -> Settings {
    let usual = Limits::default();
    let whole = |given: u32, usual: u32| if given == usual { Value::Null } else { json!(given) };
    let seconds = |time: Duration| json!(time.as_secs_f64());
    let model_timeout =
        if limits.model_timeout == usual.model_timeout { Value::Null } else { seconds(limits.model_timeout) };
    given([
        ("turns", whole(limits.turns, usual.turns)),
        ("tool_calls", json!(limits.tool_calls)),
        ("tokens", json!(limits.tokens)),
        ("time_sec", limits.time.map_or(Value::Null, seconds)),
        ("depth", whole(limits.depth, usual.depth)),
        ("max_retries", whole(limits.max_retries, usual.max_retries)),
        ("output_retries", whole(limits.output_retries, usual.output_retries)),
        ("model_timeout_sec", model_timeout),
        ("model_retries", whole(limits.model_retries, usual.model_retries)),
    ])
}

/// The settings that are there.
fn given<const N: usize>(settings: [(&'static str, Value); N]) -> Settings {
    let there = settings.into_iter().filter(|(_, value)| !value.is_null());
    there.map(|(key, value)| (spanned(key), spanned(value))).collect()
}
