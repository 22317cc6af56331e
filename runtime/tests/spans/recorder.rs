//! A subscriber that keeps the spans.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{Targets, filter_fn};
use tracing_subscriber::layer::{Context, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;

/// A span as it was recorded.
#[derive(Clone, Debug, Default)]
pub struct Span {
    /// The name by which it is exported.
    pub name: String,
    /// The name in the code.
    pub kind: &'static str,
    pub level: String,
    pub target: String,
    pub fields: BTreeMap<String, Value>,
    pub parent: Option<usize>,
    pub closed: bool,
    /// The messages of the events in it.
    pub events: Vec<String>,
}

impl Span {
    pub fn field(&self, name: &str) -> Option<&Value> {
        self.fields.get(name)
    }

    pub fn text(&self, name: &str) -> &str {
        self.field(name).and_then(Value::as_str).unwrap_or_else(|| panic!("no `{name}` in {self:#?}"))
    }

    /// A field that holds JSON.
    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(self.text(name)).unwrap()
    }

    pub fn error(&self) -> Option<&str> {
        let error = self.field("error.type").and_then(Value::as_str);
        assert_eq!(error.is_some(), self.field("otel.status_code") == Some(&"ERROR".into()), "{self:#?}");
        error
    }
}

/// The spans in the order in which they began.
#[derive(Clone, Default)]
pub struct Spans(Arc<Mutex<Vec<Span>>>);

/// The place of a span in the list.
struct At(usize);

impl Spans {
    /// Keeps the spans of this thread that are on by default.
    #[must_use]
    pub fn begin() -> (Self, DefaultGuard) {
        Self::with(filter_fn(|metadata| *metadata.level() <= tracing::Level::INFO))
    }

    /// Keeps the spans of these targets.
    #[must_use]
    pub fn new(targets: Targets) -> (Self, DefaultGuard) {
        Self::with(targets)
    }

    fn with<F>(filter: F) -> (Self, DefaultGuard)
    where
        F: tracing_subscriber::layer::Filter<tracing_subscriber::Registry> + Send + Sync + 'static,
    {
        let spans = Self::default();
        let subscriber = tracing_subscriber::registry().with(spans.clone().with_filter(filter));
        (spans, tracing::subscriber::set_default(subscriber))
    }

    pub fn all(&self) -> Vec<Span> {
        self.0.lock().unwrap().clone()
    }

    /// The only span of this name.
    pub fn one(&self, name: &str) -> Span {
        let mut found = self.named(name);
        assert_eq!(found.len(), 1, "`{name}` in {:#?}", self.tree());
        found.remove(0)
    }

    pub fn named(&self, name: &str) -> Vec<Span> {
        self.all().into_iter().filter(|span| span.name == name).collect()
    }

    pub fn parent(&self, span: &Span) -> Option<Span> {
        span.parent.map(|at| self.0.lock().unwrap()[at].clone())
    }

    /// Each span as `name < parent < ..`, sorted. All of them must be closed.
    pub fn tree(&self) -> Vec<String> {
        let mut lines: Vec<_> = self.all().iter().map(|span| self.line(span)).collect();
        lines.sort();
        lines
    }

    fn line(&self, span: &Span) -> String {
        assert!(span.closed, "{span:#?}");
        match self.parent(span) {
            None => span.name.clone(),
            Some(parent) => format!("{} < {}", span.name, self.line(&parent)),
        }
    }

    /// All that the spans say.
    pub fn text(&self) -> String {
        format!("{:?}", self.all())
    }

    fn change(&self, at: usize, change: impl FnOnce(&mut Span)) {
        change(&mut self.0.lock().unwrap()[at]);
    }
}

impl Visit for Span {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        panic!("`{}` is no attribute of OpenTelemetry: {value:?}", field.name());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "otel.name" {
            value.clone_into(&mut self.name);
        }
        self.fields.insert(field.name().to_owned(), value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.fields.insert(field.name().to_owned(), value.into());
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.fields.insert(field.name().to_owned(), value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.fields.insert(field.name().to_owned(), value.into());
    }
}

/// The message of an event.
struct Message<'m>(&'m mut Vec<String>);

impl Visit for Message<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.0.push(format!("{value:?}"));
        }
    }
}

impl<S: Subscriber + for<'l> LookupSpan<'l>> Layer<S> for Spans {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let this = context.span(id).unwrap();
        let metadata = attributes.metadata();
        let parent = this.parent().and_then(|parent| parent.extensions().get::<At>().map(|at| at.0));
        let mut span = Span {
            name: metadata.name().to_owned(),
            kind: metadata.name(),
            level: metadata.level().to_string(),
            target: metadata.target().to_owned(),
            parent,
            ..Span::default()
        };
        attributes.record(&mut span);
        let mut spans = self.0.lock().unwrap();
        this.extensions_mut().insert(At(spans.len()));
        spans.push(span);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let at = context.span(id).unwrap().extensions().get::<At>().unwrap().0;
        self.change(at, |span| values.record(span));
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        if let Some(span) = context.event_span(event) {
            let at = span.extensions().get::<At>().unwrap().0;
            self.change(at, |span| event.record(&mut Message(&mut span.events)));
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let at = context.span(&id).unwrap().extensions().get::<At>().unwrap().0;
        self.change(at, |span| span.closed = true);
    }
}
