//! The definition of a tool: the model's view of it, and its options.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use onionskin_vocabulary::LONGEST_TOOL_NAME;
use serde_json::{Value, json};

use super::behaviour::{Annotations, Asks, Effect, Layers};
use super::example::{ExampleError, ToolExample};
use super::param::Param;
use super::run_change::RunChange;
use super::ui_tool::{UiMode, UiTool};
use crate::requirements::ServiceTypes;
use crate::schema::{has_forms, has_limits, mistake};
use crate::secret::{Redact, Redactor};

/// The definition of a tool: the model's view of it, and its options. Cheap to clone.
///
/// ```
/// use onionskin::{Effect, ToolDefinition};
///
/// let mut pay = ToolDefinition::new("pay", "Pays.");
/// pay.effect = Effect::Once;
/// pay.max_calls = Some(1);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each says one thing, and any of them may be set")]
pub struct ToolDefinition {
    /// The tool's name.
    pub name: Arc<str>,
    /// A title for people. The model does not get it.
    pub title: Option<Arc<str>>,
    /// The description for the model.
    pub description: Arc<str>,
    /// Text for the system prompt of agents that have the tool.
    pub instructions: Option<Arc<str>>,
    /// The JSON Schema of the arguments.
    pub input_schema: Arc<Value>,
    /// The JSON Schema of the structured result.
    pub output_schema: Option<Arc<Value>>,
    /// Hints for clients.
    pub annotations: Annotations,
    /// Metadata for clients, as MCP's `_meta`: an object. The model does not get it.
    pub meta: Option<Arc<Value>>,
    /// Whether a call may be repeated, and how.
    pub effect: Effect,
    /// Whether the run ends with the result of this tool. An error of the tool does not end it.
    pub stop_after: bool,
    /// The maximum number of calls in one run that start the tool; `None` for no limit. Further calls are
    /// tool errors of kind [`Limit`](crate::ErrorKind::Limit). A call that was refused, had invalid
    /// arguments, or was answered by a cache or a hook does not count. A retried call counts once.
    pub max_calls: Option<u32>,
    /// The maximum duration of one attempt of the tool itself, without hooks, approval and cache; `None` for
    /// no limit. After it, the call ends with a tool error of kind [`Timeout`](crate::ErrorKind::Timeout). It
    /// needs a tokio runtime with timers.
    pub timeout: Option<Duration>,
    /// Whether exports are strict by default.
    #[doc(hidden)]
    pub strict: bool,
    /// Examples of calls.
    pub examples: Arc<[ToolExample]>,
    /// Whether `input_schema` can refuse a value that its type accepts, because of limits, nested fields or
    /// names of variants. Computed once.
    pub(super) held: bool,
    /// Whether the tool takes secrets, which must not appear in its output.
    #[doc(hidden)]
    pub has_secrets: bool,
    /// The declared hooks and stages around the function, if there are any.
    #[doc(hidden)]
    pub layers: Option<&'static Layers>,
    /// What a call may ask a person.
    #[doc(hidden)]
    pub asks: Asks,
    /// The component that the tool shows.
    #[doc(hidden)]
    pub ui: Option<UiTool>,
    /// Whether the tool belongs to a server, which chose the name and fills in defaults itself.
    #[doc(hidden)]
    pub is_of_server: bool,
    /// Whether the tool is a built-in one, however it is added to an agent.
    #[doc(hidden)]
    pub is_built_in: bool,
    /// The services that the tool and its own hooks and guardrails take.
    #[doc(hidden)]
    pub services: ServiceTypes,
    /// The change for each run, if any.
    pub(super) run_change: Option<RunChange>,
    /// The parameters, if `#[tool]` created the definition.
    pub(super) params: &'static [Param],
}

impl ToolDefinition {
    /// Declares that the tool may ask a person (`ToolContext::ask`), as `#[tool(asks)]` does. A run with such
    /// a tool records its steps, so that it can pause.
    #[must_use]
    pub fn asks(mut self) -> Self {
        self.asks = Asks::More;
        self
    }

    /// Sets the component that the tool shows to a person (`ToolContext::ui`), as `#[ui_tool]` does. This
    /// implies [`asks`](Self::asks).
    #[must_use]
    pub fn with_component(mut self, component: impl Into<Cow<'static, str>>, mode: UiMode) -> Self {
        let page = self.ui.take().and_then(|ui| ui.page);
        self.ui = Some(UiTool { component: component.into(), mode, page });
        self.asks()
    }

    /// Sets the page of the component, in HTML, as `html` of `#[ui_tool]` does: an MCP client with the extension for apps shows it
    /// with the arguments and the result of a call. Without a component it has no effect.
    #[must_use]
    pub fn with_page(mut self, html: impl Into<Cow<'static, str>>) -> Self {
        if let Some(ui) = &mut self.ui {
            ui.page = Some(html.into());
        }
        self
    }

    /// The page of the component, if it has one.
    pub fn page(&self) -> Option<&str> {
        self.ui.as_ref()?.page.as_deref()
    }

    /// The component that the tool shows to a person, if it is a UI tool.
    pub fn component(&self) -> Option<&str> {
        self.ui.as_ref().map(|ui| &*ui.component)
    }

    /// Creates a definition without options and limits, with the effect [`Effect::Unstated`]. The arguments
    /// can be any JSON object; [`Self::with_input_schema`] describes them. If providers reject the name,
    /// building an agent (`BuildError::ToolName`) and exporting the tool
    /// ([`ExportError::ToolName`](crate::export::ExportError::ToolName)) fail.
    pub fn new(name: impl AsRef<str>, description: impl AsRef<str>) -> Self {
        Self {
            name: name.as_ref().into(),
            title: None,
            description: description.as_ref().into(),
            instructions: None,
            input_schema: Arc::new(json!({ "type": "object" })),
            output_schema: None,
            annotations: Annotations::NONE,
            meta: None,
            effect: Effect::default(),
            stop_after: false,
            max_calls: None,
            timeout: None,
            strict: false,
            examples: Arc::default(),
            held: false,
            has_secrets: false,
            layers: None,
            asks: Asks::Nothing,
            ui: None,
            is_of_server: false,
            is_built_in: false,
            services: ServiceTypes::default(),
            run_change: None,
            params: &[],
        }
    }

    /// Sets the schema of the arguments, which must describe an object: `"type": "object"`. Building an agent
    /// fails with another schema, or with an invalid keyword (`BuildError::ToolDefinition`).
    #[must_use]
    pub fn with_input_schema(mut self, schema: Value) -> Self {
        self.held = is_held(&schema);
        self.input_schema = Arc::new(schema);
        self
    }

    /// Marks the tool as built-in, for crates of built-in tools: its source is
    /// [`ToolSource::Runtime`](super::ToolSource::Runtime), however it is added to an agent, so filters of
    /// hooks treat it like `shell.execute`.
    #[must_use]
    pub fn built_in(mut self) -> Self {
        self.is_built_in = true;
        self
    }

    /// Sets the schema of the structured result.
    #[must_use]
    pub fn with_output_schema(mut self, schema: Value) -> Self {
        self.output_schema = Some(Arc::new(schema));
        self
    }

    /// Declares that the tool takes a service of this type. `#[tool]` declares the `Provided` parameters of
    /// its function; a hand-written tool that calls `ToolContext::provided` declares the type here. Building
    /// an agent with the tool and without the service fails (`BuildError::NoService`).
    #[must_use]
    pub fn takes_service<T: ?Sized + 'static>(mut self) -> Self {
        self.services.add::<T>();
        self
    }

    /// As [`Self::takes_service`], for an optional service.
    #[must_use]
    pub fn may_take_service<T: ?Sized + 'static>(mut self) -> Self {
        self.services.add_optional::<T>();
        self
    }

    /// The services that the tool and its own hooks and guardrails take.
    pub fn services(&self) -> &ServiceTypes {
        &self.services
    }

    /// The names of the parameters in the order of the schema. If JSON objects are not ordered, they are in
    /// the order of the function, or required parameters come first.
    pub fn parameter_names(&self) -> Vec<&str> {
        let Some(properties) = self.input_schema["properties"].as_object() else { return Vec::new() };
        if cfg!(feature = "preserve_order") {
            return properties.keys().map(String::as_str).collect();
        }
        let required =
            self.input_schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let first = self.params.iter().map(|param| param.name).chain(required);
        let mut names: Vec<&str> = Vec::new();
        let mut seen = HashSet::new();
        for name in first.chain(properties.keys().map(String::as_str)) {
            if properties.contains_key(name) && seen.insert(name) {
                names.push(name);
            }
        }
        names
    }
}

impl ToolDefinition {
    /// Checks the examples against the schemas. Building an agent and exporting a tool call this method.
    ///
    /// # Errors
    /// Returns all problems of the first example that does not fit.
    pub fn check_examples(&self) -> Result<(), ExampleError> {
        let wrong = |(at, example): (usize, &ToolExample)| {
            Some((at + 1, example.problem(&self.input_schema, self.output_schema.as_deref())?))
        };
        match self.examples.iter().enumerate().find_map(wrong) {
            Some((number, problem)) => Err(ExampleError { tool: self.name.to_string(), number, problem }),
            None => Ok(()),
        }
    }

    /// The examples for exports; empty if one of them does not fit.
    pub(crate) fn fitting_examples(&self) -> &[ToolExample] {
        if self.check_examples().is_ok() { &self.examples } else { &[] }
    }
}

/// Whether the schema can refuse a value that its type accepts.
pub(super) fn is_held(input_schema: &Value) -> bool {
    has_limits(input_schema)
        || input_schema["properties"].as_object().is_some_and(|all| all.values().any(has_forms))
}

/// Returns the name of a tool as models see it, in the characters that providers accept,
/// `[A-Za-z0-9_-]{1,64}`: other characters become `_`, and a longer name ends with a hash of the whole name.
/// It is the same in all programs and releases.
///
/// ```
/// use onionskin_definitions::definition::wire_name;
/// assert_eq!(wire_name("files__delete.file"), "files__delete_file");
/// assert_eq!(wire_name(&"x".repeat(100)).len(), 64);
/// ```
pub fn wire_name(name: &str) -> Cow<'_, str> {
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.len() <= LONGEST_TOOL_NAME && name.chars().all(legal) {
        return Cow::Borrowed(name);
    }
    let mut wire: String = name.chars().map(|c| if legal(c) { c } else { '_' }).collect();
    if wire.len() > LONGEST_TOOL_NAME {
        // FNV-1a: a hasher of the standard library may change.
        let hash = name
            .bytes()
            .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        wire.truncate(LONGEST_TOOL_NAME - "_01234567".len());
        wire.push_str(&format!("_{hash:08x}"));
    }
    if wire.is_empty() {
        wire.push('_');
    }
    Cow::Owned(wire)
}

/// Names are not redacted, because calls refer to them.
impl Redact for ToolDefinition {
    fn redact(&mut self, redactor: &Redactor) {
        self.description.redact(redactor);
        self.title.redact(redactor);
        self.input_schema.redact(redactor);
        self.output_schema.redact(redactor);
        self.meta.redact(redactor);
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl ToolDefinition {
    /// The name of a limit that is zero, if any: no call could succeed.
    pub fn zero(&self) -> Option<&'static str> {
        if self.timeout == Some(Duration::ZERO) {
            return Some("timeout");
        }
        (self.max_calls == Some(0)).then_some("max_calls")
    }

    /// Why the schema of the arguments does not describe an object; `None` if it does.
    pub fn no_object(&self) -> Option<String> {
        match &self.input_schema["type"] {
            Value::String(kind) if kind == "object" => None,
            Value::Null => Some("it has no `type`".to_owned()),
            kind => Some(format!("its `type` is {kind}")),
        }
    }

    /// The first mistake in the schema of the arguments, if any.
    pub fn schema_mistake(&self) -> Option<String> {
        mistake(&self.input_schema)
    }
}
