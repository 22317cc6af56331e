//! Options of requests: the choice of tools, and the schema of the answer.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use onionskin_definitions::definition::{
    NameProblem, ObjectSchema, ToolDefinition, object_schema, wire_name,
};
use onionskin_definitions::export::{Dialect, ExportError, ExportOptions, Provider, ToolExport};
use onionskin_definitions::secret::{Redact, Redactor};
use onionskin_definitions::text::nearest;

/// Whether the model may, must or must not call tools.
///
/// ```
/// use onionskin::model::ToolChoice;
/// use onionskin::{agent, tool};
///
/// /// Searches the catalogue.
/// #[tool]
/// fn search(words: &str) -> String {
///     format!("nothing about {words}")
/// }
///
/// agent! {
///     Librarian {
///         instruction: "Answer from the catalogue.",
///         function_tools: [search],
///         request_params: { tool_choice: ToolChoice::tool("search") },
///     }
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// The model calls no tool.
    None,
    /// The model calls at least one tool.
    Required,
    /// The model calls this tool. In a [`ModelRequest`](super::ModelRequest), this is the name that the model
    /// sees.
    Tool(Arc<str>),
}

impl ToolChoice {
    /// The model calls the tool with this name.
    pub fn tool(name: impl Into<Arc<str>>) -> Self {
        Self::Tool(name.into())
    }

    pub(super) fn is_auto(&self) -> bool {
        *self == Self::Auto
    }

    /// The choice for turns after the first one. A model that must call a tool in each turn would never
    /// finish.
    pub(crate) fn later(self) -> Self {
        match self {
            Self::Required | Self::Tool(_) => Self::Auto,
            Self::Auto | Self::None => self,
        }
    }
}

/// The reason why a [`ToolChoice`] is impossible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolChoiceError {
    /// The model must call a tool, but has none.
    #[error("`tool_choice` is `required`, but there are no tools; remove it, or add a tool")]
    NoTools,
    /// The model must call a tool that it does not have.
    #[error("`tool_choice` names the tool `{tool}`, which is not among the tools{near}")]
    #[non_exhaustive]
    UnknownTool {
        /// The tool.
        tool: String,
        /// The most similar name, as a question; empty if no name is similar.
        near: String,
    },
}

/// A JSON Schema that the text of the answer must fit.
///
/// The provider's rules for such schemas apply; for example, some need all properties in `required`. An
/// answer with tool calls need not fit.
///
/// ```
/// use onionskin::model::{RequestParams, ResponseSchema};
/// use serde_json::json;
///
/// # fn main() -> Result<(), onionskin::model::ResponseSchemaError> {
/// let schema = json!({
///     "type": "object",
///     "properties": { "degrees": { "type": "integer" } },
///     "required": ["degrees"],
///     "additionalProperties": false,
/// });
/// let mut params = RequestParams::default();
/// params.response_schema = Some(ResponseSchema::new("weather", schema)?);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Fields")]
pub struct ResponseSchema {
    name: Arc<str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<Arc<str>>,
    schema: Arc<Value>,
    /// Whether the answer is the object's property `result`.
    #[serde(skip)]
    is_wrapped: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    name: Arc<str>,
    description: Option<Arc<str>>,
    schema: Value,
}

impl TryFrom<Fields> for ResponseSchema {
    type Error = ResponseSchemaError;

    fn try_from(Fields { name, description, schema }: Fields) -> Result<Self, ResponseSchemaError> {
        Ok(Self { description, ..Self::new(name, schema)? })
    }
}

impl ResponseSchema {
    /// The property that wraps an answer that is not an object.
    pub const RESULT: &'static str = "result";

    /// Creates a schema. The name consists of letters A to Z, digits, `_` and `-`. It is for the provider,
    /// and some models read it.
    ///
    /// # Errors
    /// Returns an error if providers do not accept the name, or if the schema is not that of an object.
    pub fn new(name: impl Into<Arc<str>>, schema: Value) -> Result<Self, ResponseSchemaError> {
        let name = name.into();
        let dot = || name.contains('.').then_some(NameProblem::Character('.'));
        if let Some(problem) = NameProblem::for_tool(&name).or_else(dot) {
            return Err(ResponseSchemaError::Name { name: name.to_string(), problem });
        }
        if schema["type"] != "object" {
            return Err(ResponseSchemaError::NoObject { name: name.to_string() });
        }
        Ok(Self { name, description: None, schema: Arc::new(schema), is_wrapped: false })
    }

    /// The schema of a type, with the type's name and description. A type that is not an object is wrapped as
    /// the property `result` of one, because providers need an object. [`Self::in_dialect`] applies the rules
    /// of a provider.
    ///
    /// To request a typed answer from an agent, use `RunRequest::run_as`, which chooses the rules and parses
    /// the answer. This method is for hand-written loops and for implementations of models.
    ///
    /// ```
    /// use onionskin::export::Dialect;
    /// use onionskin::model::ResponseSchema;
    ///
    /// #[derive(schemars::JsonSchema)]
    /// struct Weather {
    ///     degrees: Option<i64>,
    /// }
    ///
    /// let schema = ResponseSchema::from_type::<Weather>();
    /// assert_eq!(schema.name(), "Weather");
    /// assert!(schema.schema().get("required").is_none());
    /// let strict = schema.in_dialect(&Dialect::OPENAI).unwrap();
    /// assert_eq!(strict.schema()["required"][0], "degrees");
    /// ```
    pub fn from_type<T: JsonSchema + 'static>() -> Self {
        let ObjectSchema { schema, description, is_wrapped } = object_schema::<T>(Self::RESULT);
        let name = match wire_name(&T::schema_name()) {
            name if name.is_empty() => "answer".into(),
            name => Arc::from(name),
        };
        Self { name, description: description.map(Into::into), schema: Arc::new(schema), is_wrapped }
    }

    /// The same schema in the strict dialect of a provider.
    ///
    /// # Errors
    /// Returns an error if the dialect cannot express a part of the schema.
    pub fn in_dialect(&self, dialect: &Dialect) -> Result<Self, ExportError> {
        let definition = ToolDefinition::new(&self.name, "").with_input_schema((*self.schema).clone());
        let options = ExportOptions::new();
        let schema = ToolExport::new(Provider::PLAIN, &definition, &options).strict_schema(dialect)?;
        Ok(Self { schema: Arc::new(schema), ..self.clone() })
    }

    /// Sets the description, which the model sees if the provider passes it on.
    #[must_use]
    pub fn with_description(mut self, text: impl Into<Arc<str>>) -> Self {
        self.description = Some(text.into());
        self
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The description.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// The schema.
    pub fn schema(&self) -> &Value {
        &self.schema
    }
}

impl Redact for ResponseSchema {
    fn redact(&mut self, redactor: &Redactor) {
        // Keep to the characters that providers accept.
        if let Cow::Owned(redacted) = redactor.redact(&*self.name) {
            self.name = wire_name(&redacted).into();
        }
        self.description.redact(redactor);
        self.schema.redact(redactor);
    }
}

/// The reason why a [`ResponseSchema`] is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResponseSchemaError {
    /// Providers do not accept the name.
    #[error("`{name}` cannot be the name of a response schema: {problem}")]
    #[non_exhaustive]
    Name {
        /// The name.
        name: String,
        /// The mistake in it.
        problem: NameProblem,
    },
    /// The schema is not that of an object.
    #[error(
        "the response schema `{name}` is not that of an object, which providers want: write `\"type\": \"object\"` at its top, \
         and put another value into a property"
    )]
    #[non_exhaustive]
    NoObject {
        /// The name.
        name: String,
    },
}

/// A part of a request that not every model supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RequestOption {
    /// [`RequestParams::tool_choice`](super::RequestParams::tool_choice), if it is not [`ToolChoice::Auto`].
    ToolChoice,
    /// [`RequestParams::response_schema`](super::RequestParams::response_schema).
    ResponseSchema,
    /// [`RequestParams::extra_body`](super::RequestParams::extra_body).
    ExtraBody,
    /// [`RequestParams::stop_sequences`](super::RequestParams::stop_sequences).
    StopSequences,
    /// [`RequestParams::seed`](super::RequestParams::seed).
    Seed,
    /// [`RequestParams::reasoning_effort`](super::RequestParams::reasoning_effort).
    ReasoningEffort,
    /// [`RequestParams::verbosity`](super::RequestParams::verbosity).
    Verbosity,
    /// [`RequestParams::service_tier`](super::RequestParams::service_tier).
    ServiceTier,
    /// [`RequestParams::parallel_tool_calls`](super::RequestParams::parallel_tool_calls).
    ParallelToolCalls,
}

/// The name of the field.
impl fmt::Display for RequestOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ToolChoice => "tool_choice",
            Self::ResponseSchema => "response_schema",
            Self::ExtraBody => "extra_body",
            Self::StopSequences => "stop_sequences",
            Self::Seed => "seed",
            Self::ReasoningEffort => "reasoning_effort",
            Self::Verbosity => "verbosity",
            Self::ServiceTier => "service_tier",
            Self::ParallelToolCalls => "parallel_tool_calls",
        })
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl ToolChoice {
    /// Requires a call: of the tool `answer` if the model must call no other tool.
    pub fn require_call(&mut self, answer: &Arc<str>) {
        match self {
            Self::Auto => *self = Self::Required,
            Self::None => *self = Self::Tool(Arc::clone(answer)),
            Self::Required | Self::Tool(_) => {}
        }
    }

    /// Resolves the choice for a request with these tools. Each tool has a name for hooks and a name for the
    /// model.
    pub fn among<'t>(
        self,
        tools: impl Iterator<Item = (&'t Arc<str>, &'t Arc<str>)> + Clone,
    ) -> Result<Self, ToolChoiceError> {
        match self {
            Self::Auto => Ok(self),
            Self::None | Self::Required if tools.clone().next().is_some() => Ok(self),
            // Providers refuse a choice without tools.
            Self::None => Ok(Self::Auto),
            Self::Required => Err(ToolChoiceError::NoTools),
            Self::Tool(tool) => {
                let found = tools.clone().find(|(name, wire_name)| **name == tool || **wire_name == tool);
                let near = || nearest(&tool, tools.map(|(name, _)| &**name));
                match found {
                    Some((_, wire_name)) => Ok(Self::Tool(Arc::clone(wire_name))),
                    None => Err(ToolChoiceError::UnknownTool {
                        near: near().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default(),
                        tool: tool.to_string(),
                    }),
                }
            }
        }
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl ResponseSchema {
    /// Whether the answer is the object's property `result`.
    pub fn is_wrapped(&self) -> bool {
        self.is_wrapped
    }
}
