//! Checks arguments against a tool's schema and converts them to its types, for code that does not decode
//! them.

use serde_json::{Map, Value};

use super::definition::ToolDefinition;
use crate::args::Args;
use crate::error::{Exit, ToolResult};
use crate::schema::{Problem, check, coerce, fill_defaults};

impl ToolDefinition {
    /// Checks the arguments of a call against the schema, and returns them converted to its types.
    /// Conversions lose nothing: `"5"` becomes a number if the schema requires one. [`Self::check`] returns
    /// the error for the model, and [`Self::fit_args`] changes the arguments.
    ///
    /// ```
    /// use onionskin::{Args, ToolDefinition};
    /// use serde_json::json;
    ///
    /// let schema = json!({ "type": "object", "properties": { "x": { "type": "integer" } }, "required": ["x"] });
    /// let tool = ToolDefinition::new("add_one", "Adds one.").with_input_schema(schema);
    /// assert_eq!(tool.fit(&Args::from(r#"{"x": "41"}"#)).unwrap()["x"], 41);
    /// let problems = tool.fit(&Args::from("{}")).unwrap_err();
    /// assert!(tool.refuse(&problems).to_text().contains("missing; expected an integer"));
    /// ```
    ///
    /// # Errors
    /// Returns all problems.
    pub fn fit(&self, args: &Args) -> Result<Map<String, Value>, Vec<Problem>> {
        let schema = &*self.input_schema;
        let mut value = object(args)?;
        let mut problems = check(&value, schema, schema, "");
        // As for functions, `"5"` becomes 5 only if the schema requires it.
        if !problems.is_empty() && coerce(&mut value, schema, schema, &args.literals()) {
            problems = check(&value, schema, schema, "");
        }
        match value {
            Value::Object(object) if problems.is_empty() => Ok(object),
            _ => Err(problems),
        }
    }

    /// Checks the arguments of a call against the schema, as [`Self::fit_args`] does, without changing them.
    ///
    /// ```
    /// use onionskin::{Args, ToolDefinition};
    /// use serde_json::json;
    ///
    /// let schema = json!({ "type": "object", "properties": { "x": { "type": "integer" } }, "required": ["x"] });
    /// let tool = ToolDefinition::new("add_one", "Adds one.").with_input_schema(schema);
    /// assert!(tool.check(&Args::from(r#"{"x": 41}"#)).is_ok());
    /// assert!(tool.check(&Args::from("{}")).unwrap_err().to_string().starts_with("Invalid arguments for `add_one`"));
    /// ```
    ///
    /// # Errors
    /// Returns a tool error of kind [`Arguments`](crate::ErrorKind::Arguments) that lists all problems.
    pub fn check(&self, args: &Args) -> ToolResult<()> {
        self.fit_args(&mut args.clone())
    }

    /// Checks the arguments of a call against the schema, and converts them to its types: values are
    /// converted without loss, and missing arguments get the schema's defaults. A hand-written `Tool` gets
    /// its arguments through this method.
    ///
    /// It does not check `format` (except for the ranges of Rust's integers), `unevaluatedItems`,
    /// `$dynamicRef`, and that only one option of a `oneOf` fits. A tool that relies on one of them checks it
    /// itself (`Tool::fit_args`). A keyword with an invalid value, such as a malformed pattern, fails the
    /// build of an agent with the tool (`BuildError::ToolDefinition`); outside an agent it is ignored.
    ///
    /// ```
    /// use onionskin::{Args, ToolDefinition};
    /// use serde_json::json;
    ///
    /// let schema = json!({ "type": "object", "properties": { "x": { "type": "integer" } }, "required": ["x"] });
    /// let tool = ToolDefinition::new("add_one", "Adds one.").with_input_schema(schema);
    /// let mut args = Args::from(r#"{"x": "41"}"#);
    /// tool.fit_args(&mut args).unwrap();
    /// assert_eq!(&*args.text(), r#"{"x":41}"#);
    /// ```
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn fit_args(&self, args: &mut Args) -> ToolResult<()> {
        let refuse = |problems: Vec<Problem>| Exit::Tool(self.refuse(&problems));
        let schema = &*self.input_schema;
        without_schema(args, |args, bound| {
            let (value, changed) = self.converted(args, bound, self.fills_defaults()).map_err(refuse)?;
            let problems = check(&value, schema, schema, "");
            if !problems.is_empty() {
                return Err(refuse(problems));
            }
            set(args, value, changed);
            Ok(())
        })
    }

    /// The arguments converted to the schema's types, and whether that changed them. `bound` is the schema
    /// that was attached to them.
    fn converted(
        &self,
        args: &Args,
        bound: Option<&Value>,
        fills_defaults: bool,
    ) -> Result<(Value, bool), Vec<Problem>> {
        let schema = &*self.input_schema;
        let mut value = object(args)?;
        let mut changed = coerce(&mut value, schema, schema, &args.literals());
        if let (true, Value::Object(object)) = (fills_defaults, &mut value) {
            changed |= fill_defaults(object, bound.unwrap_or(schema));
        }
        Ok((value, changed))
    }
}

fn object(args: &Args) -> Result<Value, Vec<Problem>> {
    let object = args.as_object().map_err(|error| vec![Problem::root(error.to_string())])?;
    Ok(Value::Object(object.clone()))
}

fn set(args: &mut Args, value: Value, changed: bool) {
    if let (true, Value::Object(object)) = (changed, value)
        && let Ok(own) = args.as_object_mut()
    {
        *own = object;
    }
}

/// Works on the arguments as they are without the schema that is attached to them.
fn without_schema<R>(args: &mut Args, work: impl FnOnce(&mut Args, Option<&Value>) -> R) -> R {
    let bound = args.detach_schema();
    let result = work(args, bound.as_deref());
    if let Some(schema) = bound {
        args.attach_schema(&schema);
    }
    result
}

/// Whether the arguments fit the tool's schema without conversion.
pub fn fits(definition: &ToolDefinition, args: &Args) -> bool {
    let schema = &*definition.input_schema;
    object(args).is_ok_and(|value| check(&value, schema, schema, "").is_empty())
}

/// Converts arguments to a tool's types as decoding does, so that hooks see the same values as the tool.
/// Values that cannot be converted without loss stay unchanged; decoding refuses them.
pub fn bring_into_types(definition: &ToolDefinition, args: &mut Args) {
    let fills_defaults = definition.fills_defaults() && args.shows_defaults();
    without_schema(args, |args, bound| {
        if let Ok((value, changed)) = definition.converted(args, bound, fills_defaults) {
            set(args, value, changed);
        }
    });
}

/// For the crates of the runtime.
#[doc(hidden)]
impl ToolDefinition {
    /// Whether a missing argument reads as its default. A server fills in defaults itself, so it receives
    /// only the arguments that the model or a hook set.
    pub fn fills_defaults(&self) -> bool {
        !self.is_of_server
    }

    /// Makes reads of arguments return the values as the tool gets them.
    #[inline]
    pub fn attach_to(&self, args: &mut Args) {
        args.attach(&self.input_schema, self.fills_defaults());
    }
}
