//! Counts for the limits in providers' documentation, so that a request over a limit fails before it is sent.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use super::error::{ExportError, Provider, Site};
use super::keywords::required;
use crate::schema::referenced;

/// The counts of one schema.
#[derive(Default)]
struct Count {
    properties: usize,
    /// Characters of property names, names of definitions, listed values and constants.
    characters: usize,
    values: usize,
    longest_list: (usize, usize),
}

/// OpenAI's limits on one schema, from its guide on structured outputs.
pub(super) fn openai(site: &Site<'_>, schema: &Value) -> Result<(), ExportError> {
    let mut count = Count::default();
    count.walk(schema);
    let mut depth = Depth { root: schema, known: BTreeMap::from([("#", 0)]) };
    let (listed, length) = count.longest_list;
    let limits = [
        (count.properties, 5000, "properties", "take fewer arguments, or split the tool"),
        (depth.measure(schema, STEPS), 10, "levels of objects inside objects", "flatten the argument types"),
        (count.characters, 120_000, "characters of names and listed values", "shorten names and lists"),
        (count.values, 1000, "listed values", "take a string and check it in the tool"),
        (
            if listed > 250 { length } else { 0 },
            15_000,
            "characters in one list of more than 250 values",
            "take a string and check it in the tool",
        ),
    ];
    for (found, most, what, next) in limits {
        if found > most {
            let subject = format!("the tool `{}`", site.tool);
            return Err(ExportError::Limit { subject, provider: site.provider, what, found, most, next });
        }
    }
    Ok(())
}

impl Count {
    /// A referenced type counts once.
    fn walk(&mut self, schema: &Value) {
        let Value::Object(schema) = schema else { return };
        for (key, value) in schema {
            match (key.as_str(), value) {
                ("properties" | "$defs", Value::Object(named)) => {
                    self.properties += if key == "properties" { named.len() } else { 0 };
                    for (name, schema) in named {
                        self.characters += name.chars().count();
                        self.walk(schema);
                    }
                }
                ("enum", Value::Array(values)) => {
                    let length = values.iter().map(length).sum();
                    self.characters += length;
                    self.values += values.len();
                    if values.len() > self.longest_list.0 {
                        self.longest_list = (values.len(), length);
                    }
                }
                ("const", value) => self.characters += length(value),
                ("items", item) => self.walk(item),
                ("anyOf", Value::Array(options)) => options.iter().for_each(|option| self.walk(option)),
                _ => {}
            }
        }
    }
}

/// The nesting depth of objects. A recursive type counts once on each path through itself.
struct Depth<'s> {
    root: &'s Value,
    /// The depths behind references; 0 while one is being computed.
    known: BTreeMap<&'s str, usize>,
}

/// The recursion limit. Providers accept no schema this deep.
const STEPS: usize = 512;

impl<'s> Depth<'s> {
    fn measure(&mut self, schema: &'s Value, steps: usize) -> usize {
        let Some(steps) = steps.checked_sub(1) else { return STEPS };
        if let Some(pointer) = schema["$ref"].as_str() {
            return self.behind(pointer, steps);
        }
        let properties = schema["properties"].as_object();
        let options = schema["anyOf"].as_array();
        let inside = properties.into_iter().flat_map(|named| named.values());
        let inside = inside.chain(options.into_iter().flatten()).chain(schema.get("items"));
        let deepest = inside.map(|schema| self.measure(schema, steps)).max();
        deepest.unwrap_or_default() + usize::from(properties.is_some())
    }

    fn behind(&mut self, pointer: &'s str, steps: usize) -> usize {
        if let Some(known) = self.known.get(pointer) {
            return *known;
        }
        self.known.insert(pointer, 0);
        let target = referenced(self.root, pointer);
        let depth = target.map_or(0, |target| self.measure(target, steps));
        self.known.insert(pointer, depth);
        depth
    }
}

fn length(value: &Value) -> usize {
    value.as_str().map_or_else(|| value.to_string().len(), |text| text.chars().count())
}

/// Anthropic's limits on all strict tools of one request. Errors call them `subject`.
pub(super) fn anthropic(subject: &str, schemas: &[&Value]) -> Vec<ExportError> {
    let (mut optional, mut unions) = (0, 0);
    for schema in schemas {
        count_optional(schema, &mut optional, &mut unions);
    }
    let next = "send some of the tools without `strict`";
    let limits = [
        (schemas.len(), 20, "strict tools", next),
        (
            optional,
            24,
            "optional parameters in strict tools",
            "make some of them required, or send some of the tools without `strict`",
        ),
        (unions, 16, "parameters with a union of types in strict tools", next),
    ];
    let over = limits.into_iter().filter(|(found, most, ..)| found > most);
    over.map(|(found, most, what, next)| ExportError::Limit {
        subject: subject.to_owned(),
        provider: Provider::ANTHROPIC,
        what,
        found,
        most,
        next,
    })
    .collect()
}

/// Counts at any depth: the documentation does not say that only the first level matters.
fn count_optional(schema: &Value, optional: &mut usize, unions: &mut usize) {
    let Value::Object(schema) = schema else { return };
    *unions += usize::from(schema.contains_key("anyOf") || schema.get("type").is_some_and(Value::is_array));
    if let Some(Value::Object(properties)) = schema.get("properties") {
        let required: HashSet<_> = required(schema).collect();
        for (name, property) in properties {
            *optional += usize::from(!required.contains(name.as_str()));
            count_optional(property, optional, unions);
        }
    }
    for option in
        schema.get("anyOf").and_then(Value::as_array).into_iter().flatten().chain(schema.get("items"))
    {
        count_optional(option, optional, unions);
    }
}
