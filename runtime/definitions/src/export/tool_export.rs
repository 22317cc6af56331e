//! Building blocks for exports.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::decoded::decoded;
use super::dialect::Dialect;
use super::error::{ExportError, Provider, Site};
use super::options::ExportOptions;
use super::root::plain_object;
use super::strict_rewrite::{plain_root, strict};
use crate::definition::{NameProblem, ToolDefinition, wire_name};
use crate::text::short;

/// An export of a tool in progress: the parts from which an implementation of [`ToolForm`](super::ToolForm)
/// builds its form. The exports for OpenAI and Anthropic use it.
///
/// ```
/// use onionskin::export::{ExportOptions, Provider, ToolExport};
/// use onionskin::tool;
/// use serde_json::json;
///
/// /// Adds one.
/// #[tool]
/// fn add_one(x: i64) -> i64 {
///     x + 1
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (spec, options) = (add_one::spec(), ExportOptions::default());
/// let export = ToolExport::new(Provider::new("acme"), spec.definition(), &options);
/// let form = json!({ "title": export.name()?, "about": export.description(), "takes": export.schema()? });
/// assert_eq!(form["title"], "add_one");
/// # Ok(())
/// # }
/// ```
pub struct ToolExport<'a> {
    definition: &'a ToolDefinition,
    options: &'a ExportOptions,
    pub(super) site: Site<'a>,
}

impl<'a> ToolExport<'a> {
    /// Starts the export of a tool for a provider.
    pub fn new(provider: Provider, definition: &'a ToolDefinition, options: &'a ExportOptions) -> Self {
        Self { definition, options, site: Site::new(&definition.name, provider, options.is_lossy()) }
    }

    /// The tool's name as the model sees it, in the characters that providers accept: `[A-Za-z0-9_-]{1,64}`.
    ///
    /// # Errors
    /// Returns an error if providers reject the name.
    pub fn name(&self) -> Result<Cow<'a, str>, ExportError> {
        self.own_name().map(wire_name)
    }

    /// The tool's own name, or the error that building an agent would report.
    pub(super) fn own_name(&self) -> Result<&'a str, ExportError> {
        match NameProblem::unless_of_server(&self.definition.name, self.definition.is_of_server) {
            None => Ok(&self.definition.name),
            Some(problem) => Err(ExportError::ToolName {
                tool: short(&self.definition.name, 100).into_owned(),
                provider: self.site.provider,
                problem,
            }),
        }
    }

    /// The tool's description for the model.
    pub fn description(&self) -> &'a str {
        &self.definition.description
    }

    /// Whether the options or the tool itself request the provider's strict dialect.
    pub fn is_strict(&self) -> bool {
        self.options.is_strict(self.definition)
    }

    /// The schema of the arguments, unchanged except that `unevaluatedProperties: false`, which decoders do
    /// not support, is removed. Its root is an object without a union; with [`lossy`](ExportOptions::lossy),
    /// a union at the root becomes one object with the properties of all its options.
    ///
    /// # Errors
    /// Returns an error for any other root.
    pub fn schema(&self) -> Result<Value, ExportError> {
        if self.site.lossy {
            return plain_object(&self.site, &self.definition.input_schema).map(Value::Object);
        }
        let root = decoded(&self.definition.input_schema);
        plain_root(&self.site, root.as_object().unwrap_or(&Map::new()))?;
        Ok(root)
    }

    /// The schema of the arguments in a strict dialect.
    ///
    /// # Errors
    /// Returns an error if the dialect cannot express a part of the schema.
    pub fn strict_schema(&self, dialect: &Dialect) -> Result<Value, ExportError> {
        strict(&self.site, dialect, &self.definition.input_schema)
    }

    /// Adds the custom fields of the options to an object of the form. `reserved` are the names that the form
    /// itself may use.
    ///
    /// # Errors
    /// Returns an error if a custom field has a reserved name or the name of a field in `form`.
    pub fn add_fields(&self, form: &mut Map<String, Value>, reserved: &[&str]) -> Result<(), ExportError> {
        self.options.add_fields(form, reserved, &self.site)
    }

    /// The error for a part of the schema that the form cannot express. `path` is a JSON path in the
    /// arguments (`$.filter.tags[*]`), `reason` follows it in the text (``is a union``), and `next` is advice
    /// for the developer.
    pub fn refuse(&self, path: &str, reason: impl Into<String>, next: &'static str) -> ExportError {
        self.site.refuse(path, reason, next)
    }

    /// The error for a tool that exceeds a limit of the provider: it has `found` of `what`, and at most
    /// `most` are accepted. `next` is advice for the developer.
    pub fn exceeds(&self, what: &'static str, found: usize, most: usize, next: &'static str) -> ExportError {
        let subject = format!("the tool `{}`", self.definition.name);
        ExportError::Limit { subject, provider: self.site.provider, what, found, most, next }
    }
}
