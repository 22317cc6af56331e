//! The span `invoke_agent` of a run.

use onionskin_tools::model::{BoxModel, Model as _};
use onionskin_tools::onion::caught;
use onionskin_tools::question::Paused;
use onionskin_tools::trace::{TraceParent, propagator};
use tracing::Span;
use tracing::field::Empty;

use crate::agent::built::instance::Instance;
use crate::agent::error::run_error::RunError;
use crate::agent::running::run::AgentRun;

use super::content::{Content, text_message};
use super::{TARGET, dropped, fail, hidden, record_params, record_usage, run_error_type};

/// The span of a run. If it is dropped without [`end`](Self::end), the run was cancelled.
pub(in crate::agent) struct RunSpan<'r> {
    span: Span,
    run: &'r AgentRun,
    /// The input of the agent, if content is recorded.
    input: Option<String>,
}

impl<'r> RunSpan<'r> {
    pub(in crate::agent) fn begin(run: &'r AgentRun, input: &str) -> Self {
        if run.called.is_some() {
            // The call has a span of its own.
            return Self { span: Span::none(), run, input: None };
        }
        let span = span(&run.instance, run.model());
        set_parent(&span, resumed_from(run));
        let mut this = Self { span, run, input: None };
        if !this.span.is_disabled() {
            this.note_run(input);
        }
        this
    }

    #[cold]
    fn note_run(&mut self, input: &str) {
        let (cx, span, instance) = (&self.run.cx, &self.span, &self.run.instance);
        let redactor = cx.redactor();
        span.record("gen_ai.conversation.id", &*hidden(cx, self.run.session.id()));
        span.record("onionskin.run.id", &*hidden(cx, cx.run_id()));
        span.record("onionskin.correlation.id", &*hidden(cx, cx.correlation_id()));
        span.record("onionskin.agent.instance", cx.instance_name());
        if let Some(description) = instance.info.description() {
            span.record("gen_ai.agent.description", &*hidden(cx, description));
        }
        record_params(span, &instance.declaration.settings.request_params, redactor.as_deref());
        if self.run.answer.is_some() {
            span.record("gen_ai.output.type", "json");
        }
        self.input = instance.trace_content.then(|| input.to_owned());
    }

    /// The span, for the work of the run.
    pub(in crate::agent) fn span(&self) -> Span {
        self.span.clone()
    }

    /// Stores this span in the paused run, as the parent of the resumed run. Without a propagator, the
    /// earlier parent is kept.
    #[cold]
    pub(in crate::agent) fn pause(&self, paused: Paused) -> Paused {
        if self.run.cx.parent().is_some() {
            return paused;
        }
        let own = propagator().and_then(|propagator| {
            let read = caught(|| propagator.traceparent(&self.span));
            read.unwrap_or_else(|_| log_panic())
        });
        let traceparent = own.or_else(|| resumed_from(self.run).cloned());
        paused.with_traceparent(traceparent)
    }

    /// Records the end of the run.
    pub(in crate::agent) fn end(mut self, answer: &Result<String, RunError>) {
        if !self.span.is_disabled() {
            self.close(Some(answer));
            self.span = Span::none();
        }
    }

    /// Records a run that did not begin.
    pub(in crate::agent) fn never_began(instance: &Instance, error: &RunError, paused: Option<&TraceParent>) {
        let span = span(instance, &instance.model);
        set_parent(&span, paused);
        if !span.is_disabled() {
            fail(&span, &run_error_type(error), None);
        }
    }

    #[cold]
    fn close(&self, answer: Option<&Result<String, RunError>>) {
        let (cx, span) = (&self.run.cx, &self.span);
        let usage = self.run.tally().usage;
        record_usage(span, &usage);
        let content = self.input.as_ref().map(|input| (input, Content::new(cx)));
        if let Some((input, content)) = &content {
            content.record(span, "gen_ai.input.messages", [text_message("user", input, None)].into());
        }
        match answer {
            Some(Ok(text)) => {
                if let Some((_, content)) = &content {
                    let answer = text_message("assistant", text, Some("stop"));
                    content.record(span, "gen_ai.output.messages", [answer].into());
                }
            }
            // A paused run continues when it is resumed.
            Some(Err(RunError::Paused(_))) => {
                span.record("onionskin.run.paused", true);
            }
            Some(Err(error)) => {
                let words = content.map(|_| hidden(cx, error.to_string()));
                fail(span, &run_error_type(error), words.as_deref());
            }
            None => fail(span, dropped(), None),
        }
    }
}

impl Drop for RunSpan<'_> {
    fn drop(&mut self) {
        if !self.span.is_disabled() {
            self.close(None);
        }
    }
}

/// The span of the paused run, if an outermost run is resumed.
fn resumed_from(run: &AgentRun) -> Option<&TraceParent> {
    run.cx.questions().filter(|_| run.cx.parent().is_none())?.traceparent()
}

/// Makes the span of a resumed run a child of the paused run's span.
fn set_parent(span: &Span, paused: Option<&TraceParent>) {
    if let (Some(paused), Some(propagator)) = (paused, propagator())
        && caught(|| propagator.set_parent(span, paused)).is_err()
    {
        log_panic::<()>();
    }
}

#[cold]
fn log_panic<T>() -> Option<T> {
    tracing::error!("the propagator of traces panicked");
    None
}

fn span(instance: &Instance, model: &BoxModel) -> Span {
    let identity = || model.identity(instance.declaration.settings.model.as_deref());
    tracing::info_span!(
        target: TARGET,
        "invoke_agent",
        otel.name = &*format!("invoke_agent {}", instance.name),
        otel.kind = "internal",
        otel.status_code = Empty,
        otel.status_description = Empty,
        gen_ai.operation.name = "invoke_agent",
        gen_ai.provider.name = identity().provider(),
        gen_ai.agent.name = &*instance.name,
        gen_ai.agent.description = Empty,
        gen_ai.conversation.id = Empty,
        gen_ai.output.type = Empty,
        gen_ai.request.model = identity().model(),
        gen_ai.request.temperature = Empty,
        gen_ai.request.top_p = Empty,
        gen_ai.request.max_tokens = Empty,
        gen_ai.request.seed = Empty,
        gen_ai.request.stop_sequences = Empty,
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
        gen_ai.usage.cache_read.input_tokens = Empty,
        gen_ai.usage.cache_write.input_tokens = Empty,
        gen_ai.usage.reasoning.output_tokens = Empty,
        error.type = Empty,
        onionskin.run.id = Empty,
        onionskin.run.paused = Empty,
        onionskin.correlation.id = Empty,
        onionskin.agent.instance = Empty,
        gen_ai.input.messages = Empty,
        gen_ai.output.messages = Empty,
    )
}
