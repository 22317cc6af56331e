//! The differences between a tool and its visible form: names, descriptions, defaults and filled-in values.

use std::collections::BTreeMap;

use std::sync::Arc;

use serde_json::{Map, Value};

use super::error::SpecError;
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::{ToolDefinition, ToolExample, arguments_error, refused_by};
use onionskin_definitions::error::{ErrorKind, Exit, ToolError};
use onionskin_definitions::json;
use onionskin_definitions::json::Literals;
use onionskin_definitions::schema::{Problem, check, coerce, expected, is_left_out, remove_unused};
use onionskin_definitions::text::{MOST, nearest};

/// The differences, by the tool's own parameter names.
#[derive(Clone, Default)]
pub(super) struct ParamChanges(pub(super) BTreeMap<String, ParamChange>);

/// The differences of one parameter.
#[derive(Clone, Default)]
pub(super) struct ParamChange {
    pub(super) name: Option<String>,
    pub(super) fill: Option<Fill>,
    /// The value of an omitted argument.
    pub(super) default: Option<Value>,
    pub(super) description: Option<String>,
}

/// The source of an invisible parameter's value.
#[derive(Clone)]
pub(super) enum Fill {
    /// The state, read at every call.
    Bound { key: String, default: Option<Value> },
    /// A constant.
    Hidden(Value),
}

impl ParamChange {
    fn is_none(&self) -> bool {
        self.name.is_none() && self.fill.is_none() && self.default.is_none() && self.description.is_none()
    }
}

impl ParamChanges {
    pub(super) fn is_plain(&self) -> bool {
        self.0.is_empty()
    }

    /// Changes the differences of one parameter.
    pub(super) fn change(&mut self, own: &str, change: impl FnOnce(&mut ParamChange)) {
        let entry = self.0.entry(own.to_owned()).or_default();
        change(entry);
        if entry.is_none() {
            self.0.remove(own);
        }
    }

    /// The visible name of a parameter, also if it is invisible now.
    pub(super) fn name<'s>(&'s self, own: &'s str) -> &'s str {
        self.0.get(own).and_then(|change| change.name.as_deref()).unwrap_or(own)
    }

    pub(super) fn fill(&self, own: &str) -> Option<&Fill> {
        self.0.get(own)?.fill.as_ref()
    }

    /// The visible form of a definition, with this name.
    pub(super) fn visible(&self, own: &ToolDefinition, name: &Arc<str>) -> ToolDefinition {
        let mut visible = own.clone();
        visible.name = Arc::clone(name);
        if !self.is_plain() {
            visible.examples = own.examples.iter().map(|example| self.example(example)).collect();
            visible = visible.with_input_schema(self.schema(&own.input_schema));
        }
        visible
    }

    /// The visible form of an example.
    pub(super) fn example(&self, own: &ToolExample) -> ToolExample {
        let mut example = own.clone();
        for (name, value) in std::mem::take(&mut example.args) {
            if self.fill(&name).is_none() {
                example.args.insert(self.name(&name).to_owned(), value);
            }
        }
        example
    }

    /// The key of the state that fills a parameter.
    pub(super) fn key(&self, own: &str) -> Option<&str> {
        match self.fill(own)? {
            Fill::Bound { key, .. } => Some(key),
            Fill::Hidden(_) => None,
        }
    }

    pub(super) fn is_hidden(&self, own: &str) -> bool {
        matches!(self.fill(own), Some(Fill::Hidden(_)))
    }

    /// The bound parameters: the tool's own names, the keys, and the defaults.
    pub(super) fn bound(&self) -> impl Iterator<Item = (&str, &str, Option<&Value>)> {
        self.0.iter().filter_map(|(own, change)| match &change.fill {
            Some(Fill::Bound { key, default }) => Some((own.as_str(), key.as_str(), default.as_ref())),
            _ => None,
        })
    }

    /// The own name of the parameter with this visible name. `hidden_too` also finds hidden ones.
    fn own<'s>(&self, schema: &'s Value, name: &str, hidden_too: bool) -> Option<&'s str> {
        let properties = schema["properties"].as_object()?;
        // The name is unchanged, or one of the few changed names.
        let changed = self.0.keys().map(String::as_str);
        let (own, _) = std::iter::once(name).chain(changed).find_map(|own| {
            let is_visible = hidden_too || !self.is_hidden(own);
            properties.get_key_value(own).filter(|_| is_visible && self.name(own) == name)
        })?;
        Some(own)
    }

    /// Finds the visible or bound parameter with this name.
    ///
    /// # Errors
    /// Returns an error if there is no such parameter.
    pub(super) fn find<'s>(&self, tool: &str, schema: &'s Value, name: &str) -> Result<&'s str, SpecError> {
        self.own(schema, name, false).ok_or_else(|| self.no_such(tool, schema, name))
    }

    /// Finds the visible parameter with this name.
    ///
    /// # Errors
    /// Returns an error if there is no such parameter.
    pub(super) fn find_visible<'s>(
        &self,
        tool: &str,
        schema: &'s Value,
        name: &str,
    ) -> Result<&'s str, SpecError> {
        let found = self.own(schema, name, false).filter(|own| self.fill(own).is_none());
        found.ok_or_else(|| self.no_such(tool, schema, name))
    }

    fn no_such(&self, tool: &str, schema: &Value, name: &str) -> SpecError {
        let own = schema["properties"].as_object().into_iter().flat_map(Map::keys);
        let visible: Vec<String> =
            own.filter(|own| self.fill(own).is_none()).map(|own| self.name(own).to_owned()).collect();
        SpecError::NoSuchParameter {
            tool: tool.to_owned(),
            parameter: name.to_owned(),
            nearest: nearest(name, visible.iter().map(String::as_str)).map(str::to_owned),
            parameters: visible,
        }
    }

    /// The schema of the visible form.
    pub(super) fn schema(&self, own: &Value) -> Value {
        let mut schema = own.clone();
        let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
            return schema;
        };
        for (name, mut property) in std::mem::take(properties) {
            let Some(change) = self.0.get(&name) else {
                properties.insert(name, property);
                continue;
            };
            if change.fill.is_none() {
                change.describe(&mut property);
                properties.insert(change.name.clone().unwrap_or(name), property);
            }
        }
        let required = own["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let required: Vec<Value> = required
            .filter(|own| {
                self.0.get(*own).is_none_or(|change| change.fill.is_none() && change.default.is_none())
            })
            .map(|own| self.name(own).into())
            .collect();
        if let Some(object) = schema.as_object_mut() {
            if required.is_empty() {
                json::remove(object, "required");
            } else {
                object.insert("required".into(), required.into());
            }
            self.rename_in_conditions(object);
        }
        if self.0.values().any(|change| change.fill.is_some()) {
            remove_unused(&mut schema);
        }
        schema
    }

    /// Converts a model's arguments to the tool's own arguments, without bound parameters.
    ///
    /// # Errors
    /// Returns an error if an argument is not visible to the model.
    pub(super) fn own_args(
        &self,
        visible: &ToolDefinition,
        own: &ToolDefinition,
        own_view: &Arc<Value>,
        args: &Args,
    ) -> Result<Args, Exit> {
        let mut own_args = args.clone();
        let own_schema = &*own.input_schema;
        let Ok(provided) = args.as_object() else { return Ok(own_args) };
        self.refuse_invisible(&visible.name, &visible.input_schema, own_schema, provided, &args.literals())?;
        let Ok(object) = own_args.as_object_mut() else { return Ok(own_args) };
        for (name, value) in std::mem::take(object) {
            let own = self.own(own_schema, &name, false).filter(|own| self.fill(own).is_none());
            let name = own.map(str::to_owned).unwrap_or(name);
            object.insert(name, value);
        }
        for (name, change) in &self.0 {
            match (&change.fill, &change.default) {
                (Some(Fill::Bound { .. }), _) | (None, None) => {}
                (Some(Fill::Hidden(value)), _) => {
                    object.insert(name.clone(), value.clone());
                }
                (None, Some(default)) => {
                    if is_left_out(object.get(name), &own_schema["properties"][name], own_schema, name) {
                        object.insert(name.clone(), default.clone());
                    }
                }
            }
        }
        own_args.attach(own_view, own.fills_defaults());
        Ok(own_args)
    }

    /// Renames the tool's own arguments to the visible names, without filled-in values.
    pub(super) fn outer_args(&self, visible: &ToolDefinition, own: &Args) -> Args {
        let mut outer = own.clone();
        let Ok(object) = outer.as_object_mut() else { return outer };
        for (own, value) in std::mem::take(object) {
            if self.fill(&own).is_none() {
                object.insert(self.name(&own).to_owned(), value);
            }
        }
        outer.attach(&visible.input_schema, visible.fills_defaults());
        outer
    }

    /// The schema of the tool's own arguments for hooks, stages and approvals: bound parameters are optional,
    /// hidden ones have a constant value, and changed defaults apply.
    pub(super) fn own_view(&self, own_schema: &Arc<Value>) -> Arc<Value> {
        if !self.0.values().any(|change| change.fill.is_some() || change.default.is_some()) {
            return Arc::clone(own_schema);
        }
        let mut view = Value::clone(own_schema);
        for (own, change) in &self.0 {
            let Some(property) = view["properties"].get_mut(own) else { continue };
            match (&change.fill, &change.default) {
                (Some(Fill::Bound { .. }), _) => {
                    property.as_object_mut().and_then(|property| json::remove(property, "default"));
                }
                (Some(Fill::Hidden(value)), _) => {
                    *property = serde_json::json!({ "const": value, "default": value });
                }
                (None, Some(default)) => match property {
                    Value::Object(property) => {
                        property.insert("default".to_owned(), default.clone());
                    }
                    any => *any = serde_json::json!({ "default": default }),
                },
                (None, None) => continue,
            }
            if let Some(required) = view["required"].as_array_mut() {
                required.retain(|name| name != own);
            }
        }
        Arc::new(view)
    }

    /// Refuses arguments with invisible names, together with all other problems.
    fn refuse_invisible(
        &self,
        tool: &str,
        schema: &Value,
        own_schema: &Value,
        provided: &Map<String, Value>,
        literals: &Literals<'_>,
    ) -> Result<(), Exit> {
        let closed = schema["additionalProperties"] == Value::Bool(false);
        let is_visible = |name: &str| schema["properties"].get(name).is_some();
        let is_known = |name: &str| {
            own_schema["properties"].get(name).is_some() || self.own(own_schema, name, true).is_some()
        };
        let invisible = |name: &&String| !is_visible(name) && (closed || is_known(name));
        let invisible: Vec<_> = provided.keys().filter(invisible).collect();
        if invisible.is_empty() {
            return Ok(());
        }
        let mut value = Value::Object(provided.clone());
        coerce(&mut value, schema, schema, literals);
        let mut problems = check(&value, schema, schema, "");
        for name in invisible {
            if problems.len() >= MOST {
                break;
            }
            if !problems.iter().any(|problem| problem.parameter() == (name.as_str(), "")) {
                let visible = schema["properties"].as_object().into_iter().flat_map(Map::keys);
                problems.push(Problem::unknown(name, visible.map(String::as_str)));
            }
        }
        Err(Exit::Tool(arguments_error(tool, &problems)))
    }

    /// Translates the tool's problems with its arguments to the visible names.
    pub(super) fn translate(&self, visible: &ToolDefinition, own: &ToolDefinition, exit: Exit) -> Exit {
        let words = |own: &str| {
            self.is_hidden(own).then(|| format!("the hidden value of `{}` does not fit", self.name(own)))
        };
        if let Some(unfit) = unfit(&visible.name, own, &exit, "hidden", words) {
            return unfit;
        }
        let Some(problems) = refused_by(&own.name, &exit) else { return exit };
        let moved = problems.iter().map(|problem| {
            let (name, rest) = problem.parameter();
            problem.moved(format!("{}{rest}", self.name(name)))
        });
        Exit::Tool(arguments_error(&visible.name, &moved.collect::<Vec<_>>()))
    }
}

impl ParamChange {
    fn describe(&self, property: &mut Value) {
        if self.description.is_none() && self.default.is_none() {
            return;
        }
        if !property.is_object() {
            *property = Value::Object(Map::new());
        }
        if let Some(text) = &self.description {
            property["description"] = text.as_str().into();
        }
        if let Some(value) = &self.default {
            property["default"] = value.clone();
        }
    }
}

/// Checks a value against the schema of one of the tool's own parameters.
///
/// # Errors
/// Returns an error if it does not fit. The text omits the value, which may be a secret.
pub(super) fn fits(
    tool: &str,
    schema: &Value,
    own: &str,
    shown: &str,
    value: &Value,
) -> Result<(), SpecError> {
    let property = &schema["properties"][own];
    if check(value, property, schema, own).is_empty() {
        return Ok(());
    }
    Err(SpecError::Value { tool: tool.to_owned(), parameter: shown.to_owned(), expected: expected(property) })
}

/// The error for a hidden or bound value that the tool rejects. It does not ask the model for a correction,
/// because the model cannot set the value. `words` describes the problem of a filled-in parameter, and `what`
/// names the kind of value.
pub(super) fn unfit(
    tool: &str,
    own: &ToolDefinition,
    exit: &Exit,
    what: &str,
    words: impl Fn(&str) -> Option<String>,
) -> Option<Exit> {
    let problems = refused_by(&own.name, exit)?;
    let properties = own.input_schema["properties"].as_object()?;
    let about = |problem: &Problem| {
        let name = problem.longest_of(properties.keys().map(String::as_str))?;
        let (words, wanted) = (words(name)?, expected(&properties[name]));
        Some(Exit::tool(format!("`{tool}` did not run: {words}; expected {wanted}")))
    };
    problems.iter().find_map(about).or_else(|| {
        // Problems with the arguments as a whole can concern an invisible value.
        let may_be =
            problems.iter().any(Problem::is_of_reader) && properties.keys().any(|name| words(name).is_some());
        let text = format!("`{tool}` did not run: its arguments and its {what} values together do not fit");
        may_be.then(|| Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Arguments)))
    })
}
