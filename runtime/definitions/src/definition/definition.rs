//! The definition of a tool: the model's view of it, and its options.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::contradictions::assert_sound;
use super::example::{ExampleError, ToolExample};
use super::param::Param;
use super::run_change::RunChange;
use super::schema;
use super::ui_tool::{UiMode, UiTool};
use crate::requirements::ServiceTypes;
use crate::schema::{has_forms, has_limits, mistake};
use crate::secret::{Redact, Redactor};

/// Whether a call that may have taken effect can be repeated, after a crash or by a retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// The tool changes nothing, so a call can be repeated.
    Pure,
    /// Two runs of the tool with the same `IdempotencyKey` have the effect of one, so a
    /// call can be repeated.
    Idempotent,
    /// The effect must not occur twice, so nothing repeats the call without a person's decision. A retry hook does not
    /// repeat it. A replay from a `Journal` returns an error of kind
    /// [`InDoubt`](crate::ErrorKind::InDoubt) if the earlier run ended while the tool ran.
    Once,
    /// The tool does not say. No hook repeats its calls, because they may send or pay. A replay from a
    /// `Journal` makes a call that is not on record again, with the same
    /// `IdempotencyKey`. The default.
    #[default]
    Unstated,
}

impl Effect {
    /// Why no hook repeats a call, as the end of a sentence about the tool.
    pub fn why_not_repeated(self) -> &'static str {
        match self {
            Self::Once => {
                "which must not take effect twice: remove it from the filter, or the hook from the tool"
            }
            Self::Unstated => {
                "which does not say whether a second call is safe: write `effect = pure`, `effect = idempotent` or `effect = once` at the tool"
            }
            Self::Pure | Self::Idempotent => "which may be repeated",
        }
    }

    /// Whether a call may change something.
    pub const fn may_act(self) -> bool {
        match self {
            Self::Pure => false,
            Self::Idempotent | Self::Once | Self::Unstated => true,
        }
    }

    /// Whether a hook may repeat a call after an error: the tool says that it changes nothing, or that two runs have the effect of one.
    ///
    /// ```
    /// use onionskin::Effect;
    ///
    /// assert!(Effect::Pure.is_repeatable() && Effect::Idempotent.is_repeatable());
    /// assert!(!Effect::Once.is_repeatable() && !Effect::Unstated.is_repeatable());
    /// ```
    #[must_use]
    pub const fn is_repeatable(self) -> bool {
        match self {
            Self::Pure | Self::Idempotent => true,
            Self::Once | Self::Unstated => false,
        }
    }
}

/// What the calls of a tool, or the runs of an agent, may ask a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Asks {
    #[default]
    /// Nothing.
    Nothing,
    /// Whether a call may run.
    Approval,
    /// Questions of other kinds too.
    More,
}

/// Hints about a tool's behaviour, as MCP's `ToolAnnotations`
/// (<https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations>). Clients must not rely on them.
/// `None` gives no hint.
///
/// ```
/// use onionskin::tool;
///
/// /// Looks a word up.
/// #[tool(annotations(read_only, open_world = false))]
/// fn look_up(word: &str) -> String {
///     format!("{word}: a word")
/// }
///
/// let hints = look_up::spec().definition().annotations;
/// assert_eq!((hints.read_only, hints.open_world, hints.destructive), (Some(true), Some(false), None));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Annotations {
    /// The tool changes nothing.
    #[serde(default, rename = "readOnlyHint", skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// The tool may destroy data.
    #[serde(default, rename = "destructiveHint", skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// Repeated calls with the same arguments have no further effect.
    #[serde(default, rename = "idempotentHint", skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// The tool interacts with external entities.
    #[serde(default, rename = "openWorldHint", skip_serializing_if = "Option::is_none")]
    pub open_world: Option<bool>,
}

impl Annotations {
    /// No hints.
    pub const NONE: Self = Self { read_only: None, destructive: None, idempotent: None, open_world: None };
}

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
    /// Metadata for clients, as MCP's `_meta`. The model does not get it.
    pub meta: Option<Arc<Value>>,
    /// Whether a call may be repeated, and how.
    pub effect: Effect,
    /// Whether the run ends with the result of this tool. An error of the tool does not end it.
    pub stop_after: bool,
    /// The maximum number of calls in one run that start the tool; `None` for no limit. Further calls are tool errors of kind
    /// [`Limit`](crate::ErrorKind::Limit). A call that was refused, had wrong arguments or was answered by a cache or a hook does not
    /// count. A call whose tool is started again, for example by a retry, counts once.
    pub max_calls: Option<u32>,
    /// The maximum time of one attempt of the tool itself, without hooks, approval and cache; `None` for no limit. Then
    /// the call ends with a tool error of kind [`Timeout`](crate::ErrorKind::Timeout). It needs a tokio runtime with
    /// timers.
    pub timeout: Option<Duration>,
    /// Whether exports are strict by default.
    #[doc(hidden)]
    pub strict: bool,
    /// Examples of calls.
    pub examples: Arc<[ToolExample]>,
    /// Whether a value that its type reads can break `input_schema`: the schema has limits, nested fields, or texts that name variants.
    /// Computed once.
    pub(super) held: bool,
    /// Whether the tool gets secrets, which must not be in its output.
    #[doc(hidden)]
    pub has_secrets: bool,
    /// Whether its function is started inside its declared hooks or stages.
    #[doc(hidden)]
    pub starts_inside: bool,
    /// What a call may ask a person.
    #[doc(hidden)]
    pub asks: Asks,
    /// The component that it shows.
    #[doc(hidden)]
    pub ui: Option<UiTool>,
    /// Whether it is a tool of a server, which chose its name and fills in its own defaults.
    #[doc(hidden)]
    pub is_of_server: bool,
    /// Whether the tool is a built-in one, also where it is added as any other.
    #[doc(hidden)]
    pub is_built_in: bool,
    /// The services that the tool takes, with those of its own hooks and guardrails.
    #[doc(hidden)]
    pub services: ServiceTypes,
    /// The change for each run, if any.
    pub(super) run_change: Option<RunChange>,
    /// The parameters, if `#[tool]` made the definition.
    pub(super) params: &'static [Param],
}

impl ToolDefinition {
    /// Says that the tool may ask a person (`ToolContext::ask`), as `#[tool(asks)]` does. A run with such a
    /// tool keeps the results of its steps, so that it can pause.
    #[must_use]
    pub fn asks(mut self) -> Self {
        self.asks = Asks::More;
        self
    }

    /// Sets the component that the tool shows to a person (`ToolContext::ui`), as
    /// `#[ui_tool]` does. The tool [asks](Self::asks) then.
    #[must_use]
    pub fn with_component(mut self, component: impl Into<Cow<'static, str>>, mode: UiMode) -> Self {
        self.ui = Some(UiTool { component: component.into(), mode });
        self.asks()
    }

    /// The component that it shows to a person, if it is a UI tool.
    pub fn component(&self) -> Option<&str> {
        self.ui.as_ref().map(|ui| &*ui.component)
    }

    /// Makes a definition without options, whose arguments can be any JSON object; [`Self::with_input_schema`]
    /// describes them. The effect is [`Effect::Unstated`], and there are no limits. With a name that providers reject,
    /// an agent is not built (`BuildError::ToolName`) and the tool is not exported
    /// ([`ExportError::ToolName`](crate::export::ExportError::ToolName)).
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
            starts_inside: false,
            asks: Asks::Nothing,
            ui: None,
            is_of_server: false,
            is_built_in: false,
            services: ServiceTypes::default(),
            run_change: None,
            params: &[],
        }
    }

    /// Sets the schema of the arguments, which is that of an object: `"type": "object"`. With another one
    /// (`BuildError::InputSchema`), or with a part that no check can use
    /// (`BuildError::SchemaMistake`), an agent is not built.
    #[must_use]
    pub fn with_input_schema(mut self, schema: Value) -> Self {
        self.held = is_held(&schema);
        self.input_schema = Arc::new(schema);
        self
    }

    /// Makes the tool a built-in one, for crates of built-in tools: its source is [`ToolSource::Runtime`](super::ToolSource::Runtime), however it
    /// is added to an agent, so filters of hooks see it as they see `shell.execute`.
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

    /// Declares that the tool takes a service of this type. `#[tool]` declares the `Provided` parameters
    /// of its function; a hand-written tool that calls `ToolContext::provided` declares the
    /// type here. An agent that has the tool and lacks the service is not built
    /// (`BuildError::NoService`).
    #[must_use]
    pub fn takes_service<T: ?Sized + 'static>(mut self) -> Self {
        self.services.add::<T>();
        self
    }

    /// As [`Self::takes_service`], for a service that can be missing.
    #[must_use]
    pub fn may_take_service<T: ?Sized + 'static>(mut self) -> Self {
        self.services.add_optional::<T>();
        self
    }

    /// The services that the tool takes, with those of its own hooks and guardrails.
    pub fn services(&self) -> &ServiceTypes {
        &self.services
    }

    /// The names of the parameters in the schema, in its order. If JSON objects are not ordered, the order is that of
    /// the function, else required parameters come first.
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

/// The static definition that `#[tool]` generates. It is converted to a [`ToolDefinition`] on first use.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each says one thing, and any of them may be set")]
pub struct StaticTool {
    /// The tool's name.
    pub name: &'static str,
    /// A title for people.
    pub title: Option<&'static str>,
    /// The description for the model.
    pub description: &'static str,
    /// Text for the system prompt.
    pub instructions: Option<&'static str>,
    /// The parameters that the model fills.
    pub params: &'static [Param],
    /// The schema of the result, wrapped if the result is not an object.
    pub output_schema: fn() -> Option<Value>,
    /// Hints for clients.
    pub annotations: Annotations,
    /// The description of the result, added to its schema.
    pub returns: &'static str,
    /// Metadata for clients.
    pub meta: Option<fn() -> Option<Value>>,
    /// Whether a call may be repeated, and how.
    pub effect: Effect,
    /// Whether the run ends with this tool's result.
    pub stop_after: bool,
    /// The maximum number of calls in one run.
    pub max_calls: Option<u32>,
    /// The maximum time of one attempt.
    pub timeout: Option<Duration>,
    /// Whether the tool gets secrets.
    pub has_secrets: bool,
    /// Whether the tool has its own hooks or stages.
    pub starts_inside: bool,
    /// What a call may ask a person.
    pub asks: Asks,
    /// The component that it shows, and where.
    pub ui: Option<(&'static str, UiMode)>,
    /// Whether exports are strict by default.
    pub strict: bool,
    /// Examples of calls.
    pub examples: Option<fn() -> Vec<ToolExample>>,
    /// Lists the services that the tool takes.
    pub services: fn(&mut ServiceTypes),
}

impl StaticTool {
    /// A definition with empty fields.
    pub const EMPTY: Self = Self {
        name: "",
        title: None,
        description: "",
        instructions: None,
        params: &[],
        output_schema: || None,
        annotations: Annotations::NONE,
        returns: "",
        meta: None,
        effect: Effect::Unstated,
        stop_after: false,
        max_calls: None,
        timeout: None,
        has_secrets: false,
        starts_inside: false,
        asks: Asks::Nothing,
        ui: None,
        strict: false,
        examples: None,
        services: |_| {},
    };

    /// Builds the definition with its schemas.
    ///
    /// # Panics
    /// Panics if the limits of a parameter contradict its type, its default or its example.
    pub fn define(&self) -> ToolDefinition {
        let input_schema = schema::input_schema(self.name, self.params);
        assert_sound(self.name, self.params, &input_schema);
        let mut services = ServiceTypes::default();
        (self.services)(&mut services);
        let mut output_schema = (self.output_schema)();
        if let Some(Value::Object(schema)) = &mut output_schema
            && !self.returns.is_empty()
        {
            schema.insert("description".into(), self.returns.into());
        }
        ToolDefinition {
            held: is_held(&input_schema),
            params: self.params,
            name: self.name.into(),
            title: self.title.map(Into::into),
            description: self.description.into(),
            instructions: self.instructions.map(Into::into),
            input_schema: Arc::new(input_schema),
            output_schema: output_schema.map(Arc::new),
            annotations: self.annotations,
            meta: self.meta.and_then(|meta| meta()).map(Arc::new),
            effect: self.effect,
            stop_after: self.stop_after,
            max_calls: self.max_calls,
            timeout: self.timeout,
            has_secrets: self.has_secrets,
            starts_inside: self.starts_inside,
            asks: self.asks,
            ui: self.ui.map(|(component, mode)| UiTool { component: component.into(), mode }),
            is_of_server: false,
            is_built_in: false,
            services,
            run_change: None,
            strict: self.strict,
            examples: self.examples.map(|examples| examples().into()).unwrap_or_default(),
        }
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

/// A tool's definition, built on first use. All tools share one type, so that the code is compiled once.
#[derive(Debug)]
pub struct Defined {
    definition: OnceLock<ToolDefinition>,
    tool: StaticTool,
}

impl Defined {
    /// The definition of a tool that is not built yet.
    pub const fn new(tool: StaticTool) -> Self {
        Self { definition: OnceLock::new(), tool }
    }

    /// The definition, built on first use.
    #[inline]
    pub fn get(&self) -> &ToolDefinition {
        match self.definition.get() {
            Some(definition) => definition,
            None => self.define(),
        }
    }

    #[cold]
    fn define(&self) -> &ToolDefinition {
        self.definition.get_or_init(|| self.tool.define())
    }
}

fn is_held(input_schema: &Value) -> bool {
    has_limits(input_schema)
        || input_schema["properties"].as_object().is_some_and(|all| all.values().any(has_forms))
}

/// The name of a tool as models see it, in the characters that providers accept, `[A-Za-z0-9_-]{1,64}`: other characters become `_`, and a
/// longer name ends with a hash of the whole name. It is the same in every program and every release.
///
/// ```
/// use onionskin_definitions::definition::wire_name;
/// assert_eq!(wire_name("files__delete.file"), "files__delete_file");
/// assert_eq!(wire_name(&"x".repeat(100)).len(), 64);
/// ```
pub fn wire_name(name: &str) -> Cow<'_, str> {
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.len() <= 64 && name.chars().all(legal) {
        return Cow::Borrowed(name);
    }
    let mut wire: String = name.chars().map(|c| if legal(c) { c } else { '_' }).collect();
    if wire.len() > 64 {
        // FNV-1a: a hasher of the standard library may change.
        let hash = name
            .bytes()
            .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        wire.truncate(55);
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
    /// The limit that is zero, if any: no call could succeed.
    pub fn zero(&self) -> Option<&'static str> {
        if self.timeout == Some(Duration::ZERO) {
            return Some("timeout");
        }
        (self.max_calls == Some(0)).then_some("max_calls")
    }

    /// The type in the schema of the arguments, if it is not an object's.
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
