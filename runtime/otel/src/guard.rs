//! `OtelGuard` ends the export.

use std::thread;

use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;

use crate::error::OtelError;

/// Ends the export when it is dropped. [`shutdown`](Self::shutdown) also says whether the rest was delivered.
#[derive(Debug, Default)]
#[must_use = "dropping it ends the export"]
pub struct OtelGuard {
    pub(crate) tracer: Option<SdkTracerProvider>,
    pub(crate) meter: Option<SdkMeterProvider>,
}

impl OtelGuard {
    /// Exports all spans that have ended, and the metrics so far. It blocks the thread until then.
    ///
    /// # Errors
    /// Returns an error if the collector does not take them.
    pub fn flush(&self) -> Result<(), OtelError> {
        let spans = self.tracer.as_ref().map_or(Ok(()), SdkTracerProvider::force_flush);
        let metrics = self.meter.as_ref().map_or(Ok(()), SdkMeterProvider::force_flush);
        check(spans, "spans").and(check(metrics, "metrics"))
    }

    /// Exports what was not exported yet, and ends the export. It blocks the thread until then.
    ///
    /// # Errors
    /// Returns an error if the collector does not take it.
    pub fn shutdown(mut self) -> Result<(), OtelError> {
        self.end()
    }

    fn end(&mut self) -> Result<(), OtelError> {
        // The shutdown of spans does not say whether they were delivered.
        let spans = self.tracer.as_ref().map_or(Ok(()), SdkTracerProvider::force_flush);
        let (tracer, meter) = (self.tracer.take(), self.meter.take());
        let spans = spans.and(tracer.as_ref().map_or(Ok(()), SdkTracerProvider::shutdown));
        let metrics = meter.as_ref().map_or(Ok(()), SdkMeterProvider::shutdown);
        check(spans, "spans").and(check(metrics, "metrics"))
    }
}

impl Drop for OtelGuard {
    fn drop(&mut self) {
        if let Err(error) = self.end()
            && !thread::panicking()
        {
            eprintln!("{error}");
        }
    }
}

fn check(result: OTelSdkResult, signal: &'static str) -> Result<(), OtelError> {
    result.map_err(|error| OtelError::Export { signal, reason: error.to_string() })
}
