//! Changes of a tool's visible form.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

use super::error::SpecError;
use super::param_changes::{Fill, ParamChanges, fits};
use super::toolspec::ToolSpec;
use onionskin_definitions::definition::NameProblem;
use onionskin_definitions::setters;
use onionskin_definitions::text::short;

/// Changes of a tool, for [`ToolSpec::transform`]. Parameters are named by their names before the transform.
/// ```
/// use onionskin::spec::Transform;
/// use onionskin::{call, tool};
///
/// /// Converts an amount.
/// #[tool]
/// fn convert(cents: u32, currency: &str) -> String {
///     format!("{cents} cents in {currency}")
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let changes = Transform::new().name("in_euros").hide("currency", "EUR").rename("cents", "amount");
/// let mut in_euros = convert::spec();
/// in_euros.transform(changes).unwrap();
/// assert_eq!(call!(in_euros, amount = 5).await.unwrap(), "5 cents in EUR");
/// # });
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "a transform does nothing until a tool takes it"]
pub struct Transform {
    name: Option<String>,
    description: Option<String>,
    params: Vec<(String, Step)>,
}

#[derive(Clone)]
enum Step {
    Rename(String),
    Hide(Value),
    Default(Value),
    Describe(String),
}

/// Omits values, because a hidden value may be a secret.
impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rename(name) => f.debug_tuple("Rename").field(name).finish(),
            Self::Hide(_) => f.write_str("Hide(..)"),
            Self::Default(_) => f.write_str("Default(..)"),
            Self::Describe(text) => f.debug_tuple("Describe").field(text).finish(),
        }
    }
}

impl Transform {
    /// Creates a transform without changes.
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Changes the tool's name.
        name(name: impl Into<String>) => name = Some(name.into());

        /// Changes the tool's description.
        description(text: impl Into<String>) => description = Some(text.into());
    }

    /// Changes a parameter's name.
    pub fn rename(self, param: impl Into<String>, name: impl Into<String>) -> Self {
        self.step(param, Step::Rename(name.into()))
    }

    /// Hides a parameter and sets its value for all calls. Callers do not see it; the tool's declared hooks,
    /// guardrails, approval and cache do. Use [`ToolSpec::bind`] for a secret.
    pub fn hide(self, param: impl Into<String>, value: impl Into<Value>) -> Self {
        self.step(param, Step::Hide(value.into()))
    }

    /// Makes a parameter optional, with this value as its default.
    pub fn default_value(self, param: impl Into<String>, value: impl Into<Value>) -> Self {
        self.step(param, Step::Default(value.into()))
    }

    /// Changes a parameter's description.
    pub fn describe(self, param: impl Into<String>, text: impl Into<String>) -> Self {
        self.step(param, Step::Describe(text.into()))
    }

    fn step(mut self, param: impl Into<String>, step: Step) -> Self {
        self.params.push((param.into(), step));
        self
    }
}

impl ToolSpec {
    /// Changes the visible form of the tool: names, descriptions, hidden values and defaults. The model's
    /// arguments are converted back after all hooks, before the tool runs. Errors use the names that the
    /// model knows.
    ///
    /// ```
    /// use onionskin::{spec::Transform, tool};
    /// use serde_json::json;
    ///
    /// /// Searches everything.
    /// #[tool]
    /// fn search(query: &str, limit: u32, index: &str) -> String {
    ///     format!("{limit} of {query} in {index}")
    /// }
    ///
    /// let mut spec = search::spec();
    /// spec.transform(
    ///     Transform::new()
    ///         .name("find_book")
    ///         .description("Finds books.")
    ///         .rename("query", "title")
    ///         .describe("query", "A part of the title.")
    ///         .hide("index", "books")
    ///         .default_value("limit", 5),
    /// )
    /// .unwrap();
    /// assert_eq!(spec.input_schema()["required"], json!(["title"]));
    /// let found: String = spec.call_as_blocking(json!({ "title": "Emma" })).unwrap();
    /// assert_eq!(found, "5 of Emma in books");
    /// ```
    ///
    /// # Errors
    /// Returns an error if the tool has no such parameter, if the parameter is bound, if two parameters would
    /// have the same name, if providers reject a name, or if a value does not fit its parameter. The tool is
    /// then unchanged.
    pub fn transform(&mut self, transform: Transform) -> Result<&mut Self, SpecError> {
        let tool = &self.definition.name;
        if let Some(name) = &transform.name
            && let Some(problem) = NameProblem::for_tool(name)
        {
            return Err(SpecError::ToolName { tool: tool.to_string(), name: shown(name), problem });
        }
        let schema = &*self.own.input_schema;
        let mut shape = ParamChanges::clone(&self.shape);
        for (param, step) in transform.params {
            let own = self.shape.find_visible(tool, schema, &param)?;
            match step {
                Step::Rename(name) => {
                    if let Some(problem) = NameProblem::for_parameter(&name) {
                        return Err(SpecError::ParameterName {
                            tool: tool.to_string(),
                            parameter: param,
                            name: shown(&name),
                            problem,
                        });
                    }
                    shape.change(own, |change| change.name = (name != own).then_some(name));
                }
                Step::Hide(value) => {
                    fits(tool, schema, own, &param, &value)?;
                    shape.change(own, |change| change.fill = Some(Fill::Hidden(value)));
                }
                Step::Default(value) => {
                    fits(tool, schema, own, &param, &value)?;
                    shape.change(own, |change| change.default = Some(value));
                }
                Step::Describe(text) => shape.change(own, |change| change.description = Some(text)),
            }
        }
        names_differ(tool, schema, &shape)?;
        self.reshape(|old| *old = shape);
        self.rename(transform.name, transform.description);
        Ok(self)
    }
}

/// A name for an error message.
fn shown(name: &str) -> String {
    short(name, 100).into_owned()
}

/// Checks that names differ. A bound parameter can become visible again, so its name counts; a hidden
/// parameter's name does not.
fn names_differ(tool: &str, schema: &Value, shape: &ParamChanges) -> Result<(), SpecError> {
    let mut names = BTreeSet::new();
    for own in schema["properties"].as_object().into_iter().flat_map(serde_json::Map::keys) {
        let name = shape.name(own);
        if !shape.is_hidden(own) && !names.insert(name) {
            return Err(SpecError::NameTaken { tool: tool.to_owned(), name: name.to_owned() });
        }
    }
    Ok(())
}
