//! The UI component of a question.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use onionskin_definitions::definition::UiMode;
use onionskin_definitions::secret::{Redact, Redactor};

/// What a front end shows for a [question](super::Question) of a UI tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UiComponent {
    pub(crate) component: String,
    pub(crate) mode: UiMode,
    pub(crate) tool_id: String,
    pub(crate) workflow: String,
    pub(crate) payload: Value,
}

impl UiComponent {
    /// Creates a component, for tests of answerers.
    pub fn new(component: impl Into<String>, mode: UiMode, payload: Value) -> Self {
        Self { component: component.into(), mode, tool_id: String::new(), workflow: String::new(), payload }
    }

    /// The name of the component in the front end.
    pub fn component(&self) -> &str {
        &self.component
    }

    /// Where the component is shown.
    pub fn mode(&self) -> UiMode {
        self.mode
    }

    /// The id that the tool chose for what it shows.
    pub fn tool_id(&self) -> &str {
        &self.tool_id
    }

    /// The workflow that the tool belongs to.
    pub fn workflow(&self) -> &str {
        &self.workflow
    }

    /// The data to show. Secrets are masked.
    pub fn payload(&self) -> &Value {
        &self.payload
    }
}

impl Redact for UiComponent {
    fn redact(&mut self, redactor: &Redactor) {
        self.payload.redact(redactor);
        self.tool_id.redact(redactor);
        self.workflow.redact(redactor);
    }
}
