//! The static definition of a tool, which `#[tool]` generates.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::Value;

use super::behaviour::{Annotations, Asks, Effect, Layers};
use super::contradictions::assert_sound;
use super::definition::{ToolDefinition, is_held};
use super::example::ToolExample;
use super::param::Param;
use super::schema;
use super::ui_tool::{UiMode, UiTool};
use crate::requirements::ServiceTypes;

/// The static definition that `#[tool]` generates. It is converted to a [`ToolDefinition`] on first use.
#[derive(Debug, Clone, Copy)]
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
    /// Metadata for clients: an object, or what cannot be exported.
    pub meta: Option<fn() -> Value>,
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
    /// The tool's own hooks and stages, if it has any.
    pub layers: Option<&'static Layers>,
    /// What a call may ask a person.
    pub asks: Asks,
    /// The component that it shows, and where.
    pub ui: Option<(&'static str, UiMode)>,
    /// The page of the component, in HTML.
    pub page: Option<&'static str>,
    /// Whether exports are strict by default.
    pub strict: bool,
    /// Examples of calls.
    pub examples: Option<fn() -> Vec<ToolExample>>,
    /// Lists the services that the tool takes.
    pub services: fn(&mut ServiceTypes),
}

impl StaticTool {
    /// A definition with all fields empty.
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
        layers: None,
        asks: Asks::Nothing,
        ui: None,
        page: None,
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
            meta: self.meta.map(|meta| Arc::new(meta())),
            effect: self.effect,
            stop_after: self.stop_after,
            max_calls: self.max_calls,
            timeout: self.timeout,
            has_secrets: self.has_secrets,
            layers: self.layers,
            asks: self.asks,
            ui: self.ui.map(|(component, mode)| UiTool {
                component: component.into(),
                mode,
                page: self.page.map(Into::into),
            }),
            // Each field is here: `ToolDefinition::new` would make a schema only to drop it.
            is_of_server: false,
            is_built_in: false,
            services,
            run_change: None,
            strict: self.strict,
            examples: self.examples.map(|examples| examples().into()).unwrap_or_default(),
        }
    }
}

/// A tool's definition, built on first use. All tools share this type, so that the code is compiled once.
#[derive(Debug)]
pub struct Defined {
    definition: OnceLock<ToolDefinition>,
    tool: StaticTool,
}

impl Defined {
    /// Creates the definition, which is built later.
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
