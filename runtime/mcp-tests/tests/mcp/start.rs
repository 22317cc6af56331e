//! Starting servers and listing their tools: the tools of the agent, or the errors.

use std::time::{Duration, Instant};

use onionskin::declaration::AgentDeclaration;
use onionskin::mcp::ServerConfig;
use onionskin::{Agent, App, BuildError, ScriptedModel};

use super::fixture::{Log, runs, server, silent, wait_until};
use super::support::{All, Getter, Nothing, Typist, build, build_error, call, started};

#[tokio::test]
async fn a4_a_server_is_started_and_its_tools_are_listed() {
    let (agent, log) = started("plain", "listed").await;
    let names = agent.tool_names().unwrap();
    assert_eq!(names.len(), 11, "{names:?}");
    assert!(names.iter().all(|name| name.starts_with("fix__")), "{names:?}");
    assert_eq!(log.count("pid"), 1);
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_all_pages_are_listed_in_order() {
    let (agent, log) = started("pages", "pages").await;
    let names = agent.tool_names().unwrap();
    assert_eq!(names.len(), 11, "{names:?}");
    assert_eq!([&*names[0], &*names[1], &*names[10]], ["fix__get_echo", "fix__get_old", "fix__blocks"]);
    assert_eq!(log.count("list"), 6);
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_pages_that_go_round_in_a_circle_are_an_error() {
    let text = build_error::<All>(server("circle", &Log::new("circle"))).await;
    assert!(text.contains("the MCP server `fix` could not be listed"), "{text}");
    assert!(text.contains("cursor `2` twice"), "{text}");
}

#[tokio::test]
async fn a4_pages_without_end_are_an_error() {
    let text = build_error::<All>(server("endless", &Log::new("endless"))).await;
    assert!(text.contains("more than 100 pages"), "{text}");
}

#[tokio::test]
async fn a4_an_agent_takes_the_tools_that_its_globs_fit() {
    let agent = build::<Getter>(server("plain", &Log::new("globs"))).await.unwrap();
    assert_eq!(agent.tool_names().unwrap(), ["fix__get_echo", "fix__get_old"]);
    let outcome = call(&agent, "fix__crash", serde_json::json!({})).await;
    assert_eq!(outcome.kind, Some(onionskin::ErrorKind::UnknownTool), "{outcome:?}");
    agent.shutdown().await;
    let agent = build::<Nothing>(server("plain", &Log::new("no-globs"))).await.unwrap();
    assert!(agent.tool_names().unwrap().is_empty());
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_a_pattern_that_fits_no_tool_is_an_error_with_the_nearest() {
    let text = build_error::<Typist>(server("plain", &Log::new("typo"))).await;
    for part in
        ["agent `typist`", "`get_ecoh`", "server `fix`", "did you mean `get_echo`?", "`crash`, `hang`"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[tokio::test]
async fn a4_a_command_that_is_not_there_is_named() {
    let text = build_error::<All>(ServerConfig::stdio("onionskin-no-such-program").arg("--port=1")).await;
    for part in [
        "the MCP server `fix` (`onionskin-no-such-program --port=1`) did not start",
        "`onionskin-no-such-program` was not found",
        "Install it",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[tokio::test]
async fn a4_a_working_directory_that_is_not_there_is_named() {
    let text = build_error::<All>(ServerConfig::stdio("sleep").arg("9").cwd("/no/such/place")).await;
    assert!(text.contains("working directory `/no/such/place` does not exist"), "{text}");
}

#[tokio::test]
async fn a4_a_server_that_exits_at_once_is_quoted() {
    let text = build_error::<All>(server("exits", &Log::new("exits"))).await;
    for part in ["did not start", "exit status: 3", "cannot find the database", "in a shell"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[tokio::test]
async fn a4_a_program_that_speaks_no_mcp_is_quoted() {
    let limit = Duration::from_millis(1_500);
    let command = "echo 'I am a web server'; exec sleep 600";
    let web = ServerConfig::stdio("sh").args(["-c", command]).start_timeout(limit);
    let text = build_error::<All>(web).await;
    for part in
        ["did not complete the handshake within 1.5s", "`I am a web server`", "not MCP", "nothing else"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[tokio::test]
async fn a4_a_silent_server_ends_at_its_start_timeout() {
    let log = Log::new("silent");
    let begun = Instant::now();
    let text = build_error::<All>(silent(&log).start_timeout(Duration::from_millis(700))).await;
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert!(text.contains("raise its start timeout"), "{text}");
    let pid = log.pids()[0];
    wait_until("its end", || !runs(pid)).await;
}

#[tokio::test]
async fn a4_secrets_are_in_no_error() {
    let log = Log::new("secrets");
    let exits = server("exits", &log);
    assert!(!format!("{exits:?}").contains("hunter2"), "{exits:?}");
    assert!(format!("{exits:?}").contains("SECRET"), "the name may be shown");
    let error = build::<All>(exits).await.unwrap_err();
    let text = format!("{error} {error:?}");
    assert!(text.contains("the secret is [$SECRET]"), "{text}");
    assert!(!text.contains("hunter2"), "{text}");
}

/// Uses two servers.
struct Both;

impl Agent for Both {
    const NAME: &'static str = "both";
    type State = ();

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().server("fix", None).server("other", None)
    }
}

#[tokio::test]
async fn a4_servers_start_side_by_side_and_every_failure_is_reported() {
    let log = Log::new("several");
    let begun = Instant::now();
    let limit = Duration::from_secs(2);
    let error = Both::builder()
        .model(ScriptedModel::new())
        .server("fix", silent(&log).start_timeout(limit))
        .server("other", silent(&log).start_timeout(limit))
        .build()
        .await
        .unwrap_err();
    assert!(begun.elapsed() < Duration::from_millis(3_500), "{:?}", begun.elapsed());
    assert!(matches!(&error, BuildError::Several(both) if both.len() == 2), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("server `fix`") && text.contains("server `other`"), "{text}");
}

#[tokio::test]
async fn a4_a_server_beside_one_that_fails_is_ended() {
    let log = Log::new("beside");
    let error = Both::builder()
        .model(ScriptedModel::new())
        .server("fix", server("stays", &log))
        .server("other", ServerConfig::stdio("sh").args(["-c", "sleep 1; exit 4"]))
        .build()
        .await
        .unwrap_err();
    assert!(error.to_string().contains("exit status: 4"), "{error}");
    let pid = log.pids()[0];
    wait_until("its end", || !runs(pid)).await;
}

#[tokio::test]
async fn a4_a_start_that_is_dropped_leaves_nothing_running() {
    let log = Log::new("dropped-start");
    let start = tokio::spawn(build::<All>(silent(&log)));
    log.wait_for("pid").await;
    start.abort();
    let pid = log.pids()[0];
    wait_until("its end", || !runs(pid)).await;
}

#[tokio::test]
async fn a4_agents_share_one_process_of_a_server() {
    let log = Log::new("shared");
    let app = App::builder()
        .model(ScriptedModel::new())
        .agent::<Entry>()
        .agent::<Getter>()
        .server("fix", server("plain", &log))
        .build()
        .await
        .unwrap();
    let all = call(app.agent("entry").unwrap(), "fix__get_echo", serde_json::json!({"text": "a"})).await;
    let getter = call(app.agent("getter").unwrap(), "fix__get_echo", serde_json::json!({"text": "b"})).await;
    assert_eq!([&*all.text, &*getter.text], ["a", "b"]);
    assert_eq!(log.pids().len(), 1);
    app.shutdown().await;
}

/// As [`All`], and the entry.
struct Entry;

impl Agent for Entry {
    const NAME: &'static str = "entry";
    type State = ();

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().server("fix", None).default_agent(true)
    }

    async fn run(run: &onionskin::run::AgentRun, input: String) -> Result<String, onionskin::RunError> {
        All::run(run, input).await
    }
}
