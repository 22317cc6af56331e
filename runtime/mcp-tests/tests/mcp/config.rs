//! `.mcp.json`: which fields are read, and the errors for the others.

use std::time::Duration;

use onionskin::mcp::{McpConfig, McpError, McpServer};
use onionskin::{Agent, ScriptedModel};
use serde_json::json;

use super::fixture::{Log, server};
use super::support::{All, build_error, call};

fn refusal(text: &str) -> String {
    match McpConfig::from_json(text, "x/.mcp.json") {
        Ok(config) => panic!("read as {config:?}"),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn a4_wrong_fields_are_named_with_place_and_nearest() {
    let text = "{\n  \"mcpServers\": {\n    \"fix\": {\n      \"comand\": \"x\"\n    }\n  }\n}";
    let expected = ".mcp.json:4:17: `mcpServers.fix.comand`: unknown field; did you mean `command`?";
    assert_eq!(unusable(text).await, expected);
    assert_eq!(
        refusal(r#"{"mcpservers": {}}"#),
        "x/.mcp.json:1:16: `mcpservers`: unknown field; did you mean `mcpServers`?"
    );
}

/// A file as editors write it.
const ORDINARY: &str = r#"{
  "$schema": "https://example.org/mcp.json",
  "inputs": [{"type": "promptString", "id": "key"}],
  "mcpServers": {
    "fix": {
      "type": "stdio", "command": "COMMAND", "args": ["plain"], "description": "Fixes.", "icon": "wrench.svg",
      "disabled": false, "timout": 5000
    },
    "other": {"command": 7},
    "number": 5,
    "nothing": {},
    "pigeon": {"type": "carrier-pigeon"},
    "off": {"command": "x", "disabled": true},
    "twice": {"command": "x", "command": "y"},
    "again": {"command": "x"},
    "again": {"command": "y"}
  }
}"#;

#[tokio::test]
async fn a4_an_ordinary_file_is_read_and_ignored_fields_are_reported() {
    let text = ORDINARY.replace("COMMAND", env!("CARGO_BIN_EXE_fixture"));
    let config = McpConfig::from_json(&text, ".mcp.json").unwrap();
    let unread: Vec<_> = config.unread().collect();
    let expected = [
        ".mcp.json:2:14: `$schema`: unknown field, ignored",
        ".mcp.json:3:13: `inputs`: unknown field, ignored",
        "`mcpServers.fix.description`: unknown field, ignored",
        "`mcpServers.fix.icon`: unknown field, ignored",
        ".mcp.json:7:36: `mcpServers.fix.timout`: unknown field; did you mean `timeout`?",
    ];
    assert_eq!(unread.len(), expected.len(), "{unread:?}");
    assert!(unread.iter().zip(expected).all(|(unread, expected)| unread.ends_with(expected)), "{unread:?}");

    let agent = All::builder().model(ScriptedModel::new()).servers(config).build().await.unwrap();
    let told = super::support::notices(&agent).await;
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[2].contains("did you mean `timeout`?"), "{told:?}");
    assert_eq!(call(&agent, "fix__get_echo", json!({"text": "here"})).await.text, "here");
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_what_is_wrong_with_a_server_concerns_who_uses_it() {
    for (name, reason) in [
        ("other", "`mcpServers.fix.command`: expected a string"),
        ("number", "`mcpServers.fix`: invalid type: integer `5`, expected an object"),
        ("nothing", "`mcpServers.fix`: the field `command` is missing"),
        ("pigeon", "`mcpServers.fix.type`: expected \"stdio\""),
        ("off", "`mcpServers.fix.disabled`: the server is disabled"),
        ("twice", "`mcpServers.fix`: the key `command` is given twice"),
        ("again", "`mcpServers.fix`: the server is configured twice"),
    ] {
        let text = ORDINARY.replace("\"fix\"", "\"unused\"").replace(&format!("\"{name}\""), "\"fix\"");
        let text = unusable(&text).await;
        assert!(text.contains(reason), "{name}: {text}");
    }
}

/// The documented forms of other tools: each has a server that starts, and what is not read of it.
#[tokio::test]
async fn a4_files_of_other_tools_are_read_as_they_are() {
    let claude_code = r#"{"mcpServers": {"fix": {"type": "stdio", "command": "COMMAND",
        "args": ["${ONIONSKIN_UNSET:-plain}"], "env": {"CACHE": "${HOME}"}},
        "web": {"type": "http", "url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}}}}"#;
    let cursor = r#"{"mcpServers": {"fix": {"command": "COMMAND", "args": ["plain"], "env": {"HOME_OF": "${env:HOME}"}},
        "web": {"url": "https://example.com/mcp", "auth": {"CLIENT_ID": "${env:ID}"}}}}"#;
    let vs_code = r#"{"inputs": [{"type": "promptString", "id": "key", "description": "Key", "password": true}],
        "servers": {"fix": {"type": "stdio", "command": "COMMAND", "args": ["plain"], "dev": {"watch": "src/**"}},
        "web": {"type": "http", "url": "https://example.com/mcp"}}}"#;
    for (text, unread) in [
        (claude_code, vec![]),
        (cursor, vec!["`mcpServers.web.auth`: unknown field"]),
        (vs_code, vec!["`inputs`: unknown field", "`servers.fix.dev`: unknown field"]),
    ] {
        let text = text.replace("COMMAND", env!("CARGO_BIN_EXE_fixture"));
        let config = McpConfig::from_json(&text, "mcp.json").unwrap();
        let said: Vec<_> = config.unread().map(str::to_owned).collect();
        assert_eq!(said.len(), unread.len(), "{said:?}");
        assert!(said.iter().zip(unread).all(|(said, unread)| said.contains(unread)), "{said:?}");
        let agent = All::builder().model(ScriptedModel::new()).servers(config).build().await.unwrap();
        assert_eq!(call(&agent, "fix__get_echo", json!({"text": "here"})).await.text, "here");
        agent.shutdown().await;
    }
}

#[tokio::test]
async fn a4_what_editors_fill_in_themselves_is_named_once_its_server_is_wanted() {
    for (args, reason) in [
        (
            "${input:key}",
            "`${input:key}` is a variable of editors, from their `input`: set a variable of the environment",
        ),
        ("${command:pick}", "`${command:pick}` is a variable of editors"),
        ("${workspaceFolder}/x", "`${workspaceFolder}` is a variable of editors: write the path"),
        ("${env:ONIONSKIN_UNSET}", "the environment variable `ONIONSKIN_UNSET` is not set"),
    ] {
        let file = json!({"servers": {"fix": {"command": "x", "args": ["a", args]}}});
        let text = unusable(&file.to_string()).await;
        assert!(text.contains("`servers.fix.args[1]`: ") && text.contains(reason), "{text}");
    }
}

/// The field that was meant may be why it does not start.
#[tokio::test]
async fn a4_a_server_that_does_not_start_names_the_fields_that_were_not_read() {
    let text = unusable(r#"{"mcpServers": {"fix": {"command": "false", "argz": ["x"], "icon": ""}}}"#).await;
    assert!(text.contains("did not start"), "{text}");
    assert!(text.contains("`mcpServers.fix.argz`: unknown field; did you mean `args`?"), "{text}");
    assert!(text.contains("`mcpServers.fix.icon`: unknown field, ignored"), "{text}");
}

#[tokio::test]
async fn a4_wrong_values_are_named_and_not_shown() {
    for (field, expected) in [
        (r#""command": 1"#, "`mcpServers.fix.command`: expected a string"),
        (r#""command": "x", "args": "y""#, "`mcpServers.fix.args`: expected a list of strings"),
        (r#""command": "x", "env": "12345678""#, "`mcpServers.fix.env`: expected an object whose values are"),
        (r#""command": "x", "env": {"K": 12345678}"#, "`mcpServers.fix.env.K`: expected a string"),
        (
            r#""command": "x", "timeout": 30"#,
            "`mcpServers.fix.timeout`: expected a whole number of milliseconds",
        ),
        (r#""command": "x", "startTimeout": 0"#, "`mcpServers.fix.startTimeout`: expected a whole number"),
        (r#""command": "x", "parallel": 12345678"#, "`mcpServers.fix.parallel`: expected true or false"),
        (r#""command": "x", "disabled": "12345678""#, "`mcpServers.fix.disabled`: expected true or false"),
        (r#""args": []"#, "`mcpServers.fix`: the field `command` is missing"),
    ] {
        let text = unusable(&format!(r#"{{"mcpServers": {{"fix": {{{field}}}}}}}"#)).await;
        assert!(text.contains(expected), "{expected}: {text}");
        assert!(!text.contains("12345678"), "{text}");
    }
}

#[tokio::test]
async fn a4_a_time_limit_of_zero_is_an_error_of_the_build() {
    let log = Log::new("zero");
    for (config, setting) in [
        (server("plain", &log).timeout(Duration::ZERO), "timeout"),
        (server("plain", &log).start_timeout(Duration::ZERO), "start_timeout"),
    ] {
        let expected = format!("the MCP server `fix` has a `{setting}` of zero");
        let text = build_error::<All>(config.clone()).await;
        assert!(text.starts_with(&expected), "{text}");
        let text = McpServer::start("fix", config).await.unwrap_err().to_string();
        assert!(text.starts_with(&expected), "{text}");
    }
    assert!(log.pids().is_empty());
}

#[test]
fn a4_text_that_is_no_json_is_reported_with_its_place() {
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
    let built = All::builder().model(ScriptedModel::new()).servers(config).build().await;
    built.unwrap_err().to_string()
}

#[tokio::test]
async fn a4_an_address_that_cannot_be_used_is_refused_once_it_is_wanted() {
    for (entry, field, reason) in [
        (r#""type": "sse", "url": "http://x""#, "type", "the transport `sse` of 2024 is not supported"),
        (r#""type": "http", "command": "x""#, "command", "and this one is reached by its `url`"),
        (r#""url": "http://x", "env": {}"#, "env", "this is for a server that a command starts"),
        (r#""command": "x", "headers": {}"#, "headers", "this is for a server that is reached by address"),
        (r#""url": "x""#, "url", "expected an address, such as `https://example.com/mcp`"),
        (
            r#""url": "http://x", "headers": {"Host": "y"}"#,
            "headers.host",
            "this header is set by the client itself",
        ),
        (
            r#""url": "http://x", "headers": {"A": "${NO_SUCH_VARIABLE}"}"#,
            "headers.A",
            "`NO_SUCH_VARIABLE` is not set",
        ),
        (r#""type": "http""#, "", "the field `url` is missing"),
    ] {
        let text = unusable(&format!(r#"{{"mcpServers": {{"fix": {{{entry}}}}}}}"#)).await;
        let at = if field.is_empty() {
            "`mcpServers.fix`".to_owned()
        } else {
            format!("`mcpServers.fix.{field}`")
        };
        assert!(text.contains(reason) && text.contains(&at) && text.contains(".mcp.json:1:"), "{text}");
    }
}

#[tokio::test]
async fn a4_a_variable_that_is_not_set_is_named_once_its_server_is_wanted() {
    let text = r#"{"mcpServers": {"fix": {"command": "x", "env": {"KEY": "${ONIONSKIN_UNSET}"}}}}"#;
    let text = unusable(text).await;
    assert!(text.contains("`mcpServers.fix.env.KEY`: the environment variable `ONIONSKIN_UNSET`"), "{text}");
}

#[tokio::test]
async fn a4_a_server_that_is_not_configured_is_reported_with_the_configured_ones() {
    let text = unusable(r#"{"mcpServers": {"other": {"url": "http://localhost:1"}}}"#).await;
    assert!(text.contains("`fix`, which is not configured; the configured servers are: other"), "{text}");
}

#[test]
fn a4_a_file_that_has_no_end_or_is_too_long_is_refused() {
    let refused = |path: &std::path::Path| McpConfig::from_file(path).unwrap_err().to_string();
    assert!(refused("/dev/zero".as_ref()).contains("it is not a file"));
    let long = std::env::temp_dir().join(format!("onionskin-long-{}.json", std::process::id()));
    std::fs::File::create(&long).unwrap().set_len((8 << 20) + 1).unwrap();
    let text = refused(&long);
    std::fs::remove_file(&long).unwrap();
    assert!(text.contains("it has more than 8388608 bytes"), "{text}");
}

#[tokio::test]
async fn a4_a_file_starts_a_server_with_its_variables_filled_in() {
    // cargo sets the variable for tests; its value plays a secret.
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
    let agent = All::builder().model(ScriptedModel::new()).servers(config).build().await.unwrap();
    assert_eq!(call(&agent, "fix__get_echo", json!({"text": "here"})).await.text, "here");
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_a_mistake_in_a_header_or_a_variable_is_at_its_own_line() {
    let text = |field: &str, value: &str| {
        let entry = if field == "env" { r#""command": "x""# } else { r#""url": "http://x""# };
        format!(
            "{{\"mcpServers\": {{\"fix\": {{{entry}, \"{field}\": {{\n\"A\": \"b\",\n\"Host\": {value}}}}}}}}}"
        )
    };
    for (field, value, place, reason) in [
        ("headers", "\"c\"", ".mcp.json:3:9: `mcpServers.fix.headers.host`", "set by the client itself"),
        ("headers", "7", ".mcp.json:3:9: `mcpServers.fix.headers.Host`", "expected a string"),
        ("headers", "\"${NO_SUCH_VARIABLE}\"", ".mcp.json:3:9: `mcpServers.fix.headers.Host`", "is not set"),
        ("env", "\"${NO_SUCH_VARIABLE}\"", ".mcp.json:3:9: `mcpServers.fix.env.Host`", "is not set"),
        ("env", "{}", ".mcp.json:3:9: `mcpServers.fix.env.Host`", "expected a string"),
    ] {
        let error = unusable(&text(field, value)).await;
        assert!(error.contains(place) && error.contains(reason), "{error}");
    }
}

#[tokio::test]
async fn a4_names_that_other_programs_have_for_the_url_lead_to_it() {
    for name in ["serverUrl", "httpUrl", "URL"] {
        let text =
            format!(r#"{{"mcpServers": {{"fix": {{"{name}": "http://x", "headers": {{"A": "b"}}}}}}}}"#);
        let expected = format!("`mcpServers.fix.{name}`: unknown field; did you mean `url`?");
        let error = unusable(&text).await;
        assert!(error.contains(&expected), "{error}");
    }
}

#[test]
fn a4_a_variable_without_braces_is_a_warning() {
    let unread = |entry: &str| {
        let text = format!(r#"{{"mcpServers": {{"fix": {{{entry}}}}}}}"#);
        let config = McpConfig::from_json(&text, ".mcp.json").unwrap();
        config.unread().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        unread(r#""url": "http://x", "headers": {"Authorization": "Bearer $TOKEN"}"#),
        [
            ".mcp.json:1:73: `mcpServers.fix.headers.Authorization`: `$TOKEN` is used as it is written; for the variable, write `${TOKEN}`"
        ]
    );
    let variable = unread(r#""command": "x", "env": {"KEY": "$API_KEY"}"#);
    assert!(variable.len() == 1 && variable[0].contains("write `${API_KEY}`"), "{variable:?}");
    // Passwords, prices and words of shells.
    for value in ["$2y$10$abcdef", "a$TOKEN", "$5", "$secret", "$", "$TOKEN:x"] {
        assert_eq!(unread(&format!(r#""command": "x", "env": {{"KEY": "{value}"}}"#)), [""; 0], "{value}");
    }
    assert_eq!(unread(r#""command": "sh", "args": ["-c", "echo $HOME"]"#), [""; 0]);
}
