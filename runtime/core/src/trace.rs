//! The traces of runs that pause: how a resumed run continues the trace of the paused one.
//!
//! Runs write spans to `tracing`, which has no ids that another process knows. A [`Propagator`] reads and sets them for the subscriber of the
//! program. When a run pauses, it gives the [`TraceParent`] of its span `invoke_agent`, which the
//! [`Paused`](crate::question::Paused) value keeps. When the run is resumed, also in another process, its span gets this parent.
//! Without a propagator, a resumed run is in the trace of the program's span, as a new one.
//!
//! `otel::Otel` sets a propagator (feature `otel` of the crate `onionskin`), and `otel::OtelPropagator` is the same for a program whose
//! subscriber has a layer of `tracing-opentelemetry`. For another subscriber, implement [`Propagator`].

pub use onionskin_tools::trace::{Propagator, TraceError, TraceParent, set_global_propagator};
