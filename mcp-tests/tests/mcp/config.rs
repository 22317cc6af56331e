//! `.mcp.json`: what is read, and what is said about what cannot be.

use onionskin::mcp::{McpConfig, McpError};
use onionskin::{AgentBuilder, Script};
use serde_json::json;

use super::fixture::{Log, server};
use super::support::{All, call};

fn refusal(text: &str) -> String {
    match McpConfig::from_json(text, "x/.mcp.json") {
        Ok(config) => panic!("read as {config:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a4_wrong_fields_are_named_with_place_and_nearest() {
    let text = "{\n  \"mcpServers\": {\n    \"time\": {\n      \"comand\": \"x\"\n    }\n  }\n}";
    assert_eq!(
        refusal(text),
        "x/.mcp.json:4:17: `mcpServers.time.comand`: unknown field; did you mean `command`?"
    );
    assert_eq!(
        refusal(r#"{"mcpservers": {}}"#),
        "x/.mcp.json:1:16: `mcpservers`: unknown field; did you mean `mcpServers`?"
    );
    let text = refusal(r#"{"mcpServers": {"a": {"command": "x", "colour": 1}}}"#);
    assert!(text.contains("`mcpServers.a.colour`: unknown field; these are known: type, command"), "{text}");
}

#[test]
fn a4_wrong_values_are_named_and_not_shown() {
    for (field, expected) in [
        (r#""command": 1"#, "`mcpServers.a.command`: expected a string"),
        (r#""command": "x", "args": "y""#, "`mcpServers.a.args`: expected a list of strings"),
        (
            r#""command": "x", "env": {"K": 12345678}"#,
            "`mcpServers.a.env`: expected an object whose values are",
        ),
        (
            r#""command": "x", "timeout": 30"#,
            "`mcpServers.a.timeout`: expected a whole number of milliseconds",
        ),
        (r#""command": "x", "type": "carrier-pigeon""#, "`mcpServers.a.type`: expected \"stdio\""),
        (r#""args": []"#, "`mcpServers.a`: the field `command` is missing"),
        (r#""command": "x", "command": "y""#, "`mcpServers.a`: the key `command` stands twice"),
    ] {
        let text = refusal(&format!(r#"{{"mcpServers": {{"a": {{{field}}}}}}}"#));
        assert!(text.contains(expected), "{expected}: {text}");
        assert!(!text.contains("12345678"), "{text}");
    }
}

#[test]
fn a4_text_that_is_no_json_is_told_with_its_place() {
    let text = refusal("{\n  \"mcpServers\": {,}\n}");
    assert!(text.starts_with("x/.mcp.json:2:18: "), "{text}");
    let text = refusal("[]");
    assert!(text.contains("expected an object"), "{text}");
}

#[test]
fn a4_a_file_that_is_not_there_is_named() {
    let error = McpConfig::from_file("no/such/.mcp.json").unwrap_err();
    assert!(matches!(&error, McpError::File { file, .. } if file == "no/such/.mcp.json"), "{error}");
}

async fn unusable(config: &str) -> String {
    let config = McpConfig::from_json(config, ".mcp.json").unwrap();
    let built = AgentBuilder::<All>::default().model(Script::new()).servers(config).build().await;
    built.unwrap_err().to_string()
}

#[tokio::test]
async fn a4_a_server_by_url_is_refused_once_it_is_wanted() {
    for entry in [r#"{"url": "http://localhost:1"}"#, r#"{"type": "sse", "command": "x"}"#] {
        let text = unusable(&format!(r#"{{"mcpServers": {{"fix": {entry}}}}}"#)).await;
        assert!(text.contains("streamable HTTP comes later"), "{text}");
        assert!(text.contains("mcpServers.fix."), "{text}");
    }
}

#[tokio::test]
async fn a4_a_variable_that_is_not_set_is_named_once_its_server_is_wanted() {
    let text = r#"{"mcpServers": {"fix": {"command": "x", "env": {"KEY": "${ONIONSKIN_UNSET}"}}}}"#;
    let text = unusable(text).await;
    assert!(text.contains("`mcpServers.fix.env.KEY`: the environment variable `ONIONSKIN_UNSET`"), "{text}");
}

#[tokio::test]
async fn a4_a_server_that_is_not_configured_is_told_with_those_that_are() {
    let text = unusable(r#"{"mcpServers": {"other": {"url": "http://localhost:1"}}}"#).await;
    assert!(text.contains("`fix`, which is not configured; configured are: other"), "{text}");
}

#[tokio::test]
async fn a4_a_file_starts_a_server_with_its_variables_filled_in() {
    // cargo sets the variable for tests; its value stands for a secret.
    let script = "echo \"package ${CARGO_PKG_NAME:-?} key $KEY\" >&2; exit ${ONIONSKIN_UNSET:-5}";
    let config = json!({"mcpServers": {"fix": {
        "command": "sh",
        "args": ["-c", script],
        "env": {"KEY": "${CARGO_PKG_NAME}-key"},
        "cwd": "${CARGO_MANIFEST_DIR}",
        "timeout": 1000,
        "startTimeout": 5000,
    }}});
    let text = unusable(&config.to_string()).await;
    assert!(text.contains("exit status: 5"), "{text}");
    assert!(text.contains("key [$KEY]"), "{text}");
    assert!(text.contains("exit ${ONIONSKIN_UNSET:-5}`"), "the command as it was written: {text}");
    assert!(!text.contains("onionskin"), "{text}");
}

#[tokio::test]
async fn a4_code_replaces_what_a_file_says() {
    let file = r#"{"mcpServers": {"fix": {"command": "onionskin-no-such-program"}}}"#;
    let mut config = McpConfig::from_json(file, ".mcp.json").unwrap();
    config.insert("fix", server("plain", &Log::new("replaced")));
    let agent = AgentBuilder::<All>::default().model(Script::new()).servers(config).build().await.unwrap();
    assert_eq!(call(&agent, "fix__get_echo", json!({"text": "here"})).await.text, "here");
    agent.shutdown().await;
}
