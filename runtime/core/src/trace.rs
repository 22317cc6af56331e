//! The traces of runs that pause: how a resumed run continues the trace of the paused one.
//!
//! Runs write spans to `tracing`, whose ids are not valid in other processes. A [`Propagator`] reads and sets
//! the ids of the program's subscriber. When a run pauses, the [`Paused`](crate::question::Paused) value
//! stores the [`TraceParent`] of its span `invoke_agent`. When the run is resumed, also in another process,
//! its span gets this parent. Without a propagator, a resumed run belongs to the trace of the program's span,
//! like a new run.
//!
//! `otel::Otel` sets a propagator (feature `otel` of the crate `onionskin`). `otel::OtelPropagator` is for
//! programs whose subscriber has a layer of `tracing-opentelemetry`. For another subscriber, implement
//! [`Propagator`].

pub use onionskin_tools::trace::{Propagator, TraceError, TraceParent, set_global_propagator};
