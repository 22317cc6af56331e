//! Our MCP client against real servers: each is started, listed, called well and called wrongly.

use std::path::Path;

use onionskin::declaration::AgentDeclaration;
use onionskin::event::EventKind;
use onionskin::mcp::ServerConfig;
use onionskin::question::{Answer, Question};
use onionskin::run::AgentRun;
use onionskin::{Agent, AgentHandle, ErrorKind, RunError, ScriptedModel, ToolError};
use onionskin_judges::{folder, npm, python};
use serde_json::{Value, json};

/// An agent without a loop: it makes the call that its input names, and gives back what came of it as JSON.
struct Judge;

impl Agent for Judge {
    const NAME: &'static str = "judge";
    type State = ();

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().server("it", None)
    }

    async fn run(run: &AgentRun, input: String) -> Result<String, RunError> {
        Ok(outcome(run, &input).await)
    }
}

/// Makes the call that an input names.
pub(crate) async fn outcome(run: &AgentRun, input: &str) -> String {
    let (tool, arguments) = input.split_once(' ').unwrap_or((input, "{}"));
    let outcome = match run.call_tool(tool, arguments).await {
        Ok(output) => json!({
            "text": output.to_text(),
            "content": output.content(),
            "structured": output.structured_content(),
        }),
        Err(exit) => {
            json!({"kind": exit.as_tool_error().map(ToolError::kind), "text": exit.to_string()})
        }
    };
    outcome.to_string()
}

pub(crate) async fn start(server: ServerConfig) -> AgentHandle {
    match Judge::builder().model(ScriptedModel::new()).server("it", server).build().await {
        Ok(agent) => agent,
        Err(error) => panic!("{error}"),
    }
}

pub(crate) async fn call(agent: &AgentHandle, tool: &str, arguments: Value) -> Value {
    let output = agent.run(format!("it__{tool} {arguments}")).await.unwrap();
    serde_json::from_str(&output.text).unwrap()
}

pub(crate) fn text(outcome: &Value) -> &str {
    outcome["text"].as_str().unwrap()
}

/// What came of a call that should fail; its kind is as given.
pub(crate) async fn fails(agent: &AgentHandle, tool: &str, arguments: Value, kind: ErrorKind) -> String {
    let outcome = call(agent, tool, arguments).await;
    assert_eq!(outcome["kind"], json!(kind), "{outcome}");
    text(&outcome).to_owned()
}

pub(crate) fn has(agent: &AgentHandle, tools: &[&str]) {
    let names = agent.tool_names().unwrap();
    for tool in tools {
        assert!(names.contains(&format!("it__{tool}")), "{tool}: {names:?}");
    }
}

fn path(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[tokio::test]
async fn a4_server_everything() {
    let agent = start(npm("server-everything").arg("stdio")).await;
    has(&agent, &["echo", "get-sum", "get-tiny-image", "get-structured-content"]);
    assert_eq!(text(&call(&agent, "echo", json!({"message": "hello"})).await), "Echo: hello");
    let sum = call(&agent, "get-sum", json!({"a": 2, "b": "40"})).await;
    assert!(text(&sum).contains("42"), "{sum}");
    let image = call(&agent, "get-tiny-image", json!({})).await;
    assert_eq!(image["content"][1]["type"], "image", "{image}");
    let weather = call(&agent, "get-structured-content", json!({"location": "Chicago"})).await;
    assert!(weather["structured"]["temperature"].is_number(), "{weather}");
    let wrong = fails(&agent, "get-sum", json!({"a": "two", "c": 1}), ErrorKind::Arguments).await;
    assert!(wrong.contains("`a`: expected a number") && wrong.contains("`b`: missing"), "{wrong}");
    agent.shutdown().await;
}

/// Uses the tools of server-everything that ask a person.
pub(crate) async fn asks(server: ServerConfig) {
    let answerer = |question: Question| async move {
        let is_address = question.text()?.contains("asks you to open an address of `");
        let form = || json!({"name": "Ada", "email": "ada@example.com", "titledMultipleSelectEnum": ["fish-2", "fish-3"]});
        Answer::value(if is_address { json!(true) } else { form() }).ok()
    };
    let builder = Judge::builder().model(ScriptedModel::new()).server("it", server.asks());
    let agent = builder.answerer(answerer).build().await.unwrap();
    let form = call(&agent, "trigger-elicitation-request", json!({})).await;
    for part in [
        "- Name: Ada",
        "- Favorite Integer: 42",
        "- Favorite Number: 3.14",
        "\"fish-3\"",
        "\"legacyTitledEnum\": \"pet-1\"",
    ] {
        assert!(text(&form).contains(part), "{part}: {form}");
    }
    for by_error in [false, true] {
        let arguments = json!({"url": "https://login.example.com/start", "errorPath": by_error});
        let opened = call(&agent, "trigger-url-elicitation", arguments).await;
        assert!(text(&opened).contains("accept") && opened["kind"].is_null(), "{opened}");
    }
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_server_everything_asks_a_person() {
    asks(npm("server-everything").arg("stdio")).await;
}

#[tokio::test]
async fn a4_server_everything_reports_progress() {
    let agent = start(npm("server-everything").arg("stdio")).await;
    let mut stream = agent.stream(r#"it__trigger-long-running-operation {"duration": 1, "steps": 4}"#);
    let mut reports = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::Progress { done, total, .. } = event.kind {
            reports.push((done, total));
        }
    }
    assert!(reports.len() >= 3 && reports.contains(&(3.0, Some(4.0))), "{reports:?}");
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_server_filesystem() {
    let files = folder(env!("CARGO_TARGET_TMPDIR"), "filesystem");
    std::fs::write(files.join("hello.txt"), "hello from a file\n").unwrap();
    let agent = start(npm("server-filesystem").arg(path(&files))).await;
    has(&agent, &["read_text_file", "write_file", "list_directory"]);
    let read = call(&agent, "read_text_file", json!({"path": path(&files.join("hello.txt"))})).await;
    assert!(text(&read).contains("hello from a file"), "{read}");
    let written = json!({"path": path(&files.join("new.txt")), "content": "written"});
    call(&agent, "write_file", written).await;
    assert_eq!(std::fs::read_to_string(files.join("new.txt")).unwrap(), "written");
    let denied = fails(&agent, "read_text_file", json!({"path": "/etc/passwd"}), ErrorKind::Remote).await;
    assert!(denied.to_lowercase().contains("denied"), "{denied}");
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_server_memory() {
    let files = folder(env!("CARGO_TARGET_TMPDIR"), "memory");
    let server = npm("server-memory").env("MEMORY_FILE_PATH", path(&files.join("memory.jsonl")));
    let agent = start(server).await;
    has(&agent, &["create_entities", "read_graph"]);
    let entity = json!({"name": "onion", "entityType": "vegetable", "observations": ["has layers"]});
    call(&agent, "create_entities", json!({"entities": [entity]})).await;
    let graph = call(&agent, "read_graph", json!({})).await;
    assert_eq!(graph["structured"]["entities"][0]["name"], "onion", "{graph}");
    let missing = json!({"observations": [{"entityName": "leek", "contents": ["is long"]}]});
    let missing = fails(&agent, "add_observations", missing, ErrorKind::Remote).await;
    assert!(missing.contains("leek"), "{missing}");
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_server_git() {
    let repository = folder(env!("CARGO_TARGET_TMPDIR"), "git");
    onionskin_judges::repository(&repository, "Lay the first layer");
    let agent = start(python("mcp-server-git").args(["--repository", &path(&repository)])).await;
    has(&agent, &["git_log", "git_status"]);
    let log = call(&agent, "git_log", json!({"repo_path": path(&repository), "max_count": 1})).await;
    assert!(text(&log).contains("Lay the first layer"), "{log}");
    let outside = fails(&agent, "git_log", json!({"repo_path": "/nowhere"}), ErrorKind::Remote).await;
    assert!(outside.contains("/nowhere"), "{outside}");
    agent.shutdown().await;
}

/// The calls that both time servers must answer alike.
async fn time_server(agent: &AgentHandle) -> Vec<Value> {
    has(agent, &["get_current_time", "convert_time"]);
    let now = call(agent, "get_current_time", json!({"timezone": "Asia/Tokyo"})).await;
    let now = &now["structured"];
    assert!(now["datetime"].as_str().is_some_and(|time| time.ends_with("+09:00")), "{now}");
    let conversion = json!({"source_timezone": "UTC", "time": "12:34", "target_timezone": "Asia/Kathmandu"});
    let conversion = call(agent, "convert_time", conversion).await;
    let from_text: Value = serde_json::from_str(text(&conversion)).unwrap();
    assert_eq!(from_text, conversion["structured"]);
    let unknown = fails(agent, "get_current_time", json!({"timezone": "Mars/Base"}), ErrorKind::Remote).await;
    assert!(unknown.contains("Invalid timezone"), "{unknown}");
    let missing = fails(agent, "get_current_time", json!({}), ErrorKind::Arguments).await;
    assert!(missing.contains("`timezone`: missing; expected a string"), "{missing}");
    let late = json!({"source_timezone": "UTC", "time": "25:00", "target_timezone": "UTC"});
    let late = fails(agent, "convert_time", late, ErrorKind::Remote).await;
    assert!(late.contains("Invalid time format"), "{late}");
    let fields = now.as_object().unwrap().keys().map(|key| json!(key)).collect();
    vec![Value::Array(fields), now["is_dst"].clone(), conversion["structured"].clone()]
}

#[tokio::test]
async fn a4_server_time_and_ours_answer_alike() {
    let reference = start(python("mcp-server-time").args(["--local-timezone", "UTC"])).await;
    let ours = start(ours()).await;
    assert_eq!(time_server(&reference).await, time_server(&ours).await);
    reference.shutdown().await;
    ours.shutdown().await;
}

/// Our time server: this test program itself, started again.
fn ours() -> ServerConfig {
    ServerConfig::stdio(std::env::current_exe().unwrap().to_string_lossy())
        .args(["--ignored", "--exact", "mcp_servers::our_time_server", "--nocapture"])
        .env("ONIONSKIN_JUDGES_SERVE", "time")
}

#[test]
#[ignore = "the server that a test starts, no test"]
fn our_time_server() {
    if std::env::var("ONIONSKIN_JUDGES_SERVE").is_ok() {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(onionskin_examples::time_server::serve_stdio()).unwrap();
        std::process::exit(0);
    }
}
