//! The ids of spans for other processes.

use std::collections::HashMap;

use onionskin_core::trace::{Propagator, TraceParent};
use opentelemetry::Context;
use opentelemetry::propagation::TextMapPropagator as _;
use opentelemetry::trace::TraceContextExt as _;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// The header of W3C Trace Context.
const HEADER: &str = "traceparent";

/// Lets resumed runs continue the traces of paused ones, in OpenTelemetry. [`Otel::install`](crate::Otel::install) sets it. A program with a
/// subscriber of its own sets it beside its layer of `tracing-opentelemetry`, whose version has to be the one of this crate.
///
/// A resumed run whose program is in another trace has a link to the program's span.
///
/// ```
/// use onionskin::otel::OtelPropagator;
/// use onionskin::trace::set_global_propagator;
///
/// set_global_propagator(OtelPropagator::default()).unwrap();
/// ```
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct OtelPropagator;

impl Propagator for OtelPropagator {
    fn traceparent(&self, span: &Span) -> Option<TraceParent> {
        let mut headers = HashMap::new();
        TraceContextPropagator::new().inject_context(&span.context(), &mut headers);
        headers.get(HEADER)?.parse().ok()
    }

    fn set_parent(&self, span: &Span, parent: &TraceParent) {
        let headers = HashMap::from([(HEADER.to_owned(), parent.to_string())]);
        // Nothing but the parent: the spans around the program's span are not a part of the other process.
        let parent = TraceContextPropagator::new().extract_with_context(&Context::new(), &headers);
        let program = Context::current().span().span_context().clone();
        if program.is_valid() && program.trace_id() != parent.span().span_context().trace_id() {
            span.add_link(program);
        }
        // It fails if the span is not exported, and then there is nothing to do.
        let _ = span.set_parent(parent);
    }
}
