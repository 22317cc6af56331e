//! Refusals of an input or an answer.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use onionskin_definitions::error::{BoxError, redact_error};
use onionskin_definitions::secret::{Redact, Redactor};

/// The reason category of a refusal of an input or an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CheckTrigger {
    /// It is not about the agent's purpose.
    OffTopic,
    /// The input is not allowed. This is the default trigger of an [`InputCheckError`].
    InputNotAllowed,
    /// The answer is not allowed. This is the default trigger of an [`OutputCheckError`].
    OutputNotAllowed,
    /// It does not have the required form or length.
    ValidationFailed,
    /// It tries to override the model's instructions.
    PromptInjection,
    /// It contains personal data.
    PiiDetected,
}

impl CheckTrigger {
    /// The trigger as a word, such as `off_topic`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OffTopic => "off_topic",
            Self::InputNotAllowed => "input_not_allowed",
            Self::OutputNotAllowed => "output_not_allowed",
            Self::ValidationFailed => "validation_failed",
            Self::PromptInjection => "prompt_injection",
            Self::PiiDetected => "pii_detected",
        }
    }
}

impl fmt::Display for CheckTrigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[derive(Debug, Clone)]
struct Refusal {
    trigger: CheckTrigger,
    reason: String,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

macro_rules! check_error {
    ($(#[$doc:meta])* $name:ident, $trigger:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $name(Box<Refusal>);

        impl $name {
            /// Creates a refusal with this reason.
            pub fn new(reason: impl Into<String>) -> Self {
                Self(Box::new(Refusal {
                    trigger: CheckTrigger::$trigger,
                    reason: reason.into(),
                    source: None,
                }))
            }

            /// Sets the trigger.
            #[must_use]
            pub fn with_trigger(mut self, trigger: CheckTrigger) -> Self {
                self.0.trigger = trigger;
                self
            }

            /// Sets the cause, which [`source`](Error::source) returns.
            #[must_use]
            pub fn with_source(mut self, source: impl Into<BoxError>) -> Self {
                self.0.source = Some(source.into().into());
                self
            }

            /// The trigger.
            pub fn trigger(&self) -> CheckTrigger {
                self.0.trigger
            }

            /// The reason.
            pub fn reason(&self) -> &str {
                &self.0.reason
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0.reason)
            }
        }

        impl Error for $name {
            fn source(&self) -> Option<&(dyn Error + 'static)> {
                self.0.source.as_deref().map(|source| source as _)
            }
        }

        impl Redact for $name {
            fn redact(&mut self, redactor: &Redactor) {
                self.0.reason.redact(redactor);
                if let Some(source) = &mut self.0.source {
                    redact_error(source, redactor);
                }
            }
        }
    };
}

check_error! {
    /// A run hook refuses the input. The run ends with [`RunError::InputCheck`](crate::RunError::InputCheck).
    ///
    /// ```
    /// use onionskin::run_hooks::{CheckTrigger, InputCheckError};
    ///
    /// let error = InputCheckError::new("we talk about lamps").with_trigger(CheckTrigger::OffTopic);
    /// assert_eq!((error.reason(), error.trigger().as_str()), ("we talk about lamps", "off_topic"));
    /// ```
    InputCheckError, InputNotAllowed
}

check_error! {
    /// A run hook refuses the answer. The run ends with [`RunError::OutputCheck`](crate::RunError::OutputCheck).
    ///
    /// ```
    /// use onionskin::run_hooks::{CheckTrigger, OutputCheckError};
    ///
    /// let error = OutputCheckError::new("the answer is empty");
    /// assert_eq!(error.trigger(), CheckTrigger::OutputNotAllowed);
    /// ```
    OutputCheckError, OutputNotAllowed
}
