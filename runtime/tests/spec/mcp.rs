//! S2: tools of MCP servers from their descriptions.

use std::error::Error as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use onionskin::definition::ToolSource;
use onionskin::export::{ExportError, ExportOptions};
use onionskin::mcp::McpToolSpec as _;
use onionskin::mcp::NotConnected;
use onionskin::spec::{SpecError, Transform};
use onionskin::{
    Args, ErrorKind, Exit, ScriptedModel, ScriptedTurn, ToolContext, ToolResult, ToolSpec, agent, call,
    tool_hook,
};
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

pub fn dumps() -> impl Iterator<Item = (String, Value)> {
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

/// Has the compiler read stubs, each as a function of a trait of its own.
fn compile(stubs: &[String]) {
    let mut file = "pub struct Value;\npub struct ToolOutput;\n".to_owned();
    for (at, stub) in stubs.iter().enumerate() {
        file.push_str(&format!("pub mod m{at} {{ use super::*; pub trait T {{\n{stub}\n}} }}\n"));
    }
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut compiler = Command::new(rustc)
        .args([
            "--edition=2024",
            "--crate-type=lib",
            "--crate-name=stubs",
            "--cap-lints=allow",
            "--emit=metadata=-",
            "-",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    compiler.stdin.take().unwrap().write_all(file.as_bytes()).unwrap();
    let output = compiler.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn s1_the_stub_of_every_dump_is_a_signature_that_rust_can_read() {
    let stubs: Vec<_> = dumps().map(|(_, tool)| ToolSpec::from_mcp(tool).unwrap().code()).collect();
    for stub in &stubs {
        let line = stub.lines().last().unwrap();
        assert!(line.starts_with("async fn ") && line.ends_with(';'), "{stub}");
    }
    compile(&stubs);
}

#[test]
fn s1_the_stub_writes_every_name_as_rust_can() {
    let names = [
        "type",
        "self",
        "Self",
        "a-b",
        "a_b",
        "_",
        "-",
        "",
        "2d",
        "gen",
        "größe",
        "a b\n",
        "x\u{1F600}",
        "½",
    ];
    let property = |name: &&str| ((*name).to_owned(), json!({"type": "string", "description": "one\rtwo"}));
    let properties: serde_json::Map<_, _> = names.iter().map(property).collect();
    let stub = |name: &str| {
        let tool = json!({
            "name": name,
            "description": "A\rb */ \"c\"",
            "inputSchema": {"type": "object", "properties": properties, "required": names},
        });
        ToolSpec::from_mcp(tool).unwrap().code()
    };
    let stubs = ["match", "crate", "_", "my-tool", "fn main() {}"].map(stub);
    assert!(stubs[0].contains("async fn r#match(") && stubs[0].contains("r#type: String"), "{}", stubs[0]);
    assert!(stubs[0].contains("größe: String") && stubs[3].contains("async fn my_tool("), "{}", stubs[3]);
    compile(&stubs);
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

#[tool_hook]
fn record_source(ctx: &ToolContext, result: &mut ToolResult) {
    let text = format!("{} of {} from {:?}", ctx.tool_name(), ctx.source(), ctx.server_name());
    if let Err(Exit::Tool(error)) = result {
        error.output_mut().push_text(text);
    }
}

#[tool_hook]
fn refuse_server_time(ctx: &ToolContext, args: &Args) -> Result<(), String> {
    let _ = args;
    if ctx.server_name() == Some("time") { Err("not this server".to_owned()) } else { Ok(()) }
}

agent! {
    Watched { instruction: "Go.", tool_hooks: [record_source for [source(mcp)]] }
    Refused { instruction: "Go.", tool_hooks: [refuse_server_time] }
}

#[tokio::test]
async fn s2_a_description_knows_its_server() {
    let (_, tool) = dumps().find(|(place, _)| place.starts_with("time/")).unwrap();
    let spec = ToolSpec::from_mcp_of("time", tool.clone()).unwrap();
    assert_eq!((spec.server_name(), spec.source()), (Some("time"), ToolSource::Mcp));
    assert_eq!(ToolSpec::from_mcp(tool).unwrap().server_name(), None);
    let exit = call!(spec, timezone = "UTC").await.unwrap_err();
    let source = exit.as_tool_error().unwrap().source().unwrap().downcast_ref::<NotConnected>().unwrap();
    assert_eq!(source.server.as_deref(), Some("time"));
    assert!(exit.to_string().contains("its server `time`"), "{exit}");
    // Hooks of its own, and those of an agent, read it as they read that of a tool of a live server.
    let own = spec.clone().hook(record_source::new()).exec(json!({ "timezone": "UTC" })).await;
    let wanted = "get_current_time of mcp from Some(\"time\")";
    assert!(format!("{:?}", own.content()).contains(&format!("{wanted:?}")), "{:?}", own.content());
    let call = || {
        let call = ScriptedTurn::call("get_current_time", json!({ "timezone": "UTC" }));
        ScriptedModel::turns([call, ScriptedTurn::say("{last}")])
    };
    let text = Watched::builder().model(call()).tool(spec.clone()).run("Go.").await.unwrap().text;
    assert!(text.contains(wanted), "{text}");
    let text = Refused::builder().model(call()).tool(spec).run("Go.").await.unwrap().text;
    assert_eq!(text, "not this server");
}

#[test]
fn s3_rmcps_type_takes_custom_fields() {
    let mut spec = ToolSpec::from_mcp(json!({ "name": "now", "inputSchema": { "type": "object" } })).unwrap();
    let fields = ExportOptions::new().field("example.com/team", "clocks").field("tier", 2);
    let tool = spec.to_mcp_with(&fields).unwrap();
    assert_eq!(json!(tool.meta), json!({ "example.com/team": "clocks", "tier": 2 }));
    let plain = spec.to_mcp().unwrap();
    assert_eq!((plain.meta, plain.icons), (None, None));
    spec.options(|options| options.meta = Some(std::sync::Arc::new(json!({ "tier": 1 }))));
    assert_eq!(json!(spec.to_mcp().unwrap().meta), json!({ "tier": 1 }));
    for (field, value) in
        [("tier", json!(2)), ("title", json!("Now")), ("inputSchema", json!({})), ("_meta", json!({}))]
    {
        let clash = spec.to_mcp_with(&ExportOptions::new().field(field, value)).unwrap_err();
        assert!(
            matches!(&clash, ExportError::ReservedField { field: found, .. } if found == field),
            "{clash}"
        );
    }
    let icons = |icons: Value| spec.to_mcp_with(&ExportOptions::new().field("icons", icons));
    let tool = icons(json!([{ "src": "https://example.com/clock.png" }])).unwrap();
    assert_eq!(tool.icons.unwrap()[0].src, "https://example.com/clock.png");
    assert_eq!(json!(tool.meta), json!({ "tier": 1 }));
    assert!(icons(json!(5)).unwrap_err().to_string().contains("`now`"));
}

#[test]
fn s2_what_is_no_description_is_reported() {
    for wrong in
        [json!({}), json!({"name": "x"}), json!([1]), json!({"name": "", "inputSchema": {"type": "object"}})]
    {
        let error = ToolSpec::from_mcp(wrong.clone()).unwrap_err();
        assert!(matches!(error, SpecError::Description { .. }), "{wrong}: {error}");
    }
    let error = ToolSpec::from_mcp("{").unwrap_err().to_string();
    assert!(error.contains("line 1"), "{error}");
}
