//! The span `chat` of one request to a model.

use onionskin_tools::model::{
    BoxModel, Message, Model as _, ModelError, ModelRequest, ModelResponse, PrefixCause, PrefixChange,
};
use tracing::Span;
use tracing::field::Empty;

use crate::agent::running::run::AgentRun;

use super::content::{Content, instructions, message, messages, tools};
use super::{TARGET, dropped, fail, hidden, record_params, record_usage, texts};

/// The span of one request to a model, one attempt of a turn. If it is dropped without [`end`](Self::end),
/// the request was cancelled.
pub(in crate::agent) struct ChatSpan<'r> {
    span: Span,
    run: &'r AgentRun,
    request: &'r ModelRequest,
}

impl<'r> ChatSpan<'r> {
    pub(in crate::agent) fn begin(
        run: &'r AgentRun,
        model: &BoxModel,
        request: &'r ModelRequest,
        change: Option<&(PrefixChange, Option<PrefixCause>)>,
        attempt: u32,
    ) -> Self {
        let span = span(model, request, attempt);
        if !span.is_disabled() {
            if let Some((change, cause)) = change {
                let cause = cause.map(|cause| format!(" {cause}")).unwrap_or_default();
                span.record("onionskin.prefix_change", format!("{change}{cause}"));
            }
            record_params(&span, &request.params, run.cx.redactor().as_deref());
        }
        Self { span, run, request }
    }

    /// The span, for the work of the request.
    pub(in crate::agent) fn span(&self) -> Span {
        self.span.clone()
    }

    /// Records the end of the request.
    pub(in crate::agent) fn end(mut self, answer: &Result<ModelResponse, ModelError>) {
        if !self.span.is_disabled() {
            self.close(Some(answer));
            self.span = Span::none();
        }
    }

    #[cold]
    fn close(&self, answer: Option<&Result<ModelResponse, ModelError>>) {
        let (cx, span, request) = (&self.run.cx, &self.span, self.request);
        let content = self.run.instance.trace_content.then(|| Content::new(cx));
        if let Some(content) = &content {
            content.record(span, "gen_ai.input.messages", messages(&request.messages));
            if let Some(system) = &request.system {
                content.record(span, "gen_ai.system_instructions", instructions(system));
            }
            if !request.tools.is_empty() {
                content.record(span, "gen_ai.tool.definitions", tools(&request.tools));
            }
        }
        match answer {
            Some(Ok(response)) => {
                let reason = response.stop.finish_reason();
                for (name, value) in
                    [("gen_ai.response.model", &response.model), ("gen_ai.response.id", &response.id)]
                {
                    if let Some(value) = value {
                        span.record(name, &*hidden(cx, value));
                    }
                }
                record_usage(span, &response.usage);
                if let Some(reasons) = texts(&[reason], None) {
                    span.record("gen_ai.response.finish_reasons", reasons);
                }
                if let Some(content) = content {
                    let answer = message(&Message::from(response.clone()), Some(reason));
                    content.record(span, "gen_ai.output.messages", answer.into());
                }
            }
            Some(Err(error)) => {
                let words = content.map(|_| hidden(cx, error.to_string()));
                fail(span, &error.error_type(), words.as_deref());
            }
            None => fail(span, dropped(), None),
        }
    }
}

impl Drop for ChatSpan<'_> {
    fn drop(&mut self) {
        if !self.span.is_disabled() {
            self.close(None);
        }
    }
}

fn span(model: &BoxModel, request: &ModelRequest, attempt: u32) -> Span {
    let identity = || model.identity(request.model.as_deref());
    let name = || match identity().model() {
        Some(model) => format!("chat {model}"),
        None => "chat".to_owned(),
    };
    tracing::info_span!(
        target: TARGET,
        "chat",
        otel.name = &*name(),
        otel.kind = "client",
        otel.status_code = Empty,
        otel.status_description = Empty,
        gen_ai.operation.name = "chat",
        gen_ai.provider.name = identity().provider(),
        gen_ai.agent.name = &*request.agent,
        gen_ai.conversation.id = request.session_id(),
        gen_ai.output.type = Empty,
        gen_ai.request.model = identity().model(),
        gen_ai.request.temperature = Empty,
        gen_ai.request.top_p = Empty,
        gen_ai.request.max_tokens = Empty,
        gen_ai.request.seed = Empty,
        gen_ai.request.stop_sequences = Empty,
        gen_ai.response.model = Empty,
        gen_ai.response.id = Empty,
        gen_ai.response.finish_reasons = Empty,
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
        gen_ai.usage.cache_read.input_tokens = Empty,
        gen_ai.usage.cache_write.input_tokens = Empty,
        gen_ai.usage.reasoning.output_tokens = Empty,
        error.type = Empty,
        onionskin.turn = i64::from(request.step().turn()),
        onionskin.attempt = i64::from(attempt),
        onionskin.prefix_change = Empty,
        gen_ai.input.messages = Empty,
        gen_ai.output.messages = Empty,
        gen_ai.system_instructions = Empty,
        gen_ai.tool.definitions = Empty,
    )
}
