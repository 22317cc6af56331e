//! Options of exports.

use serde_json::{Map, Value};

use super::error::{ExportError, Site};
use crate::definition::ToolDefinition;

/// The options of an export: strict or not, lossy or not, and custom fields.
///
/// ```
/// use onionskin::export::ExportOptions;
/// let options = ExportOptions::new().strict().field("cache_control", serde_json::json!({"type": "ephemeral"}));
/// assert_ne!(options, ExportOptions::default());
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExportOptions {
    strict: Option<bool>,
    lossy: bool,
    fields: Map<String, Value>,
}

impl ExportOptions {
    /// The default options: the schema unchanged if the provider accepts it, strict only for tools that [are
    /// strict](ToolDefinition::is_strict), no custom fields.
    pub fn new() -> Self {
        Self::default()
    }

    /// Exports in the provider's strict dialect. A schema that the dialect cannot express is an error.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.strict = Some(true);
        self
    }

    /// Exports outside a strict dialect, also if the tool [is strict](ToolDefinition::is_strict).
    #[must_use]
    pub fn without_strict(mut self) -> Self {
        self.strict = Some(false);
        self
    }

    /// Widens or narrows what a dialect cannot express; [the module](super#strict) lists the cases.
    #[must_use]
    pub fn lossy(mut self) -> Self {
        self.lossy = true;
        self
    }

    /// Adds a custom field beside the tool's name. For OpenAI's Chat Completions API it is inside `function`.
    #[must_use]
    pub fn field(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.fields.insert(name.into(), value.into());
        self
    }

    /// Whether a tool is exported strictly: by these options, else by the tool's own option.
    pub fn is_strict(&self, definition: &ToolDefinition) -> bool {
        self.strict.unwrap_or(definition.strict)
    }

    /// Whether an export may widen or narrow what a dialect cannot express.
    pub fn is_lossy(&self) -> bool {
        self.lossy
    }

    /// Splits the options: with only this custom field, and with all others.
    pub(super) fn split(self, field: &str) -> (Self, Self) {
        let (one, others) = self.fields.clone().into_iter().partition(|(name, _)| name == field);
        (Self { fields: one, ..self.clone() }, Self { fields: others, ..self })
    }

    pub(super) fn has_fields(&self) -> bool {
        !self.fields.is_empty()
    }

    /// Adds the custom fields to an object with these reserved names.
    pub(super) fn add_fields(
        &self,
        form: &mut Map<String, Value>,
        reserved: &[&str],
        site: &Site<'_>,
    ) -> Result<(), ExportError> {
        for (field, value) in &self.fields {
            if reserved.contains(&field.as_str()) || form.contains_key(field) {
                return Err(ExportError::ReservedField {
                    tool: site.tool.to_owned(),
                    provider: site.provider,
                    field: field.clone(),
                });
            }
            form.insert(field.clone(), value.clone());
        }
        Ok(())
    }
}
