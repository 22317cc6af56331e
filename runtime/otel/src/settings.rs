//! The settings of the export, and its installation.

use std::collections::HashMap;
use std::env;
use std::time::Duration;

use onionskin_core::secret::Secret;
use onionskin_core::trace::set_global_propagator;
use opentelemetry::KeyValue;
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{MetricExporter, Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::{BatchSpanProcessor, SdkTracerProvider};
use tracing_subscriber::filter::{FilterExt as _, Targets, filter_fn};
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};

use crate::client::client;
use crate::error::OtelError;
use crate::guard::OtelGuard;
use crate::lists::Lists;
use crate::metrics::Metrics;
use crate::propagator::OtelPropagator;

/// The library that writes the spans and the metrics.
const SCOPE: &str = "onionskin";

/// What the exporter itself writes to `tracing` is not exported, or each export would cause the next one.
const OWN: [&str; 6] = ["opentelemetry", "reqwest", "hyper", "h2", "rustls", "tonic"];

/// Sets up the export of spans and metrics.
///
/// ```
/// use onionskin::Secret;
/// use onionskin::otel::Otel;
///
/// let otel = Otel::from_env()
///     .service_name("order-desk")
///     .endpoint("https://collector.example:4318")
///     .header("x-api-key", Secret::new("s3cr3t".to_owned()))
///     .filter("info,order_desk=debug");
/// assert!(!format!("{otel:?}").contains("s3cr3t"));
/// ```
#[derive(Debug, Default)]
#[must_use = "nothing is exported until it is installed"]
pub struct Otel {
    service_name: Option<String>,
    attributes: Vec<(String, String)>,
    endpoint: Option<String>,
    headers: Vec<(String, Secret<String>)>,
    timeout: Option<Duration>,
    filter: Option<String>,
}

impl Otel {
    /// The settings of OpenTelemetry's environment variables: `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_EXPORTER_OTLP_ENDPOINT`,
    /// `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_EXPORTER_OTLP_TIMEOUT` and those of each signal, `OTEL_TRACES_SAMPLER`, `OTEL_BSP_*`,
    /// `OTEL_METRIC_EXPORT_INTERVAL`. `OTEL_SDK_DISABLED=true` turns all of it off, `OTEL_TRACES_EXPORTER=none` the spans,
    /// `OTEL_METRICS_EXPORTER=none` the metrics. Without variables, a collector at `http://localhost:4318` gets both.
    ///
    /// They are read by [`install`](Self::install). Settings of the methods below take precedence.
    pub fn from_env() -> Self {
        Self::default()
    }

    /// Sets the name of the program: `service.name`.
    pub fn service_name(mut self, name: impl Into<String>) -> Self {
        self.service_name = Some(name.into());
        self
    }

    /// Adds an attribute of the program, such as `deployment.environment.name`.
    pub fn attribute(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.attributes.push((name.into(), value.into()));
        self
    }

    /// Sets the address of the collector: the part before `/v1/traces`, such as `http://localhost:4318`.
    pub fn endpoint(mut self, url: impl Into<String>) -> Self {
        self.endpoint = Some(url.into());
        self
    }

    /// Adds a header to all requests, such as the key of the collector.
    pub fn header(mut self, name: impl Into<String>, value: Secret<String>) -> Self {
        self.headers.push((name.into(), value));
        self
    }

    /// Sets the time limit of one request. The default is 10 seconds.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets which spans and events are exported, as targets and levels: `info,my_program=debug`, or `info,onionskin::hook=trace` for the hooks of agents. The default
    /// is `info`. Events are exported with the span that they occur in.
    pub fn filter(mut self, filter: impl Into<String>) -> Self {
        self.filter = Some(filter.into());
        self
    }

    /// Begins the export: becomes the subscriber of `tracing` of the whole program, and sets the
    /// [propagator](crate::OtelPropagator) of its traces. Keep the guard until the program ends.
    ///
    /// It works inside and outside of a tokio runtime, and starts threads of its own.
    ///
    /// # Errors
    /// Returns an error if a setting cannot be used or the program has a subscriber already.
    pub fn install(self) -> Result<OtelGuard, OtelError> {
        if env::var("OTEL_SDK_DISABLED").is_ok_and(|value| value.eq_ignore_ascii_case("true")) {
            return Ok(OtelGuard::default());
        }
        let filter = self.targets()?;
        let guard = OtelGuard {
            tracer: exports("OTEL_TRACES_EXPORTER")?.then(|| self.tracer()).transpose()?,
            meter: exports("OTEL_METRICS_EXPORTER")?.then(|| self.meter()).transpose()?,
        };
        let own = |target: &str| {
            OWN.iter().any(|own| {
                target.strip_prefix(own).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
            })
        };
        let spans = guard.tracer.as_ref().map(|provider| {
            tracing_opentelemetry::layer()
                .with_tracer(provider.tracer(SCOPE))
                .with_location(false)
                .with_threads(false)
                .with_tracked_inactivity(false)
                .with_target(false)
                .with_filter(filter.and(filter_fn(move |metadata| !own(metadata.target()))))
        });
        let metrics = guard
            .meter
            .as_ref()
            .map(|provider| Metrics::new(&provider.meter(SCOPE)).with_filter(filter_fn(Metrics::measures)));
        let subscriber = tracing_subscriber::registry().with(spans).with(metrics);
        tracing::subscriber::set_global_default(subscriber).map_err(|_| OtelError::Installed)?;
        // The program's own propagator stays.
        let _ = set_global_propagator(OtelPropagator);
        Ok(guard)
    }

    fn targets(&self) -> Result<Targets, OtelError> {
        let filter = self.filter.as_deref().unwrap_or("info");
        filter.parse().map_err(|error| OtelError::setting("filter", &format!("`{filter}`: {error}")))
    }

    fn resource(&self) -> Resource {
        let attributes = self.attributes.iter().cloned().map(|(name, value)| KeyValue::new(name, value));
        let resource = Resource::builder().with_attributes(attributes);
        match &self.service_name {
            Some(name) => resource.with_service_name(name.clone()).build(),
            None => resource.build(),
        }
    }

    fn tracer(&self) -> Result<SdkTracerProvider, OtelError> {
        let exporter = self.exporter(SpanExporter::builder().with_http(), "TRACES", "/v1/traces")?;
        let exporter = exporter.build().map_err(|error| OtelError::setting("spans", &error))?;
        let spans = Lists::new(BatchSpanProcessor::builder(exporter).build());
        Ok(SdkTracerProvider::builder().with_resource(self.resource()).with_span_processor(spans).build())
    }

    fn meter(&self) -> Result<SdkMeterProvider, OtelError> {
        let exporter = self.exporter(MetricExporter::builder().with_http(), "METRICS", "/v1/metrics")?;
        let exporter = exporter.build().map_err(|error| OtelError::setting("metrics", &error))?;
        Ok(SdkMeterProvider::builder()
            .with_resource(self.resource())
            .with_periodic_exporter(exporter)
            .build())
    }

    /// Sets up the exporter of one signal.
    fn exporter<B: WithExportConfig + WithHttpConfig>(
        &self,
        builder: B,
        signal: &str,
        path: &str,
    ) -> Result<B, OtelError> {
        let of_signal = |name: &str| {
            let own = env::var(format!("OTEL_EXPORTER_OTLP_{signal}_{name}"));
            own.or_else(|_| env::var(format!("OTEL_EXPORTER_OTLP_{name}"))).ok()
        };
        if let Some(protocol) = of_signal("PROTOCOL").filter(|protocol| protocol != "http/protobuf") {
            let reason = format!("`{protocol}` is not supported; it has to be `http/protobuf`");
            return Err(OtelError::setting("OTEL_EXPORTER_OTLP_PROTOCOL", &reason));
        }
        let millis = of_signal("TIMEOUT").and_then(|millis| millis.parse().ok()).map(Duration::from_millis);
        let timeout = self.timeout.or(millis).unwrap_or(Duration::from_secs(10));
        let headers: HashMap<_, _> =
            self.headers.iter().map(|(name, value)| (name.clone(), value.expose().clone())).collect();
        let plain = self.endpoint.clone().or_else(|| of_signal("ENDPOINT"));
        let plain = plain.is_none_or(|endpoint| endpoint.starts_with("http:"));
        let mut builder = builder
            .with_protocol(Protocol::HttpBinary)
            .with_timeout(timeout)
            .with_headers(headers)
            .with_http_client(client(plain, timeout)?);
        if let Some(endpoint) = &self.endpoint {
            builder = builder.with_endpoint(format!("{}{path}", endpoint.trim_end_matches('/')));
        }
        Ok(builder)
    }
}

/// Whether a signal is exported, by its environment variable.
fn exports(variable: &'static str) -> Result<bool, OtelError> {
    match env::var(variable).as_deref() {
        Err(_) | Ok("" | "otlp") => Ok(true),
        Ok("none") => Ok(false),
        Ok(other) => Err(OtelError::setting(
            variable,
            &format!("`{other}` is not supported; it has to be `otlp` or `none`"),
        )),
    }
}
