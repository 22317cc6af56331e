//! JSON Schema of Rust types: draft 2020-12, inlined except for recursive types, without titles.

use std::any::TypeId;
use std::collections::HashMap;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::contradictions::Bounds;
use super::param::{ArgLimit, Param};
use crate::json;
use crate::schema::{change_subschemas, close};

fn generator(settings: SchemaSettings) -> SchemaGenerator {
    settings
        .with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        })
        .into_generator()
}

/// The schema of a tool's arguments.
///
/// # Panics
/// Panics if a limit of a parameter is outside the range of its type.
pub(super) fn input_schema(tool: &str, params: &[Param]) -> Value {
    let mut generator = generator(SchemaSettings::draft2020_12());
    let mut properties = Map::new();
    let mut required = Vec::new();
    for param in params {
        let mut schema = (param.schema)(&mut generator).to_value();
        if let Value::Bool(true) = schema {
            schema = json!({});
        }
        let bounds = Bounds::new(&schema);
        if let Value::Object(schema) = &mut schema {
            describe(schema, param);
        }
        bounds.assert_hold(tool, param.name, &schema);
        properties.insert(param.name.to_owned(), schema);
        if param.required() {
            required.push(Value::from(param.name));
        }
    }
    let mut root = Map::new();
    root.insert("type".into(), "object".into());
    root.insert("properties".into(), Value::Object(properties));
    if !required.is_empty() {
        root.insert("required".into(), Value::Array(required));
    }
    root.insert("additionalProperties".into(), Value::Bool(false));
    add_definitions(&mut root, &mut generator);
    let mut root = Value::Object(root);
    close(&mut root);
    root
}

/// The schema of a struct whose fields are the arguments; `None` if the type is not deserialised from an
/// object.
pub fn arguments_schema<T: JsonSchema + 'static>() -> Option<Value> {
    if TypeId::of::<T>() == TypeId::of::<()>() {
        return Some(json!({ "type": "object", "properties": {}, "additionalProperties": false }));
    }
    let mut generator = generator(SchemaSettings::draft2020_12());
    let mut schema = generator.subschema_for::<T>().to_value();
    // A recursive type is among the definitions.
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        schema = generator.definitions().get(name)?.clone();
    }
    let Value::Object(mut root) = schema else { return None };
    if root.get("type") != Some(&json!("object")) {
        return None;
    }
    json::remove(&mut root, "title");
    // The type's description is not the tool's description.
    json::remove(&mut root, "description");
    root.entry("properties").or_insert_with(|| json!({}));
    root.entry("additionalProperties").or_insert(Value::Bool(false));
    add_definitions(&mut root, &mut generator);
    let mut root = Value::Object(root);
    close(&mut root);
    Some(root)
}

/// The schema of a value that a model writes as an object.
pub struct ObjectSchema {
    /// The schema of the object.
    pub schema: Value,
    /// The description of the type.
    pub description: Option<String>,
    /// Whether the value is a property of the object, because it is not an object itself.
    pub is_wrapped: bool,
}

/// The schema of a type as an object without a union at its root, as providers require. Another type is
/// wrapped as the property `name`.
pub fn object_schema<T: JsonSchema + 'static>(name: &str) -> ObjectSchema {
    let has_union =
        |schema: &Value| ["anyOf", "oneOf", "allOf", "not", "if"].iter().any(|key| schema.get(key).is_some());
    let mut generator = generator(SchemaSettings::draft2020_12());
    let schema = generator.subschema_for::<T>().to_value();
    let description = schema["description"].as_str().map(str::to_owned);
    let is_unit = TypeId::of::<T>() == TypeId::of::<()>();
    match arguments_schema::<T>().filter(|schema| !is_unit && !has_union(schema)) {
        Some(schema) => ObjectSchema { schema, description, is_wrapped: false },
        None => {
            let mut root = wrapped_in(name, &schema);
            root.insert("additionalProperties".into(), Value::Bool(false));
            add_definitions(&mut root, &mut generator);
            let mut schema = Value::Object(root);
            close(&mut schema);
            ObjectSchema { schema, description, is_wrapped: true }
        }
    }
}

/// The schema of a type, with closed objects.
pub fn type_schema<T: JsonSchema>() -> Value {
    let mut schema = generator(SchemaSettings::draft2020_12()).into_root_schema_for::<T>().to_value();
    close(&mut schema);
    schema
}

/// The schema of a result type. A value that is not an object is wrapped as `{"result": ..}`, because MCP
/// requires an object. If a type has both kinds of values, the schema allows both forms.
pub(crate) fn output_schema<T: JsonSchema>() -> Value {
    let mut generator = generator(SchemaSettings::draft2020_12().for_serialize());
    let schema = generator.subschema_for::<T>().to_value();
    let mut root = match objects(&schema, &generator, &mut HashMap::new()) {
        Objects::All => match schema {
            Value::Object(schema) => schema,
            _ => Map::new(),
        },
        Objects::None => wrapped(&schema),
        Objects::Some => {
            Map::from_iter([("anyOf".to_owned(), json!([schema, Value::Object(wrapped(&schema))]))])
        }
    };
    root.insert("type".into(), "object".into());
    add_definitions(&mut root, &mut generator);
    let mut root = Value::Object(root);
    allow_digits(&mut root);
    root
}

/// Structured values contain a number beyond `u64` or `i64` as the string of its digits.
fn allow_digits(schema: &mut Value) {
    if let Value::Object(fields) = schema
        && fields.get("format").is_some_and(|format| format == "int128" || format == "uint128")
        && let Some(kind) = fields.get_mut("type")
    {
        match kind {
            Value::Array(kinds) => kinds.push("string".into()),
            kind => *kind = json!([kind.take(), "string"]),
        }
        fields.insert("pattern".into(), "^-?[0-9]+$".into());
    }
    change_subschemas(schema, |part| allow_digits(part.schema));
}

fn wrapped(schema: &Value) -> Map<String, Value> {
    wrapped_in("result", schema)
}

fn wrapped_in(name: &str, schema: &Value) -> Map<String, Value> {
    let properties = Value::Object(Map::from_iter([(name.to_owned(), schema.clone())]));
    let required = json!([name]);
    Map::from_iter([
        ("type".to_owned(), "object".into()),
        ("properties".to_owned(), properties),
        ("required".to_owned(), required),
    ])
}

/// Whether all, some or none of a type's values are objects.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Objects {
    All,
    Some,
    None,
}

fn objects<'g>(
    schema: &'g Value,
    generator: &'g SchemaGenerator,
    known: &mut HashMap<&'g str, Objects>,
) -> Objects {
    let name = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next());
    if let Some((name, target)) = name.and_then(|name| generator.definitions().get_key_value(name)) {
        if let Some(known) = known.get(name.as_str()) {
            return *known;
        }
        // A type that contains itself as an option counts as both.
        known.insert(name, Objects::Some);
        let found = objects(target, generator, known);
        known.insert(name, found);
        return found;
    }
    match &schema["type"] {
        Value::String(kind) if kind == "object" => return Objects::All,
        Value::String(_) => return Objects::None,
        Value::Array(kinds) if kinds.iter().all(|kind| kind != "object") => return Objects::None,
        Value::Array(_) => return Objects::Some,
        _ => {}
    }
    if let Some(values) = schema["enum"].as_array() {
        return if values.iter().any(Value::is_object) { Objects::Some } else { Objects::None };
    }
    let Some(options) = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()) else {
        return Objects::Some;
    };
    let mut each = options.iter().map(|option| objects(option, generator, known));
    let first = each.next().unwrap_or(Objects::None);
    if each.all(|other| other == first) { first } else { Objects::Some }
}

/// Adds recursive types to `$defs`.
fn add_definitions(root: &mut Map<String, Value>, generator: &mut SchemaGenerator) {
    let definitions = generator.take_definitions(true);
    if !definitions.is_empty() {
        root.insert("$defs".into(), Value::Object(definitions));
    }
}

/// Adds a parameter's own description and limits to its type's schema.
fn describe(schema: &mut Map<String, Value>, param: &Param) {
    if !param.description.is_empty() {
        schema.insert("description".into(), param.description.into());
    }
    if let Some(default) = param.default.and_then(|default| default()) {
        schema.insert("default".into(), default);
    }
    if let Some(example) = param.example.and_then(|example| example()) {
        schema.insert("examples".into(), json!([example]));
    }
    for limit in param.limits {
        let (key, value) = keyword(limit, schema);
        schema.insert(key.into(), value);
    }
}

/// The keyword of a limit for this type: a string has a length, a list has items.
fn keyword(limit: &ArgLimit, schema: &Map<String, Value>) -> (&'static str, Value) {
    let kind = match &schema.get("type") {
        Some(Value::String(kind)) => kind.as_str(),
        Some(Value::Array(kinds)) => kinds.iter().find_map(|kind| kind.as_str()).unwrap_or_default(),
        _ => "",
    };
    match (limit, kind) {
        (ArgLimit::Minimum(number), _) => ("minimum", number_value(*number)),
        (ArgLimit::Maximum(number), _) => ("maximum", number_value(*number)),
        (ArgLimit::ExclusiveMinimum(number), _) => ("exclusiveMinimum", number_value(*number)),
        (ArgLimit::ExclusiveMaximum(number), _) => ("exclusiveMaximum", number_value(*number)),
        (ArgLimit::MinLength(count), "array") => ("minItems", (*count).into()),
        (ArgLimit::MaxLength(count), "array") => ("maxItems", (*count).into()),
        (ArgLimit::MinLength(count), "object") => ("minProperties", (*count).into()),
        (ArgLimit::MaxLength(count), "object") => ("maxProperties", (*count).into()),
        (ArgLimit::MinLength(count), _) => ("minLength", (*count).into()),
        (ArgLimit::MaxLength(count), _) => ("maxLength", (*count).into()),
        (ArgLimit::Pattern(pattern), _) => ("pattern", (*pattern).into()),
    }
}

/// `3.0` is written as `3`.
#[expect(clippy::cast_possible_truncation, reason = "only whole numbers in the range of i64 get here")]
fn number_value(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 9e15 {
        Value::from(number as i64)
    } else {
        Value::from(number)
    }
}
