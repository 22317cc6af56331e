//! What differs between a tool and what is seen of it: names, values that nobody outside gives, words.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::error::{MissingKey, SpecError};
use super::toolspec::ToolSpec;
use crate::args::Args;
use crate::context::{SessionState, ToolContext};
use crate::error::{ErrorKind, Exit, ToolError};
use crate::tool::{Problem, Refused, ToolExample, arguments_error, check, coerce, expected, nearest};

/// What differs, by the tool's own names for its parameters.
#[derive(Clone, Default)]
pub(super) struct Shape(pub(super) BTreeMap<String, Change>);

/// What differs in one parameter.
#[derive(Clone, Default)]
pub(super) struct Change {
    pub(super) name: Option<String>,
    pub(super) fill: Option<Fill>,
    /// Stands in for a value that is left out.
    pub(super) default: Option<Value>,
    pub(super) description: Option<String>,
}

/// Where the value of a parameter that is not seen comes from.
#[derive(Clone)]
pub(super) enum Fill {
    /// From the state, at every call.
    Bound { key: String, default: Option<Value> },
    /// It is always this one.
    Hidden(Value),
}

impl Change {
    fn is_none(&self) -> bool {
        self.name.is_none() && self.fill.is_none() && self.default.is_none() && self.description.is_none()
    }
}

impl Shape {
    pub(super) fn is_plain(&self) -> bool {
        self.0.is_empty()
    }

    /// Changes what differs in one parameter.
    pub(super) fn change(&mut self, own: &str, change: impl FnOnce(&mut Change)) {
        let entry = self.0.entry(own.to_owned()).or_default();
        change(entry);
        if entry.is_none() {
            self.0.remove(own);
        }
    }

    /// What a parameter is called outside, whether it is seen there or not.
    pub(super) fn name<'s>(&'s self, own: &'s str) -> &'s str {
        self.0.get(own).and_then(|change| change.name.as_deref()).unwrap_or(own)
    }

    pub(super) fn fill(&self, own: &str) -> Option<&Fill> {
        self.0.get(own)?.fill.as_ref()
    }

    /// An example as it is seen.
    pub(super) fn example(&self, own: &ToolExample) -> ToolExample {
        let mut example = own.clone();
        for (name, value) in std::mem::take(&mut example.args) {
            if self.fill(&name).is_none() {
                example.args.insert(self.name(&name).to_owned(), value);
            }
        }
        example
    }

    /// The tool's own names of the parameters that are not seen.
    pub(super) fn unseen(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|(_, change)| change.fill.is_some()).map(|(own, _)| own.as_str())
    }

    /// The parameter that is seen under this name, or bound under it.
    fn own<'s>(&self, schema: &'s Value, name: &str, hidden_too: bool) -> Option<&'s str> {
        let properties = schema["properties"].as_object()?;
        properties.keys().map(String::as_str).find(|own| {
            self.name(own) == name && (hidden_too || !matches!(self.fill(own), Some(Fill::Hidden(_))))
        })
    }

    /// The parameter that is seen, or bound, under this name.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn find<'s>(&self, tool: &str, schema: &'s Value, name: &str) -> Result<&'s str, SpecError> {
        self.own(schema, name, false).ok_or_else(|| self.no_such(tool, schema, name))
    }

    /// As [`Self::find`], for a parameter that is seen.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn find_seen<'s>(
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
        let seen: Vec<String> =
            own.filter(|own| self.fill(own).is_none()).map(|own| self.name(own).to_owned()).collect();
        SpecError::NoSuchParameter {
            tool: tool.to_owned(),
            parameter: name.to_owned(),
            nearest: nearest(name, seen.iter().map(String::as_str)).map(str::to_owned),
            parameters: seen,
        }
    }

    /// The schema of what is seen.
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
                object.remove("required");
            } else {
                object.insert("required".into(), required.into());
            }
        }
        schema
    }

    /// From the arguments that a model gave to those that the tool takes.
    ///
    /// # Errors
    /// If the model gave something that it does not see, or a bound parameter has no value.
    pub(super) fn fill_in(&self, spec: &ToolSpec, cx: &ToolContext, args: &Args) -> Result<Args, Exit> {
        let mut own = args.clone();
        let tool = spec.definition();
        let own_schema = &*spec.own_definition().input_schema;
        let Ok(given) = args.as_object() else { return Ok(own) };
        self.refuse_unseen(&tool.name, &tool.input_schema, own_schema, given)?;
        let Ok(object) = own.as_object_mut() else { return Ok(own) };
        for (name, value) in std::mem::take(object) {
            let own = self.own(own_schema, &name, false).filter(|own| self.fill(own).is_none());
            let name = own.map(str::to_owned).unwrap_or(name);
            object.insert(name, value);
        }
        for (name, change) in &self.0 {
            match &change.fill {
                Some(Fill::Bound { key, default }) => {
                    let value = resolve(spec.state(), cx, key, default.as_ref());
                    let value = value.ok_or_else(|| self.missing(&tool.name, name, key))?;
                    object.insert(name.clone(), value);
                }
                Some(Fill::Hidden(value)) => {
                    object.insert(name.clone(), value.clone());
                }
                None => {
                    if let Some(default) = &change.default {
                        // A strict schema has the model write `null` for what it leaves out.
                        let property = &own_schema["properties"][name];
                        let is_left_out = match object.get(name) {
                            None => true,
                            Some(Value::Null) => !check(&Value::Null, property, own_schema, name).is_empty(),
                            Some(_) => false,
                        };
                        if is_left_out {
                            object.insert(name.clone(), default.clone());
                        }
                    }
                }
            }
        }
        Ok(own)
    }

    fn missing(&self, tool: &str, own: &str, key: &str) -> Exit {
        let parameter = self.name(own).to_owned();
        Exit::Tool(ToolError::from_source(MissingKey {
            tool: tool.to_owned(),
            parameter,
            key: key.to_owned(),
        }))
    }

    /// Refuses names that are not seen, and says whatever else is wrong in the same go.
    fn refuse_unseen(
        &self,
        tool: &str,
        schema: &Value,
        own_schema: &Value,
        given: &Map<String, Value>,
    ) -> Result<(), Exit> {
        let closed = schema["additionalProperties"] == Value::Bool(false);
        let is_seen = |name: &str| schema["properties"].get(name).is_some();
        let is_known = |name: &str| {
            own_schema["properties"].get(name).is_some() || self.own(own_schema, name, true).is_some()
        };
        let unseen = |name: &&String| !is_seen(name) && (closed || is_known(name));
        let unseen: Vec<_> = given.keys().filter(unseen).collect();
        if unseen.is_empty() {
            return Ok(());
        }
        let mut value = Value::Object(given.clone());
        coerce(&mut value, schema, schema);
        let mut problems = check(&value, schema, schema, "");
        for name in unseen {
            if !problems.iter().any(|problem| problem.parameter() == (name.as_str(), "")) {
                let seen = schema["properties"].as_object().into_iter().flat_map(Map::keys);
                problems.push(Problem::unknown(name, seen.map(String::as_str)));
            }
        }
        Err(Exit::Tool(arguments_error(tool, &problems)))
    }

    /// What the tool had against its arguments, in the names that are seen. What does not come from the model is
    /// told without its value.
    pub(super) fn translate(&self, spec: &ToolSpec, exit: Exit) -> Exit {
        let own = spec.own_definition();
        let Exit::Tool(error) = &exit else { return exit };
        let Some(refused) = error.output().meta::<Refused>() else { return exit };
        if error.kind() != ErrorKind::Arguments || *refused.tool != *own.name {
            return exit;
        }
        let tool = &spec.definition().name;
        let unfit = refused.problems.iter().find_map(|problem| {
            let (name, _) = problem.parameter();
            Some((name, self.fill(name)?))
        });
        if let Some((name, fill)) = unfit {
            let shown = self.name(name);
            let wanted = expected(&own.input_schema["properties"][name]);
            let text = match fill {
                Fill::Bound { key, .. } => format!(
                    "`{tool}` did not run: what stands under the state's key `{key}` does not fit the parameter \
                     `{shown}`, which is bound to it; expected {wanted}"
                ),
                Fill::Hidden(_) => {
                    format!(
                        "`{tool}` did not run: the hidden value of `{shown}` does not fit; expected {wanted}"
                    )
                }
            };
            return Exit::tool(text);
        }
        let problems: Vec<_> = refused
            .problems
            .iter()
            .map(|problem| {
                let (name, rest) = problem.parameter();
                problem.moved(format!("{}{rest}", self.name(name)))
            })
            .collect();
        Exit::Tool(arguments_error(tool, &problems))
    }
}

/// The value of a bound parameter now. The run is told of a secret.
fn resolve(state: &SessionState, cx: &ToolContext, key: &str, default: Option<&Value>) -> Option<Value> {
    if let Some(secret) = state.secret(key) {
        cx.conceal(&*secret);
        return Some(secret.expose().clone());
    }
    state.get(key).or_else(|| default.cloned())
}

impl Change {
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

/// Holds a value against the schema of a tool's own parameter.
///
/// # Errors
/// If it does not fit. The value is not told: it may be a secret.
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
