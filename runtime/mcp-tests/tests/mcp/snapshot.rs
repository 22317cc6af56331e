//! A3: the tools of a server in a file, the compiler's errors by it, and the report of a server that has changed since.

use std::fs;
use std::path::{Path, PathBuf};

use onionskin::declaration::{AgentDeclaration, DynAgent, Lock};
use onionskin::event::CallOutcome;
use onionskin::mcp::snapshot::Snapshot;
use onionskin::mcp::{McpConfig, McpServer, ServerConfig};
use onionskin::servers::ToolServers;
use onionskin::testing::FakeServer;
use onionskin::{Agent, AgentHandle, App, BuildError, ErrorKind, ScriptedModel, ScriptedTurn};

use super::fixture::{Log, runs, server, wait_until};
use super::package;
use super::support::{All as Unlocked, notices};
use super::thread_log::keep;

async fn locked(server: ServerConfig) -> Snapshot {
    let mut config = McpConfig::new();
    config.insert("fix", server);
    Snapshot::take(&config).await.unwrap().snapshot
}

/// Agents whose declaration has the lock file of a server in which nothing is renamed.
macro_rules! agents {
    ($($agent:ident: $filter:expr;)*) => {$(
        struct $agent;

        impl Agent for $agent {
            const NAME: &'static str = stringify!($agent);
            type State = ();

            fn declare() -> AgentDeclaration {
                let text = fs::read_to_string(lock_file()).unwrap();
                AgentDeclaration::new().instruction("Echo.").server("fix", $filter).server_snapshot(text)
            }
        }
    )*};
}

agents! {
    All: None;
    Echo: Some(&["get_echo"]);
}

fn lock_file() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("drift.lock.json")
}

async fn build<A: Agent>(mode: &str, log: &Log) -> Result<AgentHandle, BuildError> {
    let model = ScriptedModel::turns([ScriptedTurn::say("Done."), ScriptedTurn::say("Done.")]);
    A::builder().model(model).server("fix", server(mode, log)).build().await
}

#[tokio::test]
async fn a3_a_server_that_has_changed_is_reported_once() {
    let log = Log::new("snapshot-drift");
    locked(server("plain", &log)).await.write(lock_file()).unwrap();

    let (warnings, guard) = keep(tracing::Level::WARN);
    let agent = build::<All>("plain", &log).await.unwrap();
    assert_eq!(notices(&agent).await, [""; 0]);
    agent.shutdown().await;
    assert_eq!(warnings.text(), "");

    let agent = build::<All>("renamed", &log).await.unwrap();
    let expected = "the MCP server `fix`: added `get_echoes`; removed `get_echo`, in comparison with `onionskin-mcp.lock.json`; run \
                    `onionskin mcp lock` to update the file";
    assert_eq!(notices(&agent).await, [expected]);
    assert_eq!(notices(&agent).await, [""; 0]);
    agent.shutdown().await;
    let logged = warnings.text();
    assert_eq!(logged.lines().count(), 1, "{logged}");
    assert!(logged.contains(expected), "{logged}");
    for field in [r#"server="fix""#, r#"added="`get_echoes`""#, r#"removed="`get_echo`""#, r#"changed="""#] {
        assert!(logged.contains(field), "{field}: {logged}");
    }

    // The agent chooses a tool that is not there any more: it is not built, and the warning says why.
    let Err(error) = build::<Echo>("renamed", &log).await else { panic!("it was built") };
    assert!(error.to_string().contains("get_echo"), "{error}");
    assert_eq!(warnings.text().matches("removed `get_echo`").count(), 2, "{}", warnings.text());
    drop(guard);
}

#[tokio::test]
async fn a3_changed_descriptions_and_schemas_are_reported() {
    let then = locked(server("plain", &Log::new("snapshot-then"))).await;
    let text =
        then.to_json().replace("Says it again.", "Repeats.").replace("\"minimum\": 1", "\"minimum\": 2");
    let edited = Snapshot::from_json(&text, "edited").unwrap();
    assert_eq!(edited.drift(&then).to_string(), "`fix`: changed `get_echo` (description, input schema)");
}

#[tokio::test]
async fn a3_the_file_has_no_secret_and_is_the_same_however_a_server_lists() {
    let log = Log::new("snapshot-hostile");
    let mut config = McpConfig::new();
    config.insert("fix", server("hostile", &log));
    let taken = Snapshot::take(&config).await.unwrap();
    let text = taken.snapshot.to_json();
    assert!(!text.contains("hunter2") && text.contains("Takes [$SECRET]."), "{text}");
    assert!(!text.contains("fixture") && !text.contains("FIXTURE_LOG"), "{text}");
    // The tool that no agent could use is not in the file, and a notice says so.
    assert!(!text.contains("loops"), "{text}");
    assert!(taken.notices.iter().any(|notice| notice.contains("`loops` is left out")), "{:?}", taken.notices);

    let pages = locked(server("pages", &log)).await;
    assert_eq!(pages, locked(server("plain", &log)).await);
    for pid in log.pids() {
        wait_until("the end of a server", || !runs(pid)).await;
    }
}

#[tokio::test]
async fn a3_tools_of_the_file_are_those_of_the_server_but_for_the_calls() {
    let log = Log::new("snapshot-specs");
    let snapshot = locked(server("plain", &log)).await;
    let live = McpServer::start("fix", server("plain", &log)).await.unwrap();
    for spec in snapshot.tool_specs("fix").unwrap().unwrap() {
        let real = live.tool(spec.name()).unwrap();
        assert_eq!(spec.description(), real.description());
        assert_eq!(spec.input_schema(), real.input_schema());
        let error = spec.call_blocking(serde_json::json!({})).unwrap_err();
        assert!(error.to_string().contains("without a connection to its server `fix`"), "{error}");
    }
    live.shutdown().await;
}

/// An agent with this server, and with what its declaration keeps of servers.
async fn keeping(
    snapshot: Option<&Snapshot>,
    is_strict: bool,
    servers: impl ToolServers,
) -> Result<AgentHandle, BuildError> {
    let turns = || [ScriptedTurn::call("fix__change", serde_json::json!({})), ScriptedTurn::say("Done.")];
    keeper(snapshot, is_strict, [turns(), turns(), turns()].concat(), servers).await
}

async fn keeper(
    snapshot: Option<&Snapshot>,
    is_strict: bool,
    turns: Vec<ScriptedTurn>,
    servers: impl ToolServers,
) -> Result<AgentHandle, BuildError> {
    let text = snapshot.map(Snapshot::to_json);
    let keeper = DynAgent::new("Keeper", move || {
        let agent = AgentDeclaration::new().instruction("Echo.").server("fix", None);
        let agent = agent.lock(if is_strict { Lock::Strict } else { Lock::Report });
        match &text {
            Some(text) => agent.server_snapshot(text.clone()),
            None => agent,
        }
    });
    let model = ScriptedModel::turns(turns);
    let app = App::builder().dyn_agent(&keeper).model(model).servers(servers).build().await?;
    Ok(app.agent("Keeper").unwrap().clone())
}

fn only(server: ServerConfig) -> McpConfig {
    let mut config = McpConfig::new();
    config.insert("fix", server);
    config
}

fn tools(agent: &AgentHandle) -> Vec<String> {
    agent.tool_names().into_iter().flatten().collect()
}

#[tokio::test]
async fn a3_a_list_that_changes_later_is_compared_too() {
    let log = Log::new("snapshot-later");
    let then = locked(server("plain", &log)).await;
    let agent = keeping(Some(&then), false, only(server("plain", &log))).await.unwrap();
    let told = notices(&agent).await;
    wait_until("the new list", || tools(&agent).contains(&"fix__get_new".to_owned())).await;
    let expected = "the MCP server `fix`: added `get_new`; removed `get_old`, in comparison with `onionskin-mcp.lock.json`";
    assert!(told.iter().any(|told| told.starts_with(expected)), "{told:?}");
    agent.shutdown().await;
}

#[tokio::test]
async fn a3_a_strict_lock_refuses_what_differs() {
    let log = Log::new("snapshot-strict");
    let then = locked(server("plain", &log)).await;
    let refused = async |snapshot, mode| match keeping(snapshot, true, only(server(mode, &log))).await {
        Ok(agent) => panic!("it was built with {:?}", tools(&agent)),
        Err(error) => error.to_string(),
    };
    let text = refused(Some(&then), "renamed").await;
    assert!(
        text.starts_with("the MCP server `fix`: added `get_echoes`; removed `get_echo`, in comparison"),
        "{text}"
    );
    assert!(text.ends_with("the agent is not built, because it says `lock: strict`"), "{text}");
    for none in [None, Some(&Snapshot::new())] {
        let text = refused(none, "plain").await;
        assert!(text.starts_with("the MCP server `fix` is not in `onionskin-mcp.lock.json`"), "{text}");
    }
    // A tool that comes later is not offered.
    let agent = keeping(Some(&then), true, only(server("plain", &log))).await.unwrap();
    let told = notices(&agent).await;
    wait_until("the new list", || !tools(&agent).contains(&"fix__get_old".to_owned())).await;
    assert!(!tools(&agent).contains(&"fix__get_new".to_owned()), "{:?}", tools(&agent));
    assert!(tools(&agent).contains(&"fix__get_echo".to_owned()), "{:?}", tools(&agent));
    assert!(
        told.iter().any(|told| told.contains("agents do not get the tools that were added or changed")),
        "{told:?}"
    );
    agent.shutdown().await;
    // The builder says it for all agents.
    let model = ScriptedModel::new();
    let built =
        Unlocked::builder().model(model).server("fix", server("plain", &log)).strict_lock().build().await;
    assert!(built.is_err_and(|error| error.to_string().contains("says `lock: strict`")));
}

/// A server that is replaced while the program runs gets no call that was meant for the former one.
#[tokio::test]
async fn a3_a_call_that_starts_a_server_again_is_held_to_the_lock() {
    for (mode, is_strict, refused) in [
        ("redescribed-again", true, Some("`onionskin-mcp.lock.json` has it otherwise")),
        ("writes-again", true, Some("`onionskin-mcp.lock.json` has it otherwise")),
        ("plain", true, None),
        ("redescribed-again", false, None),
        ("writes-again", false, Some("has changed what it says of the tool's effects")),
    ] {
        let then = locked(server("plain", &Log::new("snapshot-first"))).await;
        let log = Log::new(&format!("snapshot-{mode}-{is_strict}"));
        let turns = [
            ScriptedTurn::call("fix__crash", serde_json::json!({})),
            ScriptedTurn::call("fix__get_echo", serde_json::json!({"text": "secret plans"})),
            ScriptedTurn::call_unknown("fix__get_echo", serde_json::json!({"text": "more"})),
            ScriptedTurn::say("Done."),
        ];
        let agent = keeper(Some(&then), is_strict, turns.into(), only(server(mode, &log))).await.unwrap();
        let output = agent.run("Go.").await.unwrap();
        let kinds: Vec<_> = output
            .tool_calls
            .iter()
            .map(|call| match call.outcome {
                Some(CallOutcome::Error(kind)) => Some(kind),
                _ => None,
            })
            .collect();
        let text = output.tool_calls[1].to_text();
        match refused {
            Some(reason) => {
                assert_eq!(kinds[1], Some(ErrorKind::Denied), "{mode}: {text}");
                assert!(
                    text.contains("`fix__get_echo` was not sent to the MCP server `fix`")
                        && text.contains(reason),
                    "{mode}: {text}"
                );
            }
            None => assert_eq!(text, "secret plans", "{mode}"),
        }
        // The turn after it has what the server lists now, or nothing.
        let later = if is_strict && refused.is_some() { Some(ErrorKind::UnknownTool) } else { None };
        assert_eq!(kinds[2], later, "{mode}: {}", output.tool_calls[2].to_text());
        let ran = [refused.is_none(), later.is_none()].iter().filter(|ran| **ran).count();
        assert_eq!(log.count("get_echo"), ran, "{mode}");
        agent.shutdown().await;
    }
}

/// Agents of cards have the file beside the configuration of their servers.
#[tokio::test]
async fn a3_the_file_beside_a_configuration_counts_for_all_agents() {
    let log = Log::new("snapshot-beside");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("beside");
    fs::create_dir_all(&folder).unwrap();
    locked(server("plain", &log)).await.write(folder.join(Snapshot::FILE)).unwrap();
    let file = folder.join(".mcp.json");
    let entry = serde_json::json!({"command": env!("CARGO_BIN_EXE_fixture"), "args": ["renamed"]});
    fs::write(&file, serde_json::json!({"mcpServers": {"fix": entry}}).to_string()).unwrap();
    let agent = keeping(None, false, McpConfig::from_file(&file).unwrap()).await.unwrap();
    let told = notices(&agent).await;
    assert!(told[0].starts_with("the MCP server `fix`: added `get_echoes`; removed `get_echo`"), "{told:?}");
    agent.shutdown().await;
    let strict = keeping(None, true, McpConfig::from_file(&file).unwrap()).await;
    assert!(strict.is_err_and(|error| error.to_string().contains("says `lock: strict`")));
    fs::write(folder.join(Snapshot::FILE), "{").unwrap();
    let broken = keeping(None, false, McpConfig::from_file(&file).unwrap()).await;
    assert!(broken.is_err_and(|error| error.to_string().contains("onionskin-mcp.lock.json:1:")));
}

#[tokio::test]
async fn a4_a_tool_named_after_a_secret_is_left_out_and_descriptions_lose_what_is_hidden() {
    let fake =
        FakeServer::new().tool(serde_json::json!({"name": "get_s3cret-value"}), |_| "noon".into()).tool(
            serde_json::json!({"name": "get_time", "description": "Tells\u{200b} the time.\u{e0041}"}),
            |_| "noon".into(),
        );
    let taken = Snapshot::take(&only(fake.config().env("API_KEY", "s3cret-value"))).await.unwrap();
    assert!(!format!("{taken:?}").contains("s3cret"), "{taken:?}");
    let tools = taken.snapshot.tools("fix").unwrap();
    assert_eq!((tools.len(), tools[0].description()), (1, "Tells the time."));
    let expected = [
        "the MCP server `fix`: the texts of the tool `get_time` have 2 hidden characters, which are left out",
        "the MCP server `fix`: a tool is left out: its name contains the value of a secret variable",
    ];
    assert_eq!(taken.notices, expected);
}

/// What cargo says of a package whose agent uses the tool `get_echo`, with this lock file.
fn compile(lock_file: &Snapshot) -> String {
    let agent = "Echo { instruction: \"Echo.\", servers: [fix], tools: { fix: [get_echo] } }";
    let program = format!("onionskin::agent! {{ {agent} }}\n\nfn main() {{}}\n");
    package::compile("locked-package", &["cards"], &program, lock_file)
}

#[tokio::test]
async fn a3_a_renamed_tool_is_an_error_of_the_compiler() {
    let log = Log::new("snapshot-compiled");
    assert_eq!(compile(&locked(server("plain", &log)).await), "");
    let words = compile(&locked(server("renamed", &log)).await);
    assert_eq!(words.matches("error: ").count(), 2, "the error, and cargo's last line: {words}");
    let expected = "error: `get_echo` is not a tool of the server `fix` in `onionskin-mcp.lock.json`; did you mean `get_echoes`? If the \
                    server has changed, run `onionskin mcp lock`";
    assert!(words.contains(expected), "{words}");
    assert!(words.contains("src/main.rs:1:"), "{words}");
}
