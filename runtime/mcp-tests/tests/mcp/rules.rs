//! A4: fields of a `.mcp.json` that take tools of a server away, and the environment that a server gets.

use std::sync::{Arc, Mutex};

use onionskin::approval::{Always, Approval, ApprovalRequest};
use onionskin::declaration::{AgentDeclaration, DynAgent};
use onionskin::mcp::snapshot::Snapshot;
use onionskin::mcp::{McpConfig, ServerConfig};
use onionskin::testing::FakeServer;
use onionskin::{Agent, AgentHandle, App, ErrorKind, ScriptedModel};
use serde_json::json;

use super::fixture::Log;
use super::support::{All, Outcome, build_error, call, notices};

fn config(fields: &str) -> McpConfig {
    let command = json!(env!("CARGO_BIN_EXE_fixture"));
    let text =
        format!(r#"{{"mcpServers": {{"fix": {{"command": {command}, "args": ["plain"], {fields}}}}}}}"#);
    McpConfig::from_json(&text, ".mcp.json").unwrap()
}

async fn agent(fields: &str) -> AgentHandle {
    All::builder().model(ScriptedModel::new()).servers(config(fields)).build().await.unwrap()
}

async fn refusal(text: &str) -> String {
    let config = McpConfig::from_json(text, ".mcp.json").unwrap();
    All::builder().model(ScriptedModel::new()).servers(config).build().await.unwrap_err().to_string()
}

/// The forms of the programs that share such files.
#[tokio::test]
async fn a4_tools_that_a_file_takes_away_are_not_offered() {
    for (form, has_echo, has_crash) in [
        (r#""disabledTools": ["crash"]"#, true, false),
        (r#""disabled_tools": ["crash"]"#, true, false),
        (r#""excludeTools": ["cr*"]"#, true, false),
        (r#""disallowedTools": ["mcp__fix__crash", "fix__get_echo"]"#, false, false),
        (r#""enabledTools": ["get_echo"]"#, true, false),
        (r#""enabled_tools": ["crash"], "disabled_tools": ["crash"]"#, false, false),
        (r#""includeTools": ["get_*", "crash"], "excludeTools": ["crash"]"#, true, false),
        (r#""allowedTools": ["fix__crash"]"#, false, true),
        (r#""tools": ["get_echo"]"#, true, false),
        (r#""tools": ["*"]"#, true, true),
        (r#""tools": []"#, false, false),
        (r#""tools": {"crash": false, "get_echo": {"enabled": true}}"#, true, false),
        (r#""enabled": true, "disabled": false"#, true, true),
    ] {
        let agent = agent(form).await;
        let has = |tool: &str| agent.tool_names().into_iter().flatten().any(|name| name == tool);
        assert_eq!((has("fix__get_echo"), has("fix__crash")), (has_echo, has_crash), "{form}");
        agent.shutdown().await;
    }
}

#[tokio::test]
async fn a4_a_tool_that_a_file_takes_away_cannot_be_called_and_is_not_locked() {
    let agent = agent(r#""disabledTools": ["crash", "carsh"]"#).await;
    let told = notices(&agent).await;
    let expected = "the MCP server `fix`: `disabledTools` names tools that the server does not list: `carsh`";
    assert_eq!(told, [expected]);
    let outcome = call(&agent, "fix__crash", json!({})).await;
    assert_eq!(outcome.kind, Some(ErrorKind::UnknownTool), "{outcome:?}");
    agent.shutdown().await;
    let taken = Snapshot::take(&config(r#""disabledTools": ["crash"]"#)).await.unwrap();
    assert!(!taken.snapshot.tools("fix").unwrap().iter().any(|tool| tool.name() == "crash"));
}

/// Lists, approvals and models show a tool under this name only.
#[tokio::test]
async fn a4_a_tool_is_taken_away_by_the_name_that_models_have_for_it() {
    for (form, runs) in [
        (r#""disabledTools": ["dots__delete_file"]"#, false),
        (r#""disabledTools": ["delete_file"]"#, false),
        (r#""disabledTools": ["mcp__dots__delete_*"]"#, false),
        (r#""tools": {"dots__delete_file": false}"#, false),
        (r#""enabledTools": ["dots__delete_file"]"#, true),
        (r#""disabledTools": ["delete.file"]"#, false),
        (r#""disabledTools": ["delete_files"]"#, true),
    ] {
        let command = json!(env!("CARGO_BIN_EXE_fixture"));
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/lists.json");
        let args = json!(["corpus", file, "name_with_a_dot"]);
        let text =
            format!(r#"{{"mcpServers": {{"dots": {{"command": {command}, "args": {args}, {form}}}}}}}"#);
        let config = McpConfig::from_json(&text, ".mcp.json").unwrap();
        let taken = Snapshot::take(&config).await.unwrap();
        assert_eq!(taken.snapshot.tools("dots").unwrap().len(), usize::from(runs), "{form}");
        let unlisted = taken.notices.iter().any(|notice| notice.contains("does not list"));
        assert_eq!(unlisted, form.contains("delete_files"), "{form}: {:?}", taken.notices);
    }
}

#[tokio::test]
async fn a4_tools_that_a_file_does_not_approve_need_approval() {
    for (form, echo, pid) in [
        (r#""autoApprove": ["get_echo"]"#, true, false),
        (r#""alwaysAllow": []"#, false, false),
        (r#""alwaysAllow": ["*"]"#, true, true),
        (r#""trust": true"#, true, true),
        (r#""trust": false"#, false, false),
    ] {
        let deny = |_: ApprovalRequest| async { Approval::deny("no") };
        let all = All::builder().model(ScriptedModel::new()).servers(config(form));
        // An approver that nobody needs is an error.
        let all = if echo && pid { all } else { all.approver(deny) };
        let agent = all.build().await.unwrap();
        for (tool, args, runs) in
            [("fix__get_echo", json!({"text": "a"}), echo), ("fix__pid", json!({}), pid)]
        {
            let outcome = call(&agent, tool, args).await;
            assert_eq!(outcome.kind != Some(ErrorKind::Denied), runs, "{form}: {tool}: {outcome:?}");
        }
        agent.shutdown().await;
    }
    let approver = |request: ApprovalRequest| async move {
        if request.tool_name() == "fix__pid" { Approval::Allow } else { Approval::deny("no") }
    };
    let built =
        All::builder().model(ScriptedModel::new()).servers(config(r#""autoApprove": []"#)).approver(approver);
    let agent = built.build().await.unwrap();
    assert!(
        notices(&agent).await[0]
            .contains("`autoApprove` does not list 11 of its tools, so each of their calls needs approval")
    );
    assert_eq!(call(&agent, "fix__pid", json!({})).await.kind, None);
    assert_eq!(call(&agent, "fix__get_echo", json!({"text": "a"})).await.kind, Some(ErrorKind::Denied));
    agent.shutdown().await;
}

/// `b__c` of the server `a` is called as `c` of `a__b` is: a server could take over the calls of another one.
#[tokio::test]
async fn a4_a_server_cannot_have_a_tool_with_the_name_of_another_servers_tool() {
    for (first, second, is_apart) in [
        ("a", "a__b", false),
        ("a_", "a", false),
        ("a.b", "a_b", false),
        ("a", "ab", true),
        ("a", "a_b", true),
    ] {
        let agent = DynAgent::new("Both", move || {
            AgentDeclaration::new().instruction("Go.").server(first, None).server(second, None)
        });
        let server = || FakeServer::new().tool(json!({"name": "t"}), |_| "done".into()).config();
        let app = App::builder().dyn_agent(&agent).model(ScriptedModel::new());
        let built = app.server(first, server()).server(second, server()).build().await;
        let error = built.err().map(|error| error.to_string());
        assert_eq!(error.is_none(), is_apart, "{first}, {second}: {error:?}");
        assert!(
            error.is_none_or(|error| error.contains("of the agent `Both` can have tools with the same name")),
            "{first}, {second}"
        );
    }
}

/// What a person allows for good is the tool that was shown.
#[tokio::test]
async fn u2_what_is_always_allowed_ends_when_a_server_changes_the_tool() {
    let log = Log::new("always");
    let server = json!({
        "command": env!("CARGO_BIN_EXE_fixture"), "args": ["writes-again"], "env": {"FIXTURE_LOG": log.path()},
        "autoApprove": ["crash"],
    });
    let config =
        McpConfig::from_json(&json!({"mcpServers": {"fix": server}}).to_string(), ".mcp.json").unwrap();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let approver = move |request: ApprovalRequest| {
        seen.lock().unwrap().push(request.tool_name().to_owned());
        async { Approval::AllowAlways(Always::Tool) }
    };
    let built = All::builder().model(ScriptedModel::new()).servers(config).approver(approver).build();
    let agent = built.await.unwrap();
    let session = agent.session();
    let run = async |call: &str| {
        let output = agent.request(call).session(&session).run().await.unwrap();
        Outcome::read(&output.text)
    };
    let echo = r#"fix__get_echo {"text": "a"}"#;
    for _ in 0..2 {
        assert_eq!(run(echo).await.text, "a");
        assert_eq!(*asked.lock().unwrap(), ["fix__get_echo"]);
    }
    assert_eq!(run("fix__crash {}").await.kind, Some(ErrorKind::Remote));
    // The server comes back with a tool that writes.
    let refused = run(echo).await;
    assert_eq!(refused.kind, Some(ErrorKind::Denied), "{refused:?}");
    assert_eq!(run(echo).await.text, "a");
    assert_eq!(*asked.lock().unwrap(), ["fix__get_echo", "fix__get_echo"]);
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_a_rule_that_is_not_obeyed_is_an_error_of_its_server() {
    for (fields, place) in [
        (
            r#""disbaledTools": ["x"]"#,
            "`mcpServers.fix.disbaledTools`: unknown field; did you mean `disabledTools`?",
        ),
        (r#""dissabled": true"#, "`mcpServers.fix.dissabled`: unknown field; did you mean `disabled`?"),
        (
            r#""toolFilter": {"mode": "block"}"#,
            "`mcpServers.fix.toolFilter`: unknown field that speaks of what is allowed",
        ),
        (r#""permissions": {}"#, "`mcpServers.fix.permissions`: unknown field that speaks"),
        (
            r#""options": {"list": [{"readOnly": true}]}"#,
            "`mcpServers.fix.options.list.[0].readOnly`: unknown field that",
        ),
        (
            r#""options": {"disabled": true}"#,
            "`mcpServers.fix.options.disabled`: this field is read as a field of the server",
        ),
        (
            r#""disabledTools": "get_echo""#,
            "`mcpServers.fix.disabledTools`: expected a list of names of tools",
        ),
        (
            r#""disabledTools": {"a": true}"#,
            "`mcpServers.fix.disabledTools`: expected a list of names of tools",
        ),
        (
            r#""tools": {"a": {"approval": "never"}}"#,
            "`mcpServers.fix.tools`: expected a list of names of tools, or an object",
        ),
        (r#""tools": null"#, "`mcpServers.fix.tools`: expected a list"),
        (
            r#""autoApprove": "all""#,
            "`mcpServers.fix.autoApprove`: expected a list of names of tools, `true` or `false`",
        ),
        (r#""enabled": false"#, "`mcpServers.fix.enabled`: the server is disabled; switch it on"),
        (r#""isActive": false"#, "`mcpServers.fix.isActive`: the server is disabled; switch it on"),
        (r#""active": false"#, "`mcpServers.fix.active`: the server is disabled; switch it on"),
        (r#""off": true"#, "`mcpServers.fix.off`: unknown field that speaks of what is allowed"),
        (r#""autoRun": false"#, "`mcpServers.fix.autoRun`: unknown field that speaks of what is allowed"),
        (r#""features": {"delete": false}"#, "`mcpServers.fix.features`: unknown field that speaks"),
        (r#""status": "Disabled""#, "`mcpServers.fix.status`: unknown field that says `Disabled`"),
        (r#""envFile": ".env""#, "`mcpServers.fix.envFile`: unknown field that speaks of variables"),
        (r#""envVars": ["TOKEN"]"#, "`mcpServers.fix.envVars`: unknown field that speaks of variables"),
        (r#""enabled": "yes""#, "`mcpServers.fix.enabled`: expected true or false"),
    ] {
        let text = refusal(&format!(r#"{{"mcpServers": {{"fix": {{"command": "x", {fields}}}}}}}"#)).await;
        assert!(text.starts_with(".mcp.json:1:") && text.contains(place), "{fields}: {text}");
    }
}

#[tokio::test]
async fn a4_a_rule_of_the_whole_file_is_an_error_of_each_server() {
    for root in [
        r#""excludeMCPServers": ["fix"]"#,
        r#""permissions": {"deny": ["mcp__fix__crash"]}"#,
        r#""disabledTools": ["crash"]"#,
    ] {
        let text = refusal(&format!(r#"{{{root}, "mcpServers": {{"fix": {{"command": "x"}}}}}}"#)).await;
        assert!(
            text.contains("speaks of what is allowed") || text.contains("write it in each server"),
            "{text}"
        );
    }
    let harmless = r#"{"inputs": [{"type": "promptString", "id": "a", "password": true}], "mcpServers": {}}"#;
    assert_eq!(McpConfig::from_json(harmless, "f").unwrap().unread().count(), 1);
}

#[tokio::test]
async fn a4_files_are_read_with_comments_and_trailing_commas_as_editors_write_them() {
    let text = format!(
        "\u{feff}// Servers.\n{{\n  /* of the\n     team */ \"mcpServers\": {{\n    \"fix\": {{ \"command\": {}, // here\n      \"args\": [\"plain\",], \
         \"timout\": 1,\n    }},\n  }},\n}}\n",
        json!(env!("CARGO_BIN_EXE_fixture"))
    );
    let config = McpConfig::from_json(&text, "f").unwrap();
    let unread: Vec<_> = config.unread().collect();
    assert_eq!(unread, ["f:6:37: `mcpServers.fix.timout`: unknown field; did you mean `timeout`?"]);
    let agent = All::builder().model(ScriptedModel::new()).servers(config).build().await.unwrap();
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_a_command_that_contains_arguments_is_an_error_that_says_where_they_go() {
    let expected = "the command `onionskin-no-such x` was not found\n`command` is the program only: put the arguments into `args`.";
    let text = refusal(r#"{"mcpServers": {"fix": {"command": "onionskin-no-such x"}}}"#).await;
    assert!(text.contains(expected), "{text}");
    assert!(build_error::<All>(ServerConfig::stdio("onionskin-no-such x")).await.contains(expected));
}

/// What the process writes is in the error of its start. cargo sets the variables of the package for tests.
async fn environment(server: ServerConfig) -> String {
    build_error::<All>(server.args(["-c", "env | grep -v '^[A-Z]*=/' | sort >&2; exit 5"])).await
}

#[cfg(unix)]
#[tokio::test]
async fn a4_a_server_gets_no_variable_that_was_not_given_to_it() {
    let own = environment(ServerConfig::stdio("sh").env("GIVEN", "by the program")).await;
    assert!(own.contains("GIVEN=[$GIVEN]"), "{own}");
    assert!(!own.contains("CARGO"), "{own}");
    let named = environment(ServerConfig::stdio("sh").pass_env(["CARGO_PKG_NAME", "ONIONSKIN_UNSET"])).await;
    assert!(
        named.contains("CARGO_PKG_NAME=[$CARGO_PKG_NAME]") && !named.contains("CARGO_PKG_VERSION"),
        "{named}"
    );
    assert!(!named.contains("UNSET"), "{named}");

    let script = "test -n \"$PATH\" -a \"$HOME\" = \"$1\" -a -z \"$CARGO_PKG_NAME\" && echo kept >&2; exit 5";
    let text = build_error::<All>(ServerConfig::stdio("sh").args([
        "-c",
        script,
        "sh",
        &std::env::var("HOME").unwrap(),
    ]))
    .await;
    assert!(text.contains("kept"), "{text}");
    let mut config = McpConfig::from_json(
        r#"{"mcpServers": {"fix": {"command": "sh", "args": ["-c", "env >&2; exit 5"]}}}"#,
        "f",
    )
    .unwrap();
    config.pass_env(["CARGO_PKG_NAME"]);
    let text =
        All::builder().model(ScriptedModel::new()).servers(config).build().await.unwrap_err().to_string();
    assert!(text.contains("CARGO_PKG_NAME=[$CARGO_PKG_NAME]"), "{text}");
}
