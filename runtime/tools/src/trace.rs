//! Trace propagation: a resumed run continues the trace of the paused run.

use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use tracing::Span;

/// A reference to a span in the form of the [W3C Trace
/// Context](https://www.w3.org/TR/trace-context/#traceparent-header) header `traceparent`: the trace id, the
/// span id, and whether it is sampled.
///
/// ```
/// use onionskin_tools::trace::TraceParent;
///
/// let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
/// assert_eq!(text.parse::<TraceParent>().unwrap().as_str(), text);
/// // No trace has the id zero.
/// assert!("00-00000000000000000000000000000000-00f067aa0ba902b7-01".parse::<TraceParent>().is_err());
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct TraceParent(Arc<str>);

impl TraceParent {
    /// The text of the header.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for TraceParent {
    type Err = TraceError;

    fn from_str(text: &str) -> Result<Self, TraceError> {
        let digits = |part: &str, count: usize| {
            part.len() == count && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        let id = |part: &str, count| digits(part, count) && part.bytes().any(|byte| byte != b'0');
        let mut parts = text.split('-');
        let mut next = || parts.next().unwrap_or_default();
        let fits = next() == "00" && id(next(), 32) && id(next(), 16) && digits(next(), 2);
        if fits && parts.next().is_none() { Ok(Self(text.into())) } else { Err(TraceError::Malformed) }
    }
}

impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TraceParent({})", self.0)
    }
}

impl Serialize for TraceParent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for TraceParent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// The reason why a text is not a [`TraceParent`], or why a propagator was not set. It does not quote the
/// text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The text is not a valid `traceparent`.
    #[error(
        "this is not a W3C traceparent: write `00-`, 32 hex digits, `-`, 16 hex digits, `-` and 2 hex digits, in lower case, and no id of \
         zeros"
    )]
    Malformed,
    /// The program already has a propagator.
    #[error("the program has a propagator: call `set_global_propagator` once, before `Otel::install`")]
    PropagatorSet,
}

/// Converts between spans of the program's subscriber and their ids for other processes.
///
/// A panic is logged and counts as no id.
///
/// ```
/// use onionskin_tools::trace::{Propagator, TraceParent, set_global_propagator};
/// use tracing::Span;
///
/// struct Ours;
///
/// impl Propagator for Ours {
///     fn traceparent(&self, span: &Span) -> Option<TraceParent> {
///         // What the subscriber knows of the span.
///         let id = span.id()?.into_u64();
///         format!("00-4bf92f3577b34da6a3ce929d0e0e4736-{id:016x}-01").parse().ok()
///     }
///
///     fn set_parent(&self, span: &Span, parent: &TraceParent) {
///         span.record("trace.parent", parent.as_str());
///     }
/// }
///
/// set_global_propagator(Ours).unwrap();
/// assert!(set_global_propagator(Ours).is_err());
/// ```
pub trait Propagator: Send + Sync {
    /// Returns the ids of a span; `None` if the subscriber does not know it.
    fn traceparent(&self, span: &Span) -> Option<TraceParent>;

    /// Makes a span the child of another process's span. The span was created in the current span and has not
    /// been entered yet.
    fn set_parent(&self, span: &Span, parent: &TraceParent);
}

static PROPAGATOR: OnceLock<Box<dyn Propagator>> = OnceLock::new();

/// Sets the propagator of the whole program. Call it once at startup, where the subscriber is set.
///
/// # Errors
/// Returns an error if the program already has a propagator.
pub fn set_global_propagator(propagator: impl Propagator + 'static) -> Result<(), TraceError> {
    PROPAGATOR.set(Box::new(propagator)).map_err(|_| TraceError::PropagatorSet)
}

/// The propagator of the program.
pub fn propagator() -> Option<&'static dyn Propagator> {
    PROPAGATOR.get().map(|propagator| &**propagator)
}
