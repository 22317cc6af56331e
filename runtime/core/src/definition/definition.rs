//! What a model is told about a tool, and how the runtime treats it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::example::ToolExample;
use super::limits::assert_sound;
use super::param::Param;
use super::schema;
use crate::schema::{Keys, has_forms, has_limits};
use crate::secret::{Redact, Redactor};

/// What happens to a call that may or may not have taken effect, after a crash or before a retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Effect {
    /// It changes nothing: run it again.
    Pure,
    /// Running it twice with the same idempotency key is as good as once. The default.
    #[default]
    Idempotent,
    /// It must not happen twice: nothing repeats it without a person. A retry hook does not, and a run that is replayed from a
    /// [`Journal`](crate::journal::Journal) gives an error of kind [`InDoubt`](crate::ErrorKind::InDoubt) where the earlier run ended while
    /// the tool was at work.
    Once,
}

/// Hints about a tool's behaviour, as MCP's `ToolAnnotations`
/// (<https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations>). Hints, not promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Annotations {
    /// It changes nothing.
    #[serde(default, rename = "readOnlyHint", skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// It may destroy something.
    #[serde(default, rename = "destructiveHint", skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// Calling it twice is as good as once.
    #[serde(default, rename = "idempotentHint", skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// It talks to an open world.
    #[serde(default, rename = "openWorldHint", skip_serializing_if = "Option::is_none")]
    pub open_world: Option<bool>,
}

impl Annotations {
    /// No hint.
    pub const NONE: Self = Self { read_only: None, destructive: None, idempotent: None, open_world: None };
}

/// What a model is told about a tool, and how the runtime treats it. Cheap to clone.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each says one thing, and any of them may be set")]
pub struct ToolDefinition {
    /// The name.
    pub name: Arc<str>,
    /// A name for people.
    pub title: Option<Arc<str>>,
    /// What the tool does: the model reads it.
    pub description: Arc<str>,
    /// Text for the system prompt of agents that have the tool.
    pub instructions: Option<Arc<str>>,
    /// The JSON Schema of the arguments.
    pub input_schema: Arc<Value>,
    /// The JSON Schema of the structured result.
    pub output_schema: Option<Arc<Value>>,
    /// Hints.
    pub annotations: Annotations,
    /// Data for clients, as MCP's `_meta`.
    pub meta: Option<Arc<Value>>,
    /// Whether a call may be repeated.
    pub effect: Effect,
    /// The run ends with this tool's result.
    pub stop_after: bool,
    /// How many calls one run may make.
    pub max_calls: Option<u32>,
    /// How long one attempt may take.
    pub timeout: Option<Duration>,
    /// Whether exports are strict by default.
    pub(crate) strict: bool,
    /// Examples of calls.
    pub examples: Arc<[ToolExample]>,
    /// Whether `input_schema` limits a value beyond its type; found once, not at every call.
    pub(super) limited: bool,
    /// Whether a parameter has keys within it, or texts that name variants.
    pub(super) nested: bool,
    /// What is known of the keys within each parameter; made when a call first has some.
    pub(super) keys: OnceLock<Arc<[Option<Keys>]>>,
    /// Whether it is given secrets, which must not come out again.
    pub(crate) has_secrets: bool,
    /// Whether its function is started inside of hooks or stages that it was declared with.
    pub(crate) starts_inside: bool,
    /// The parameters, if it was written by `#[tool]` or as one.
    pub(super) params: &'static [Param],
}

impl ToolDefinition {
    /// The bound that is zero, if one is: no call could end well.
    pub(crate) fn zero(&self) -> Option<&'static str> {
        if self.timeout == Some(Duration::ZERO) {
            return Some("timeout");
        }
        (self.max_calls == Some(0)).then_some("max_calls")
    }

    /// A tool that takes any object.
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
            limited: false,
            nested: false,
            keys: OnceLock::new(),
            has_secrets: false,
            starts_inside: false,
            params: &[],
        }
    }

    /// The same tool with this schema for its arguments.
    #[must_use]
    pub fn with_input_schema(mut self, schema: Value) -> Self {
        self.limited = has_limits(&schema);
        self.input_schema = Arc::new(schema);
        self
    }

    /// The same tool with this schema for its structured result.
    #[must_use]
    pub fn with_output_schema(mut self, schema: Value) -> Self {
        self.output_schema = Some(Arc::new(schema));
        self
    }

    /// What is known of the keys within a parameter, where any are refused.
    pub(super) fn keys(&self, index: usize) -> Option<&Keys> {
        let schema = &*self.input_schema;
        let of = |param: &Param| Keys::of(&schema["properties"][param.name], schema);
        let keys = || self.keys.get_or_init(|| self.params.iter().map(of).collect());
        if self.nested { keys().get(index)?.as_ref() } else { None }
    }

    /// The names of the parameters, as far as the schema shows them, in its order. Where JSON objects do not keep theirs: in
    /// the order of the function, else the required ones first.
    pub(crate) fn parameter_names(&self) -> Vec<&str> {
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

/// A tool as `#[tool]` writes it down: all of it static, turned into a [`ToolDefinition`] on first use.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each says one thing, and any of them may be set")]
pub struct StaticTool {
    /// The name.
    pub name: &'static str,
    /// A name for people.
    pub title: Option<&'static str>,
    /// What the tool does.
    pub description: &'static str,
    /// Text for the system prompt.
    pub instructions: Option<&'static str>,
    /// The parameters that the model fills.
    pub params: &'static [Param],
    /// The schema of the result, wrapped if it is not an object.
    pub output_schema: fn() -> Option<Value>,
    /// Hints.
    pub annotations: Annotations,
    /// What the result is, added to its schema.
    pub returns: &'static str,
    /// Data for clients.
    pub meta: Option<fn() -> Option<Value>>,
    /// Whether a call may be repeated.
    pub effect: Effect,
    /// The run ends with this tool's result.
    pub stop_after: bool,
    /// How many calls one run may make.
    pub max_calls: Option<u32>,
    /// How long one attempt may take.
    pub timeout: Option<Duration>,
    /// Whether it is given secrets.
    pub has_secrets: bool,
    /// Whether it has hooks or stages of its own.
    pub starts_inside: bool,
    /// Exports are strict by default.
    pub strict: bool,
    /// Examples of calls.
    pub examples: Option<fn() -> Vec<ToolExample>>,
}

impl StaticTool {
    /// A tool without anything.
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
        effect: Effect::Idempotent,
        stop_after: false,
        max_calls: None,
        timeout: None,
        has_secrets: false,
        starts_inside: false,
        strict: false,
        examples: None,
    };

    /// The definition, its schemas built.
    ///
    /// # Panics
    /// If the limits of a parameter contradict its type, its default or its example.
    pub fn define(&self) -> ToolDefinition {
        let input_schema = schema::input_schema(self.name, self.params);
        assert_sound(self.name, self.params, &input_schema);
        let mut output_schema = (self.output_schema)();
        if let Some(Value::Object(schema)) = &mut output_schema
            && !self.returns.is_empty()
        {
            schema.insert("description".into(), self.returns.into());
        }
        ToolDefinition {
            limited: has_limits(&input_schema),
            nested: input_schema["properties"].as_object().is_some_and(|all| all.values().any(has_forms)),
            keys: OnceLock::new(),
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
            strict: self.strict,
            examples: self.examples.map(|examples| examples().into()).unwrap_or_default(),
        }
    }
}

/// A tool's definition, made when somebody first asks. One type for all tools, so that none brings code of
/// its own for it.
#[doc(hidden)]
#[derive(Debug)]
pub struct Defined {
    definition: OnceLock<ToolDefinition>,
    tool: StaticTool,
}

impl Defined {
    pub const fn new(tool: StaticTool) -> Self {
        Self { definition: OnceLock::new(), tool }
    }

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

/// A name in the characters that providers take, `[A-Za-z0-9_-]{1,64}`: other characters become `_`, a
/// longer name ends in a hash of the whole.
pub(crate) fn wire_name(name: &str) -> Cow<'_, str> {
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.len() <= 64 && name.chars().all(legal) {
        return Cow::Borrowed(name);
    }
    let mut wire: String = name.chars().map(|c| if legal(c) { c } else { '_' }).collect();
    if wire.len() > 64 {
        // FNV-1a, so that a name's wire form is the same in every program and every release.
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

/// Names stay: calls go by them.
impl Redact for ToolDefinition {
    fn redact(&mut self, redactor: &Redactor) {
        self.description.redact(redactor);
        self.title.redact(redactor);
        self.input_schema.redact(redactor);
        self.output_schema.redact(redactor);
        self.meta.redact(redactor);
    }
}
