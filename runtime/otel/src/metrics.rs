//! Metrics of model requests, from their spans.

use std::fmt::Debug;
use std::time::Instant;

use opentelemetry::KeyValue;
use opentelemetry::metrics::{Counter, Histogram, Meter};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// The attributes that metrics have.
const KEPT: [&str; 4] =
    ["gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model", "error.type"];

/// The parts of the tokens: the attribute of the span, the counter, and its description.
const PARTS: [(&str, &str, &str); 3] = [
    (
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.client.inference.usage.cache_read.input_tokens",
        "Number of input tokens read from the provider's cache.",
    ),
    (
        "gen_ai.usage.cache_write.input_tokens",
        "gen_ai.client.inference.usage.cache_write.input_tokens",
        "Number of input tokens written into the provider's cache.",
    ),
    (
        "gen_ai.usage.reasoning.output_tokens",
        "gen_ai.client.inference.usage.reasoning.output_tokens",
        "Number of output tokens used for reasoning.",
    ),
];

/// Measures the requests to models.
pub(crate) struct Metrics {
    tokens: Histogram<u64>,
    /// The counters of [`PARTS`].
    parts: [Counter<u64>; PARTS.len()],
    duration: Histogram<f64>,
}

/// A request in progress.
struct Request {
    begun: Instant,
    attributes: Vec<KeyValue>,
    input: Option<u64>,
    output: Option<u64>,
    /// The tokens of [`PARTS`].
    parts: [Option<u64>; PARTS.len()],
}

impl Metrics {
    /// The histograms have the bounds of the conventions.
    pub(crate) fn new(meter: &Meter) -> Self {
        let powers = |first: f64, factor: f64| (0..14).map(|power| first * factor.powi(power)).collect();
        let tokens = meter
            .u64_histogram("gen_ai.client.token.usage")
            .with_unit("{token}")
            .with_description("Number of input and output tokens used.")
            .with_boundaries(powers(1.0, 4.0));
        let duration = meter
            .f64_histogram("gen_ai.client.operation.duration")
            .with_unit("s")
            .with_description("GenAI operation duration.")
            .with_boundaries(powers(0.01, 2.0));
        let parts = PARTS.map(|(_, name, description)| {
            meter.u64_counter(name).with_unit("{token}").with_description(description).build()
        });
        Self { tokens: tokens.build(), parts, duration: duration.build() }
    }

    /// Whether a span is measured.
    pub(crate) fn measures(metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && metadata.target() == "onionskin" && metadata.name() == "chat"
    }
}

impl Visit for Request {
    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}

    fn record_str(&mut self, field: &Field, value: &str) {
        if KEPT.contains(&field.name()) {
            self.attributes.push(KeyValue::new(field.name(), value.to_owned()));
        }
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        let tokens = match field.name() {
            "gen_ai.usage.input_tokens" => &mut self.input,
            "gen_ai.usage.output_tokens" => &mut self.output,
            name => match PARTS.iter().position(|(attribute, ..)| *attribute == name) {
                Some(part) => &mut self.parts[part],
                None => return,
            },
        };
        *tokens = value.try_into().ok();
    }
}

impl<S: Subscriber + for<'l> LookupSpan<'l>> Layer<S> for Metrics {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut request = Request {
            begun: Instant::now(),
            attributes: Vec::new(),
            input: None,
            output: None,
            parts: [None; PARTS.len()],
        };
        attributes.record(&mut request);
        span.extensions_mut().insert(request);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(request) = span.extensions_mut().get_mut::<Request>() {
            values.record(request);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let Some(request) = span.extensions_mut().remove::<Request>() else { return };
        let Request { begun, mut attributes, input, output, parts } = request;
        self.duration.record(begun.elapsed().as_secs_f64(), &attributes);
        for (kind, tokens) in [("input", input), ("output", output)] {
            if let Some(tokens) = tokens {
                attributes.push(KeyValue::new("gen_ai.token.type", kind));
                self.tokens.record(tokens, &attributes);
                attributes.pop();
            }
        }
        // The conventions want the kind of the content, which few providers report for these.
        attributes.push(KeyValue::new("gen_ai.token.modality", "unknown"));
        for (counter, tokens) in self.parts.iter().zip(parts) {
            if let Some(tokens) = tokens {
                counter.add(tokens, &attributes);
            }
        }
    }
}
