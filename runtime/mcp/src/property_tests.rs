//! Property tests of what comes from outside: files, lines, results. `PROPTEST_CASES` makes them longer; cases that failed
//! once are kept in `proptest-regressions/`, and run first.

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use serde_json::{Value, json};

use super::argument_names::renamed;
use super::config::McpConfig;
use super::convert;
use super::error::McpError;
use super::list_tools::Listed;
use super::normal_schema::normalise;
use super::tool_rules::{RULES, Rule};
use super::wire::{self, Incoming};
use onionskin_core::Exit;
use onionskin_core::export::{Provider, plain_schema};
use onionskin_core::model::ToolDeclaration;

fn config() -> ProptestConfig {
    let seeds = FileFailurePersistence::Direct("proptest-regressions/mcp.txt");
    ProptestConfig { failure_persistence: Some(Box::new(seeds)), ..ProptestConfig::default() }
}

/// Words that mean something to the readers, and others.
fn word() -> impl Strategy<Value = String> {
    let known = [
        "mcpServers",
        "command",
        "args",
        "env",
        "cwd",
        "timeout",
        "startTimeout",
        "parallel",
        "disabled",
        "enabled",
        "tools",
        "disabledTools",
        "enabled_tools",
        "autoApprove",
        "toolFilter",
        "*",
        "type",
        "url",
        "stdio",
        "http",
        "fix",
        "${HOME}",
        "${",
        "${NOT_SET:-x}",
        "jsonrpc",
        "2.0",
        "id",
        "method",
        "result",
        "error",
        "params",
        "code",
        "message",
        "notifications/progress",
        "progressToken",
        "progress",
        "content",
        "text",
        "image",
        "data",
        "mimeType",
        "resource",
        "resource_link",
        "uri",
        "name",
        "structuredContent",
        "isError",
        "_meta",
        "resultType",
        "complete",
        "input_required",
        "task",
        "blob",
    ];
    prop_oneof![4 => prop::sample::select(known.to_vec()).prop_map(str::to_owned), 1 => any::<String>()]
}

/// A value without others in it.
pub(crate) fn leaf(text: impl Strategy<Value = String>) -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text.prop_map(Value::from),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    leaf(word()).prop_recursive(5, 48, 5, |inner| {
        let fields = prop::collection::vec((word(), inner.clone()), 0..5);
        prop_oneof![
            prop::collection::vec(inner, 0..5).prop_map(Value::from),
            fields.prop_map(|fields| fields.into_iter().collect()),
        ]
    })
}

/// The JSON of a value, with pieces of it written over.
fn broken(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Vec<u8>> {
    let pieces = [
        "", "\"", "{", "}", "[", "]", ",", ":", "\\", "\\ud800", "\\u0000", "\n", "NaN", "1e999", "-",
        "\u{feff}", "//", "/*", "*/", "// x\n", "/* x */", ",}", ",]",
    ];
    let piece = prop_oneof![
        4 => prop::sample::select(pieces.to_vec()).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 1..4),
        1 => (1..2_000_usize).prop_map(|deep| b"[".repeat(deep)),
        1 => (1..200_usize).prop_map(|deep| b"{\"a\":".repeat(deep)),
    ];
    let changes = prop::collection::vec((any::<prop::sample::Index>(), 0..3_usize, piece), 0..3);
    (value, changes).prop_map(|(value, changes)| {
        let mut text = value.to_string().into_bytes();
        for (at, length, piece) in changes {
            let at = at.index(text.len() + 1);
            let end = (at + length).min(text.len());
            text.splice(at..end, piece);
        }
        text
    })
}

fn file() -> impl Strategy<Value = Value> {
    let server = prop_oneof![
        value(),
        prop::collection::vec((word(), value()), 0..5).prop_map(|fields| {
            let mut server: Value = fields.into_iter().collect();
            server["command"] = json!("x");
            server
        }),
    ];
    let servers = prop::collection::vec((word(), server), 0..4);
    (servers, prop::collection::vec((word(), value()), 0..3)).prop_map(|(servers, others)| {
        let mut file: Value = others.into_iter().collect();
        file["mcpServers"] = servers.into_iter().collect();
        file
    })
}

/// The name of a rule, spelt in another way or misspelt by one letter.
fn misspelt() -> impl Strategy<Value = (String, Rule)> {
    let edits = (any::<prop::sample::Index>(), 0..5_u8, any::<bool>());
    (prop::sample::select(RULES.to_vec()), edits).prop_map(|((name, rule), (at, kind, snake))| {
        let mut letters: Vec<char> = name.chars().collect();
        let at = at.index(letters.len() - 1);
        match kind {
            0 => _ = letters.remove(at + 1),
            1 => letters.insert(at, letters[at]),
            2 => letters.swap(at, at + 1),
            3 => letters[at] = letters[at].to_ascii_uppercase(),
            _ => {}
        }
        if snake {
            letters = letters
                .iter()
                .flat_map(|letter| {
                    [letter.is_ascii_uppercase().then_some('_'), Some(letter.to_ascii_lowercase())]
                })
                .flatten()
                .collect();
        }
        (letters.into_iter().collect(), rule)
    })
}

/// JSON as editors write it: a comment or blanks between any two tokens, and trailing commas.
fn edited(value: &Value, notes: &mut impl Iterator<Item = u8>) -> String {
    let mut note = || match notes.next() {
        Some(0) => "// } \" ,\n",
        Some(1) => "/* ] \" \n */",
        Some(2) => "\n",
        _ => "",
    };
    let (before, comma) = (note(), if note().is_empty() { "" } else { "," });
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            let fields: Vec<_> = fields
                .iter()
                .map(|(key, value)| format!("{before}{}:{}", json!(key), edited(value, notes)))
                .collect();
            format!("{{{}{comma}{before}}}", fields.join(","))
        }
        Value::Array(items) if !items.is_empty() => {
            let items: Vec<_> = items.iter().map(|item| edited(item, notes)).collect();
            format!("[{}{before}{comma}{before}]", items.join(","))
        }
        plain => format!("{before}{plain}{before}"),
    }
}

fn answer() -> impl Strategy<Value = Value> {
    (value(), value(), value(), any::<bool>()).prop_map(|(content, structured, meta, is_error)| {
        let content =
            if content.is_array() { content } else { json!([{"type": "text", "text": "t"}, content]) };
        json!({"content": content, "structuredContent": structured, "isError": is_error, "_meta": meta})
    })
}

/// Words of schemas, right and wrong.
fn schema_word() -> impl Strategy<Value = String> {
    let known = [
        "type",
        "properties",
        "required",
        "items",
        "anyOf",
        "oneOf",
        "allOf",
        "$ref",
        "$defs",
        "enum",
        "const",
        "not",
        "additionalProperties",
        "minimum",
        "exclusiveMinimum",
        "minLength",
        "description",
        "default",
        "prefixItems",
        "patternProperties",
        "dependentRequired",
        "if",
        "then",
        "object",
        "array",
        "string",
        "str",
        "integer",
        "null",
        "any",
        "date",
        "#",
        "#/$defs/a",
        "#/properties/a",
        "a",
        "b",
        "$top",
        "definitions",
        "additionalItems",
        "uniqueItems",
    ];
    prop_oneof![8 => prop::sample::select(known.to_vec()).prop_map(str::to_owned), 1 => any::<String>()]
}

fn schema() -> impl Strategy<Value = Value> {
    let inside = leaf(schema_word()).prop_recursive(6, 64, 5, |inner| {
        let fields = prop::collection::vec((schema_word(), inner.clone()), 0..5);
        prop_oneof![
            1 => prop::collection::vec(inner, 0..4).prop_map(Value::from),
            3 => fields.prop_map(|fields| fields.into_iter().collect()),
        ]
    });
    prop::collection::vec((schema_word(), inside), 0..6).prop_map(|fields| fields.into_iter().collect())
}

fn list() -> impl Strategy<Value = Value> {
    let tool = (word(), schema(), value()).prop_map(|(name, schema, description)| match description {
        Value::Number(_) => json!({"name": name, "inputSchema": schema, "description": "d"}),
        Value::Bool(_) => json!({"name": name, "inputSchema": schema, "outputSchema": schema}),
        description => json!({"name": name, "inputSchema": schema, "description": description}),
    });
    (prop::collection::vec(tool, 0..4), value())
        .prop_map(|(tools, cursor)| json!({"tools": tools, "nextCursor": cursor}))
}

proptest! {
    #![proptest_config(config())]

    /// A list is read or refused. Each of its tools is taken, in a form that stays what it is and that providers take, or named
    /// with a reason.
    #[test]
    fn long_a4_any_list_of_tools_is_taken_or_refused(text in broken(list())) {
        let text = String::from_utf8_lossy(&text);
        let mut listed = Listed::default();
        if let Err(reason) = listed.page(&text, &mut std::collections::HashSet::new()) {
            prop_assert!(reason.len() < 500, "{}", reason);
        }
        prop_assert!(listed.refused.iter().map(|left_out| &left_out.reason).chain(&listed.rewritten).all(|reported| reported.len() < 5_000));
        for tool in listed.tools {
            let schema = Value::Object((*tool.input_schema).clone());
            let mut again = (*tool.input_schema).clone();
            let reported = normalise(&mut again);
            prop_assert_eq!(reported, Ok(None), "{}", schema);
            prop_assert_eq!(&Value::Object(again), &schema);
            let definition = convert::definition("s__t", tool);
            let declared = ToolDeclaration::new("s__t", &definition);
            let plain = plain_schema(Provider::OPENAI, &declared);
            let plain = plain.map_err(|error| TestCaseError::fail(format!("{error} of {schema}")))?;
            let is_plain = ["anyOf", "oneOf", "allOf", "not", "enum", "$ref"].iter().all(|key| plain.get(*key).is_none());
            prop_assert!(plain["type"] == "object" && plain["properties"].is_object() && is_plain, "{}", plain);
            let mut names: Vec<_> = renamed(&schema).into_iter().map(|(_, new)| new).collect();
            names.extend(schema["properties"].as_object().unwrap().keys().filter(|name| !name.is_empty()).cloned());
            let distinct: std::collections::HashSet<_> = names.iter().collect();
            prop_assert_eq!(distinct.len(), names.len(), "{:?}", names);
        }
    }

    /// A file is read, or refused at a place of it; and whatever is wrong with one server leaves the others.
    #[test]
    fn long_a4_any_mcp_json_is_read_or_refused_at_a_place(text in broken(file())) {
        let text = String::from_utf8_lossy(&text);
        match McpConfig::from_json(&text, "f") {
            Ok(config) => {
                for name in config.names() {
                    if let Some(Err(error)) = config.get(name) {
                        prop_assert!(error.to_string().starts_with("f:"), "{}", error);
                    }
                }
                let reported: usize = config.unread().map(str::len).sum();
                prop_assert!(reported <= 200 * (text.len() + 1), "{} of {}", reported, text.len());
                let shown = format!("{config:?}");
                prop_assert!(!shown.is_empty());
            }
            Err(McpError::Config { line, column, .. }) => {
                prop_assert!(line <= text.lines().count() + 1 && column <= text.len() + 1, "{}:{}", line, column);
            }
            Err(other) => prop_assert!(false, "{}", other),
        }
    }

    /// A well-formed file keeps its servers, whatever else is in it.
    #[test]
    fn long_a4_servers_of_a_file_are_kept(file in file()) {
        let config = McpConfig::from_json(&file.to_string(), "f").unwrap();
        let servers = file["mcpServers"].as_object().unwrap();
        prop_assert!(config.names().eq(servers.keys().map(String::as_str).collect::<std::collections::BTreeSet<_>>()));
    }

    /// Comments and trailing commas change nothing but places.
    #[test]
    fn long_a4_comments_of_a_file_change_nothing(file in file(), notes in prop::collection::vec(0..6_u8, 0..64)) {
        let text = edited(&file, &mut notes.into_iter());
        let (plain, with) = (McpConfig::from_json(&file.to_string(), "f").unwrap(), McpConfig::from_json(&text, "f"));
        let with = with.map_err(|error| TestCaseError::fail(format!("{error}: {text}")))?;
        prop_assert!(plain.names().eq(with.names()));
        for name in plain.names() {
            let (plain, with) = (plain.get(name).unwrap(), with.get(name).unwrap());
            match (plain, with) {
                (Ok(plain), Ok(with)) => prop_assert_eq!(format!("{plain:?}"), format!("{with:?}")),
                (Err(McpError::Config { field, .. }), Err(McpError::Config { field: same, .. }))
                | (Err(McpError::Disabled { field, .. }), Err(McpError::Disabled { field: same, .. })) => prop_assert_eq!(field, same),
                _ => prop_assert!(false, "{:?} {:?}", plain, with),
            }
        }
    }

    /// A field by which people take tools away is obeyed or refused, however it is spelt. It is never ignored.
    #[test]
    fn long_a4_no_rule_is_ignored((name, rule) in misspelt()) {
        let value = match rule {
            Rule::Only | Rule::Unasked => json!([]),
            Rule::Never => json!(["*"]),
            Rule::Disabled => json!(true),
            Rule::Enabled => json!(false),
        };
        let text = json!({"mcpServers": {"fix": {"command": "x", name.clone(): value}}}).to_string();
        let config = McpConfig::from_json(&text, "f").unwrap();
        if let Some(Ok(server)) = config.get("fix") {
            prop_assert!(server.rules.removed_by("fix", "t").is_some() || server.rules.asks("fix", "t"), "{} is ignored", name);
        }
    }

    /// A result is used unchanged, or refused with a short message.
    #[test]
    fn long_a4_any_result_is_taken_or_refused(text in broken(answer())) {
        let text = String::from_utf8_lossy(&text);
        match convert::result("s", &text) {
            Ok(output) => {
                let reported: usize = output.content().iter().map(|block| serde_json::to_string(block).unwrap().len()).sum();
                prop_assert!(reported <= 8 * text.len() + 64, "{} of {}", reported, text.len());
            }
            Err(Exit::Tool(error)) => {
                let is_error = serde_json::from_str::<Value>(&text).is_ok_and(|answer| answer["isError"] == true);
                prop_assert!(is_error || error.to_text().len() < 1_000, "{}", error);
            }
            Err(other) => prop_assert!(false, "{}", other),
        }
    }

    /// A result that is written as the protocol asks comes through the wire and the reader unchanged.
    #[test]
    fn long_a4_a_good_result_arrives(text in any::<String>(), structured in value(), id in any::<i64>()) {
        let structured = json!({ "value": structured });
        let result = json!({ "content": [{ "type": "text", "text": text }], "structuredContent": structured });
        let line = json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string();
        let read = wire::read(line.as_bytes());
        let [Incoming::Answer(_, result)] = &read[..] else { panic!("{line}") };
        let output = convert::result("s", result).map_err(|exit| TestCaseError::fail(exit.to_string()))?;
        // Without a text, the JSON of the value is one.
        let reported = if text.trim().is_empty() { structured.to_string() } else { text };
        prop_assert_eq!(&*output.to_text(), &*reported);
        prop_assert_eq!(&*output.structured_content().unwrap(), &structured);
    }

    /// Every line has a kind, and the message of a wrong line is short.
    #[test]
    fn long_a4_any_line_is_read(
        line in broken((value(), value(), any::<u8>()).prop_map(|(id, result, kind)| match kind % 4 {
            0 => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            1 => json!({"jsonrpc": "2.0", "id": id, "error": result}),
            2 => json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": result}),
            _ => result,
        })),
        end in prop::collection::vec(any::<u8>(), 0..64),
    ) {
        for incoming in wire::read(&line).into_iter().chain([wire::read_ends(&line, &end)]) {
            match incoming {
                Incoming::Answer(_, result) => prop_assert!(result.len() <= line.len()),
                Incoming::Unreadable(_, reason) => prop_assert!(reason.len() < 500, "{}", reason),
                _ => {}
            }
        }
    }
}
