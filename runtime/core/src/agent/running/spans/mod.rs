//! The spans of runs, model requests and tool calls: `tracing` spans with the attributes of OpenTelemetry's
//! conventions for generative AI. A span without a subscriber costs one check.

mod chat;
mod content;
mod run;
mod tool;

use std::borrow::Cow;

use tracing::Span;
use tracing::level_filters::LevelFilter;

pub(super) use chat::ChatSpan;
pub(in crate::agent) use run::RunSpan;
pub(super) use tool::ToolSpan;

use crate::agent::error::run_error::RunError;
use onionskin_definitions::secret::Redactor;
use onionskin_tools::context::RunContext;
use onionskin_tools::model::{RequestParams, Usage};

/// The target of the spans.
const TARGET: &str = "onionskin";

/// Whether a subscriber may record the spans. It does not check the target with `span_enabled!`, because that leaves its answer in the filters
/// of `tracing-subscriber`, which then drop the next span.
pub(super) fn are_recorded() -> bool {
    LevelFilter::current() >= LevelFilter::INFO
}

/// Redacts a text with the current secrets of the session.
fn hidden<'t>(cx: &RunContext, text: impl Into<Cow<'t, str>>) -> Cow<'t, str> {
    cx.hide_text(text)
}

/// Converts a number to `i64`: `tracing-opentelemetry` writes other integers as texts.
fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A list of texts as JSON, because `tracing` has no lists.
fn texts(list: &[impl AsRef<str>], redactor: Option<&Redactor>) -> Option<String> {
    if list.is_empty() {
        return None;
    }
    let texts = list.iter().map(|text| match redactor {
        Some(redactor) => redactor.redact(text.as_ref()).into_owned(),
        None => text.as_ref().to_owned(),
    });
    Some(texts.collect::<serde_json::Value>().to_string())
}

/// Records the parameters of requests.
fn record_params(span: &Span, params: &RequestParams, redactor: Option<&Redactor>) {
    if let Some(temperature) = params.temperature {
        span.record("gen_ai.request.temperature", temperature);
    }
    if let Some(top_p) = params.top_p {
        span.record("gen_ai.request.top_p", top_p);
    }
    if let Some(most) = params.max_tokens {
        span.record("gen_ai.request.max_tokens", i64::from(most));
    }
    if let Some(seed) = params.seed {
        span.record("gen_ai.request.seed", integer(seed));
    }
    if let Some(texts) = texts(&params.stop_sequences, redactor) {
        span.record("gen_ai.request.stop_sequences", texts);
    }
    if params.response_schema.is_some() {
        span.record("gen_ai.output.type", "json");
    }
}

/// Records the tokens. Parts that a provider does not report are left out.
fn record_usage(span: &Span, usage: &Usage) {
    span.record("gen_ai.usage.input_tokens", integer(usage.input_tokens));
    span.record("gen_ai.usage.output_tokens", integer(usage.output_tokens));
    for (name, tokens) in [
        ("gen_ai.usage.cache_read.input_tokens", usage.cached_input_tokens),
        ("gen_ai.usage.cache_write.input_tokens", usage.cache_write_tokens),
        ("gen_ai.usage.reasoning.output_tokens", usage.reasoning_tokens),
    ] {
        if tokens > 0 {
            span.record(name, integer(tokens));
        }
    }
}

/// Records that the work of a span failed. `words` are recorded only together with content, because they may
/// quote it.
fn fail(span: &Span, kind: &str, words: Option<&str>) {
    span.record("otel.status_code", "ERROR");
    span.record("error.type", kind);
    if let Some(words) = words {
        span.record("otel.status_description", words);
    }
}

/// The `error.type` of work that was dropped.
fn dropped() -> &'static str {
    if std::thread::panicking() { "panic" } else { "cancelled" }
}

/// The `error.type` of a run.
fn run_error_type(error: &RunError) -> Cow<'static, str> {
    Cow::Borrowed(match error {
        RunError::Model { source, .. } => return source.error_type(),
        RunError::Aborted(_) => "aborted",
        RunError::Tool { .. } => "tool",
        RunError::InputCheck { .. } => "input_check",
        RunError::OutputCheck { .. } => "output_check",
        RunError::RunHook { .. } => "run_hook",
        RunError::TurnHook { .. } => "turn_hook",
        RunError::MessageHook { .. } => "message_hook",
        RunError::MessageDropped { .. } => "message_dropped",
        RunError::Journal { .. } => "journal",
        RunError::Session { .. } => "session",
        RunError::Paused(_) => "paused",
        RunError::Answer { .. } => "answer",
        RunError::CannotAsk { .. } => "cannot_ask",
        RunError::Limit { .. } => "limit",
        RunError::Budget { .. } => "budget",
        RunError::Depth { .. } => "depth",
        RunError::Retries { .. } => "retries",
        RunError::WrongAnswer { .. } => "wrong_answer",
        RunError::Unfinished { .. } => "unfinished",
        RunError::Cancelled { .. } => "cancelled",
        RunError::Busy { .. } => "busy",
        RunError::RunIdInUse { .. } => "run_id_in_use",
        RunError::WaitsForItself { .. } => "waits_for_itself",
        RunError::NoState { .. } => "no_state",
        RunError::NoService { .. } => "no_service",
        RunError::UnusedService { .. } => "unused_service",
        RunError::UnknownAgent { .. } => "unknown_agent",
        RunError::NoInput { .. } => "no_input",
        RunError::Agent { .. } => "agent",
        RunError::ServerTools { .. } => "server_tools",
        RunError::ToolDefinition { .. } => "tool_definition",
        RunError::Prompt { .. } => "prompt",
        RunError::WrongPrompt(_) => "wrong_prompt",
        RunError::WrongLimits(_) => "wrong_limits",
        RunError::Misuse { .. } => "misuse",
        RunError::WrongState(_) => "wrong_state",
        RunError::Build(_) => "build",
    })
}
