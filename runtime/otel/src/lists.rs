//! Lists of spans: `tracing` has them as JSON text, OpenTelemetry as lists.

use std::time::Duration;

use opentelemetry::{Array, Context, StringValue, Value};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{Span, SpanData, SpanProcessor};

/// The attributes that are lists of texts.
const LISTS: [&str; 2] = ["gen_ai.response.finish_reasons", "gen_ai.request.stop_sequences"];

/// Makes lists of the texts that are lists, and passes the spans on.
#[derive(Debug)]
pub(crate) struct Lists<P>(P);

impl<P> Lists<P> {
    pub(crate) fn new(next: P) -> Self {
        Self(next)
    }
}

fn list(text: &str) -> Option<Value> {
    let texts: Vec<String> = serde_json::from_str(text).ok()?;
    Some(Value::Array(Array::String(texts.into_iter().map(StringValue::from).collect())))
}

impl<P: SpanProcessor> SpanProcessor for Lists<P> {
    fn on_start(&self, span: &mut Span, context: &Context) {
        self.0.on_start(span, context);
    }

    fn on_end(&self, mut span: SpanData) {
        for attribute in &mut span.attributes {
            if LISTS.contains(&attribute.key.as_str())
                && let Value::String(text) = &attribute.value
                && let Some(list) = list(text.as_str())
            {
                attribute.value = list;
            }
        }
        self.0.on_end(span);
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.0.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.0.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.0.set_resource(resource);
    }
}
