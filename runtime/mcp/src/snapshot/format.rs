//! The text of the file.
//!
//! The macros find the names of servers and tools by the lines that `write` puts them in (`macros/src/lock_file.rs`): they have no serde. Both
//! are tested with `written.json`.

use std::collections::BTreeMap;

use onionskin_core::definition::Annotations;
use onionskin_core::json::Unique;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use super::tool::{SnapshotTool, sorted};
use super::{Snapshot, SnapshotError};
use onionskin_core::schema::reason_of;

/// The version that is written. Version 1, which has no titles and hints, is read too.
const VERSION: u64 = 2;
/// The first line of the file.
const NOTE: &str = "Written by `onionskin mcp lock`: what MCP servers offer. Do not edit it.";

/// The text of the file.
pub(super) fn write(servers: &BTreeMap<String, Vec<SnapshotTool>>) -> String {
    let tool = |tool: &SnapshotTool| {
        let mut fields = tool.fields();
        fields.remove("name");
        (tool.name.clone(), sorted(&Value::Object(fields)))
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
        let (line, column) = (error.line().max(1), error.column().max(1));
        SnapshotError::Format { file: file.to_owned(), line, column, reason: reason_of(error) }
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
    let Unique(_) = serde_json::from_str(text).map_err(|error| wrong(&error))?;
    let written: Document = serde_json::from_str(text).map_err(|error| wrong(&error))?;
    let tools = |Server { tools }: Server| {
        let tool = |(name, tool): (String, Tool)| SnapshotTool {
            name,
            title: tool.title,
            annotations: tool.annotations.unwrap_or_default(),
            description: tool.description.unwrap_or_default(),
            input_schema: tool.input_schema.into(),
            output_schema: tool.output_schema.map(Value::Object),
        };
        tools.into_iter().map(tool).collect()
    };
    Ok(written.servers.into_iter().map(|(name, server)| (name, tools(server))).collect())
}

#[derive(Deserialize)]
struct Version {
    version: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(rename = "version")]
    _version: IgnoredAny,
    #[serde(rename = "note")]
    _note: Option<String>,
    servers: BTreeMap<String, Server>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Server {
    tools: BTreeMap<String, Tool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Tool {
    title: Option<String>,
    description: Option<String>,
    annotations: Option<Annotations>,
    input_schema: Map<String, Value>,
    output_schema: Option<Map<String, Value>>,
}
