//! The text of the file.
//!
//! The macros read the same format with a reader of their own (`macros/src/lock_file`): they have no serde. Both are tested with the
//! texts in `refused.json` and `accepted.json`.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use onionskin_core::definition::Annotations;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Number, Value, json};

use super::tool::{SnapshotTool, sorted};
use super::{Snapshot, SnapshotError};

/// The version that is written. Version 1, which has no titles and hints, is read too.
const VERSION: u64 = 2;
/// The first line of the file.
const NOTE: &str = "Written by `onionskin mcp lock`: what MCP servers offer. Do not edit it.";

/// The text of the file.
pub(super) fn write(servers: &BTreeMap<String, Vec<SnapshotTool>>) -> String {
    let tool = |tool: &SnapshotTool| {
        let mut fields = Map::new();
        if let Some(hints) = tool.hints() {
            fields.insert("annotations".to_owned(), sorted(&hints));
        }
        fields.insert("description".to_owned(), tool.description.clone().into());
        fields.insert("inputSchema".to_owned(), sorted(&tool.input_schema));
        if let Some(schema) = &tool.output_schema {
            fields.insert("outputSchema".to_owned(), sorted(schema));
        }
        if let Some(title) = &tool.title {
            fields.insert("title".to_owned(), title.clone().into());
        }
        (tool.name.clone(), Value::Object(fields))
    };
    let server = |(name, tools): (&String, &Vec<SnapshotTool>)| {
        let tools: Map<_, _> = tools.iter().map(tool).collect();
        (name.clone(), json!({ "tools": tools }))
    };
    let servers: Map<_, _> = servers.iter().map(server).collect();
    // In this order also where `serde_json` keeps the order of insertion.
    let file = json!({ "note": NOTE, "servers": servers, "version": VERSION });
    format!("{file:#}\n")
}

/// The servers of a text.
pub(super) fn read(text: &str, file: &str) -> Result<BTreeMap<String, Vec<SnapshotTool>>, SnapshotError> {
    if text.len() > Snapshot::MOST_BYTES {
        return Err(SnapshotError::TooLarge { file: file.to_owned(), most: Snapshot::MOST_BYTES });
    }
    let wrong = |error: &serde_json::Error| {
        let mut reason = error.to_string();
        if let Some(at) = reason.rfind(" at line ") {
            reason.truncate(at);
        }
        let (line, column) = (error.line().max(1), error.column().max(1));
        SnapshotError::Format { file: file.to_owned(), line, column, reason }
    };
    // A later version may have any other fields.
    let Version { version } = serde_json::from_str(text).map_err(|error| wrong(&error))?;
    if version > VERSION {
        return Err(SnapshotError::TooNew { file: file.to_owned(), version, known: VERSION });
    }
    if version == 0 {
        let reason = format!("there is no version {version}");
        return Err(SnapshotError::Format { file: file.to_owned(), line: 1, column: 1, reason });
    }
    let written: Written = serde_json::from_str(text).map_err(|error| wrong(&error))?;
    let tools = |Server { tools }: Server| {
        let tool = |(name, tool): (String, Tool)| SnapshotTool {
            name,
            title: tool.title,
            annotations: tool.annotations.unwrap_or_default(),
            description: tool.description.unwrap_or_default(),
            input_schema: tool.input_schema.0,
            output_schema: tool.output_schema.map(|schema| schema.0),
        };
        tools.0.into_iter().map(tool).collect()
    };
    Ok(written.servers.0.into_iter().map(|(name, server)| (name, tools(server))).collect())
}

#[derive(Deserialize)]
struct Version {
    version: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(rename = "version")]
    _version: IgnoredAny,
    #[serde(rename = "note")]
    _note: Option<String>,
    servers: Named<Server>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Server {
    tools: Named<Tool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Tool {
    title: Option<String>,
    description: Option<String>,
    annotations: Option<Annotations>,
    input_schema: Schema,
    output_schema: Option<Schema>,
}

/// An object whose keys are names. A name occurs once.
struct Named<T>(BTreeMap<String, T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(NamedVisitor(PhantomData))
    }
}

struct NamedVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for NamedVisitor<T> {
    type Value = Named<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Named<T>, A::Error> {
        let mut named = BTreeMap::new();
        while let Some(name) = map.next_key::<String>()? {
            if named.contains_key(&name) {
                return Err(twice(&name));
            }
            let value = map.next_value()?;
            named.insert(name, value);
        }
        Ok(Named(named))
    }
}

fn twice<E: Error>(name: &str) -> E {
    E::custom(format_args!("the key `{}` occurs twice", crate::visible::visible(name)))
}

/// A schema: an object without duplicate keys.
struct Schema(Value);

impl<'de> Deserialize<'de> for Schema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match UniqueVisitor.deserialize(deserializer)? {
            schema @ Value::Object(_) => Ok(Self(schema)),
            _ => Err(D::Error::custom("a schema is an object")),
        }
    }
}

/// Reads a value in which no object has a key twice, because readers disagree about such a key.
#[derive(Clone, Copy)]
struct UniqueVisitor;

impl<'de> DeserializeSeed<'de> for UniqueVisitor {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(self)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if fields.contains_key(&key) {
                return Err(twice(&key));
            }
            let value = map.next_value_seed(self)?;
            fields.insert(key, value);
        }
        Ok(Value::Object(fields))
    }
}
