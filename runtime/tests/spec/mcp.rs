//! S2: tools of MCP servers from their descriptions.

use std::error::Error as _;

use onionskin::spec::{NotConnected, SpecError, Transform};
use onionskin::{ErrorKind, ToolSource, ToolSpec, call};
use serde_json::{Value, json};

/// What well-known servers list.
const DUMPS: [(&str, &str); 7] = [
    ("everything", include_str!("../data/mcp-tools/tools-everything.json")),
    ("fetch", include_str!("../data/mcp-tools/tools-fetch.json")),
    ("filesystem", include_str!("../data/mcp-tools/tools-filesystem.json")),
    ("memory", include_str!("../data/mcp-tools/tools-memory.json")),
    ("sequential-thinking", include_str!("../data/mcp-tools/tools-sequential-thinking.json")),
    ("tau2-mock-mcp-eval", include_str!("../data/mcp-tools/tools-tau2-mock-mcp-eval.json")),
    ("time", include_str!("../data/mcp-tools/tools-time.json")),
];

fn dumps() -> impl Iterator<Item = (String, Value)> {
    DUMPS.into_iter().flat_map(|(server, text)| {
        let tools: Vec<Value> = serde_json::from_str(text).unwrap();
        tools.into_iter().map(move |tool| (format!("{server}/{}", tool["name"]), tool))
    })
}

#[test]
fn s2_all_dumps_import() {
    let mut count = 0;
    for (place, tool) in dumps() {
        let spec = ToolSpec::from_mcp(tool.clone()).unwrap_or_else(|error| panic!("{place}: {error}"));
        assert_eq!(spec.name(), tool["name"], "{place}");
        assert_eq!(spec.description(), tool["description"].as_str().unwrap_or_default(), "{place}");
        assert_eq!(*spec.input_schema(), tool["inputSchema"], "{place}");
        assert_eq!(spec.output_schema(), tool.get("outputSchema"), "{place}");
        let hints = serde_json::to_value(spec.definition().annotations).unwrap();
        for (hint, value) in hints.as_object().unwrap() {
            assert_eq!(tool["annotations"][hint], *value, "{place}: {hint}");
        }
        assert_eq!((spec.source(), spec.server_name()), (ToolSource::Mcp, None));
        let required = spec.params().iter().filter(|param| param.required).count();
        assert_eq!(required, tool["inputSchema"]["required"].as_array().map_or(0, Vec::len), "{place}");
        count += 1;
    }
    assert_eq!(count, 48);
}

#[test]
fn s1_the_stub_of_every_dump_is_a_signature_that_rust_can_read() {
    for (place, tool) in dumps() {
        let code = ToolSpec::from_mcp(tool).unwrap().code();
        let mut signature = String::new();
        for line in code.lines().filter(|line| !line.starts_with("///")) {
            signature.push_str(line);
        }
        assert!(signature.starts_with("async fn ") && signature.ends_with(';'), "{place}: {code}");
        let (inputs, output) = signature.split_once(") -> ").unwrap();
        let word = |c: char| c.is_alphanumeric() || "_ ():,<>".contains(c);
        assert!(inputs.chars().all(word) && !output.is_empty(), "{place}: {code}");
    }
}

#[tokio::test]
async fn s2_without_a_connection_calls_end_with_a_typed_error() {
    let (_, tool) = dumps().find(|(place, _)| place.starts_with("time/")).unwrap();
    let mut spec = ToolSpec::from_mcp(&*tool.to_string()).unwrap();
    let exit = call!(spec, timezone = "UTC").await.unwrap_err();
    let error = exit.as_tool_error().unwrap();
    assert_eq!(error.kind(), ErrorKind::Remote);
    let source = error.source().unwrap().downcast_ref::<NotConnected>().unwrap();
    assert_eq!(source.tool, "get_current_time");
    assert!(exit.to_string().contains("McpServer::start"), "{exit}");
    spec.transform(Transform::new().name("now").rename("timezone", "zone")).unwrap();
    spec.bind("zone", None, json!("UTC")).unwrap();
    assert!(spec.input_schema().get("required").is_none());
    assert!(call!(spec).await.unwrap_err().to_string().contains("`now`"));
}

#[test]
fn s2_what_is_no_description_is_told() {
    for wrong in
        [json!({}), json!({"name": "x"}), json!([1]), json!({"name": "", "inputSchema": {"type": "object"}})]
    {
        let error = ToolSpec::from_mcp(wrong.clone()).unwrap_err();
        assert!(matches!(error, SpecError::Description { .. }), "{wrong}: {error}");
    }
    let error = ToolSpec::from_mcp("{").unwrap_err().to_string();
    assert!(error.contains("line 1"), "{error}");
}
