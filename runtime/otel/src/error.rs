//! Why an export cannot begin, or lost something.

/// The reason why spans or metrics are not exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OtelError {
    /// A setting, or the environment variable for it, cannot be used.
    #[error("the export to OpenTelemetry is not set up: {setting}: {reason}")]
    #[non_exhaustive]
    Setting {
        /// The setting or the environment variable.
        setting: &'static str,
        /// The reason.
        reason: String,
    },
    /// The program has a subscriber of `tracing` already.
    #[error(
        "the program has a subscriber of tracing already: install the export before it, or add a layer of \
         `tracing-opentelemetry` to it instead"
    )]
    Installed,
    /// Spans or metrics were not delivered.
    #[error("{signal} were not exported to OpenTelemetry: {reason}")]
    #[non_exhaustive]
    Export {
        /// `spans` or `metrics`.
        signal: &'static str,
        /// The reason.
        reason: String,
    },
}

impl OtelError {
    pub(crate) fn setting(setting: &'static str, reason: &impl ToString) -> Self {
        Self::Setting { setting, reason: reason.to_string() }
    }
}
