use std::path::PathBuf;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::McpConfig;
use crate::property_tests::leaf;
use crate::testing::{FakeAnswer, FakeServer};

fn read(text: &str) -> Result<Snapshot, SnapshotError> {
    Snapshot::from_json(text, Snapshot::FILE)
}

fn snapshot_of_tools(tools: &Value) -> Snapshot {
    read(&json!({"version": 1, "servers": {"time": {"tools": tools}}}).to_string()).unwrap()
}

/// An empty folder for one test.
fn folder(test: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("onionskin-{test}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn a3_texts_are_accepted_and_refused() {
    let accepted: Vec<Value> = serde_json::from_str(include_str!("accepted.json")).unwrap();
    for text in accepted {
        read(&text.to_string()).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
    let refused: Vec<String> = serde_json::from_str(include_str!("refused.json")).unwrap();
    for text in refused {
        assert!(read(&text).is_err(), "{text}");
    }
}

#[test]
fn a3_the_text_is_sorted_and_ends_with_a_line() {
    let schema = json!({"type": "object", "properties": {"b": {}, "a": {}}, "required": ["b", "a"]});
    let tools = json!({"get_time": {"inputSchema": schema}, "a😀\n": {"title": "A", "inputSchema": {}}});
    let snapshot = read(
        &json!({"version": 1, "servers": {"tü \"x\"": {"tools": tools}, "a": {"tools": {}}}}).to_string(),
    );
    let snapshot = snapshot.unwrap();
    let written = snapshot.to_json();
    assert_eq!(written, include_str!("written.json"));
    assert_eq!(read(&written).unwrap(), snapshot);
}

#[test]
fn a3_errors_name_the_file_the_place_and_the_command() {
    let error = read("{\n  \"version\": 1,\n  \"servers\": 2\n}").unwrap_err();
    assert_eq!(
        error.to_string(),
        "onionskin-mcp.lock.json:3:14: invalid type: integer `2`, expected a map; run `onionskin mcp lock` to rewrite the file"
    );
    let error = read(r#"{"version": 7, "tools": []}"#).unwrap_err();
    assert!(matches!(error, SnapshotError::TooNew { version: 7, known: 2, .. }), "{error}");
    let long = " ".repeat(Snapshot::MOST_BYTES + 1);
    assert!(matches!(read(&long), Err(SnapshotError::TooLarge { .. })));
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let deep = format!(
        r#"{{"version": 1, "servers": {{"a": {{"tools": {{"b": {{"inputSchema": {{"x": {deep}}}}}}}}}}}}}"#
    );
    let deep = read(&deep).unwrap_err().to_string();
    assert!(deep.contains(": recursion limit exceeded; run"), "{deep}");
}

#[test]
fn a3_the_deepest_file_has_127_levels() {
    // Four objects around the schema, one around the lists.
    let nested = |levels: usize| {
        let lists = "[".repeat(levels) + &"]".repeat(levels);
        read(&format!(
            r#"{{"version": 1, "servers": {{"a": {{"tools": {{"b": {{"inputSchema": {{"x": {lists}}}}}}}}}}}}}"#
        ))
    };
    assert!(nested(121).is_ok());
    assert!(nested(122).is_err());
}

#[test]
fn a3_files_are_bounded_and_replaced_as_a_whole() {
    let folder = folder("files");
    let path = folder.join(Snapshot::FILE);
    let missing = Snapshot::read(&path).unwrap_err().to_string();
    assert!(
        missing.starts_with("cannot read `") && missing.contains("run `onionskin mcp lock`"),
        "{missing}"
    );
    assert!(Snapshot::read(&folder).unwrap_err().to_string().contains("it is not a file"));

    let snapshot = snapshot_of_tools(&json!({"get_time": {"inputSchema": {"type": "object"}}}));
    assert!(snapshot.write(&path).unwrap());
    assert!(!snapshot.write(&path).unwrap(), "nothing changed");
    assert_eq!(Snapshot::read(&path).unwrap(), snapshot);
    assert!(Snapshot::new().write(&path).unwrap());
    let names: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, [Snapshot::FILE], "nothing is left behind");

    std::fs::write(&path, [0xff]).unwrap();
    assert!(Snapshot::read(&path).unwrap_err().to_string().contains("UTF-8"));
    let large = std::fs::File::create(&path).unwrap();
    large.set_len(1 << 40).unwrap();
    assert!(matches!(Snapshot::read(&path), Err(SnapshotError::TooLarge { .. })));
    assert!(snapshot.write(folder.join("none").join("file")).is_err());
    std::fs::remove_dir_all(folder).unwrap();
}

#[cfg(unix)]
#[test]
fn a3_nothing_is_written_through_a_link() {
    let folder = folder("link");
    let (real, link) = (folder.join("real.json"), folder.join("link.json"));
    std::fs::write(&real, "x").unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    std::os::unix::fs::symlink(folder.join("none"), folder.join("dangling.json")).unwrap();
    for path in [link, folder.join("dangling.json")] {
        let error = Snapshot::new().write(&path).unwrap_err().to_string();
        assert!(error.contains("it is a link; write to the file itself"), "{error}");
    }
    assert_eq!(std::fs::read_to_string(&real).unwrap(), "x");
    assert!(!folder.join("none").exists());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a3_a_snapshot_that_could_not_be_read_is_not_written() {
    let folder = folder("unreadable");
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    let tool = SnapshotTool {
        name: "deep".to_owned(),
        title: None,
        description: String::new(),
        annotations: onionskin_core::definition::Annotations::NONE,
        input_schema: json!({ "default": deep }),
        output_schema: None,
    };
    let snapshot = Snapshot { servers: [("a".to_owned(), vec![tool])].into() };
    let path = folder.join(Snapshot::FILE);
    assert!(matches!(snapshot.write(&path), Err(SnapshotError::Format { .. })));
    assert!(!path.exists());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a3_a_drift_names_each_difference() {
    let schema = json!({"type": "object"});
    let then = snapshot_of_tools(&json!({
        "a": {"inputSchema": schema}, "b": {"inputSchema": schema}, "c": {"inputSchema": schema, "description": "C."},
        "d": {"inputSchema": {"properties": {"x": {}, "y": {}}}},
    }));
    let now = snapshot_of_tools(&json!({
        "c": {"inputSchema": schema, "description": "See."}, "d": {"inputSchema": {"properties": {"y": {}, "x": {}}}},
        "b": {"inputSchema": {"properties": {"z": {}}}, "outputSchema": {}}, "e": {"inputSchema": schema},
    }));
    let drift = then.drift(&now);
    assert_eq!(
        drift.to_string(),
        "`time`: added `e`; removed `a`; changed `b` (input schema, output schema), `c` (description)"
    );
    assert!(then.drift(&then).is_empty());
    // Schemas that say the same are no difference: older files have them as servers wrote them.
    let written = snapshot_of_tools(
        &json!({"a": {"inputSchema": {}}, "b": {"inputSchema": {"type": "object", "properties": null}}}),
    );
    let normal = snapshot_of_tools(
        &json!({"a": {"inputSchema": {"type": "object", "properties": {}}}, "b": {"inputSchema": schema}}),
    );
    assert!(written.drift(&normal).is_empty(), "{}", written.drift(&normal));
    // A name is a part of its line.
    let forged = snapshot_of_tools(&json!({}))
        .drift(&snapshot_of_tools(&json!({"a\n`other`: up to date": {"inputSchema": {"type": "object"}}})));
    assert_eq!(forged.to_string(), "`time`: added `a\\n`other`: up to date`");
    let many: Value = (0..1_000).map(|nth| (format!("t{nth:03}"), json!({"inputSchema": {}}))).collect();
    let report = snapshot_of_tools(&many).drift(&now).servers()[0].report();
    assert!(report.contains("`t019`, 980 more, in comparison with"), "{report}");
    let mut other = now.clone();
    other.retain(|_| false);
    assert_eq!(then.drift(&other).removed(), ["time"]);
    assert_eq!(other.drift(&then).added(), ["time"]);
    other.extend(then.clone());
    assert_eq!(other, then);
}

#[tokio::test]
async fn a3_hints_and_titles_are_kept_and_compared() {
    let taken = async |description: Value| {
        let mut config = McpConfig::new();
        config.insert("bank", FakeServer::new().tool(description, |_| FakeAnswer::from("done")).config());
        Snapshot::take(&config).await.unwrap().snapshot
    };
    let locked =
        taken(json!({"name": "pay", "title": "Pay", "annotations": {"destructiveHint": true}})).await;
    assert_eq!(read(&locked.to_json()).unwrap(), locked);
    let tool = &locked.tools("bank").unwrap()[0];
    assert_eq!((tool.title(), tool.annotations().destructive), (Some("Pay"), Some(true)));
    let spec = locked.tool_spec("bank", "pay").unwrap().unwrap();
    assert_eq!(spec.definition().effect, onionskin_core::Effect::Once);
    let hinted = taken(json!({"name": "pay", "title": "Look", "annotations": {"readOnlyHint": true}})).await;
    assert_eq!(locked.drift(&hinted).to_string(), "`bank`: changed `pay` (title, hints)");
    // Both at once: the stricter counts.
    let both =
        taken(json!({"name": "pay", "annotations": {"readOnlyHint": true, "destructiveHint": true}})).await;
    assert_eq!(both.tools("bank").unwrap()[0].annotations().read_only, Some(false));
    assert_eq!(
        both.tool_spec("bank", "pay").unwrap().unwrap().definition().effect,
        onionskin_core::Effect::Once
    );
    // A file of version 1 has neither: it is out of date.
    let old = read(
        r#"{"version": 1, "servers": {"bank": {"tools": {"pay": {"description": "", "inputSchema": {"type": "object"}}}}}}"#,
    );
    assert!(old.unwrap().drift(&locked).to_string().contains("(title, hints"), "{}", locked.to_json());
}

#[tokio::test]
async fn a3_a_snapshot_hides_variables_and_has_specs() {
    let fake = FakeServer::new().tool(
        json!({
            "name": "get_time",
            "description": "Keeps files in /home/ada.",
            "inputSchema": {"type": "object", "properties": {"zone": {"type": "string", "default": "s3cret-value"}}},
        }),
        |_| FakeAnswer::from("noon"),
    );
    let mut config = McpConfig::new();
    config.insert("time", fake.config().env("API_KEY", "s3cret-value").env("FOLDER", "/home/ada"));
    let taken = Snapshot::take(&config).await.unwrap();
    let text = taken.snapshot.to_json();
    assert!(!text.contains("s3cret") && !text.contains("ada"), "{text}");
    assert!(text.contains("Keeps files in [$FOLDER]."), "{text}");
    let spec = taken.snapshot.tool_spec("time", "get_time").unwrap().unwrap();
    assert_eq!(
        (spec.name(), spec.server_name(), &*spec.params()[0].name),
        ("get_time", Some("time"), "zone")
    );
    let error = spec.call_blocking(json!({})).unwrap_err();
    assert!(error.to_string().contains("without a connection to its server `time`"), "{error}");
    assert!(taken.snapshot.tool_spec("time", "get_moon").is_none());
    assert_eq!(taken.snapshot.tool_specs("time").unwrap().unwrap().len(), 1);
    assert!(taken.snapshot.tool_specs("moon").is_none());
}

#[tokio::test]
async fn a3_all_servers_that_fail_are_one_error() {
    let json = r#"{"mcpServers": {"a": {"command": "/no/such/program"}, "b": {"url": "example.com"}}}"#;
    let mut config = McpConfig::from_json(json, "mcp.json").unwrap();
    config.insert("c", FakeServer::new().config());
    let error = Snapshot::take(&config).await.unwrap_err();
    assert_eq!(error.errors().len(), 2);
    let text = error.to_string();
    assert!(text.contains("the MCP server `a` (`/no/such/program`) did not start"), "{text}");
    assert!(text.contains("mcp.json:1:") && text.contains("mcpServers.b"), "{text}");
    config.retain(|name| name == "c");
    let taken = Snapshot::take(&config).await.unwrap();
    assert_eq!(taken.snapshot.servers().collect::<Vec<_>>(), ["c"]);
}

fn any_json() -> impl Strategy<Value = Value> {
    leaf(".{0,6}").prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(
                prop_oneof!["version", "servers", "tools", "inputSchema", "description", ".{0,3}"],
                inner,
                0..4
            )
            .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn a3_no_text_is_a_panic(text in ".{0,200}") {
        let _ = read(&text);
    }

    #[test]
    fn a3_no_value_is_a_panic(value in any_json(), cut in any::<prop::sample::Index>()) {
        let _ = read(&value.to_string());
        let file = json!({"version": 1, "servers": value}).to_string();
        let _ = read(&file);
        let at = file.floor_char_boundary(cut.index(file.len()));
        prop_assert!(read(&file[..at]).is_err());
    }

    #[test]
    fn a3_what_is_written_is_read(name in ".{0,8}", schema in any_json(), description in ".{0,8}") {
        let snapshot = snapshot_of_tools(&json!({ name: {"description": description, "inputSchema": {"default": schema}} }));
        let text = snapshot.to_json();
        prop_assert_eq!(read(&text).unwrap(), snapshot.clone());
        prop_assert!(snapshot.drift(&read(&text).unwrap()).is_empty());
        prop_assert_eq!(read(&text).unwrap().to_json(), text);
    }
}
