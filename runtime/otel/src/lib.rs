//! OpenTelemetry: exports the spans of a program, including the spans of its agents, and metrics of their model requests, over OTLP
//! (HTTP, protobuf). No type of OpenTelemetry is public here.
//!
//! ```no_run
//! use onionskin::otel::Otel;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let otel = Otel::from_env().service_name("order-desk").install()?;
//! // .. the program ..
//! otel.shutdown()?;
//! # Ok(())
//! # }
//! ```
//!
//! A program with a subscriber of its own does without this module: it adds a layer of the crate `tracing-opentelemetry`. The spans
//! have the fields that this layer reads. Lists are JSON text there, and there are no metrics. [`OtelPropagator`] lets resumed runs continue their traces.
//!
//! # Metrics
//!
//! | histogram | unit | attributes |
//! |---|---|---|
//! | `gen_ai.client.token.usage` | `{token}` | `gen_ai.token.type` (`input`, `output`), and those below |
//! | `gen_ai.client.operation.duration` | `s` | `gen_ai.operation.name`, `gen_ai.provider.name`, `gen_ai.request.model`, `error.type` |
//!
//! | counter | unit | attributes |
//! |---|---|---|
//! | `gen_ai.client.inference.usage.cache_read.input_tokens`, `.cache_write.input_tokens`, `.reasoning.output_tokens` | `{token}` | `gen_ai.token.modality` (`unknown`), and those of the duration |
//!
//! The histograms have one value for each request to a model. The counters are parts of its tokens. What the program leaves out of its traces, by filter or by sampling, is in the
//! metrics.

#![forbid(unsafe_code)]
// A new variant of an enum must be handled in each `match`.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

mod client;
mod error;
mod guard;
mod lists;
mod metrics;
mod propagator;
mod settings;

pub use error::OtelError;
pub use guard::OtelGuard;
pub use propagator::OtelPropagator;
pub use settings::Otel;
