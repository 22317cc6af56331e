//! A3: real servers in a lock file: the compiler checks names by it, and a tool that the file renames is reported.

use std::fs;
use std::path::Path;

use onionskin::declaration::AgentDeclaration;
use onionskin::event::EventKind;
use onionskin::mcp::McpConfig;
use onionskin::mcp::snapshot::Snapshot;
use onionskin::{Agent, AgentHandle, ScriptedModel, ScriptedTurn};
use onionskin_judges::{folder, npm, python, repository};

use super::package;

/// An agent of each server with the lock file of the package.
const AGENT: &str = r#"
onionskin::agent! {
    Everything {
        instruction: "Do it.",
        servers: [time, git, files, memory, everything],
        tools: {
            time: [get_current_time, "convert_*"],
            git: [git_log, "git_stat??"],
            files: [read_text_file],
            memory: ["*_entities"],
            everything: [echo, "get-*"],
        },
    }
}

fn main() {}
"#;

/// The servers of the kit.
fn servers(test: &str) -> McpConfig {
    let folder = folder(env!("CARGO_TARGET_TMPDIR"), test);
    repository(&folder, "Lay the first layer");
    let path = folder.to_string_lossy().into_owned();
    let mut config = McpConfig::new();
    config.insert("time", python("mcp-server-time").args(["--local-timezone", "UTC"]));
    config.insert("git", python("mcp-server-git").args(["--repository", &path]));
    config.insert("files", npm("server-filesystem").arg(&path));
    config.insert("memory", npm("server-memory").env("MEMORY_FILE_PATH", format!("{path}/memory.jsonl")));
    config.insert("everything", npm("server-everything").arg("stdio"));
    config
}

/// The same snapshot, in which a tool of the time server has another name.
fn renamed(snapshot: &Snapshot) -> Snapshot {
    let text = snapshot.to_json().replace("\"get_current_time\": {", "\"get_curent_time\": {");
    Snapshot::from_json(&text, "edited").unwrap()
}

/// An agent that was compiled with a lock file of another name for a tool.
struct Clock;

impl Agent for Clock {
    const NAME: &'static str = "clock";
    type State = ();

    fn declare() -> AgentDeclaration {
        let text =
            fs::read_to_string(Path::new(env!("CARGO_TARGET_TMPDIR")).join("renamed.lock.json")).unwrap();
        let agent = AgentDeclaration::new().instruction("Tell the time.").server_snapshot(text);
        agent.server("time", None).server("git", None)
    }
}

async fn notices(agent: &AgentHandle) -> Vec<String> {
    let mut stream = agent.stream("Go.");
    let mut notices = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::Notice { text, .. } = event.kind {
            notices.push(text);
        }
    }
    notices
}

#[tokio::test]
async fn a3_real_servers_are_locked_compiled_and_compared() {
    let config = servers("locked");
    let locked = Snapshot::take(&config).await.unwrap().snapshot;
    let count = |server: &str| locked.tools(server).unwrap().len();
    println!("{:?}", locked.servers().map(|server| (server, count(server))).collect::<Vec<_>>());
    assert_eq!(count("time"), 2);
    assert!(count("git") > 5 && count("files") > 5 && count("memory") > 5 && count("everything") > 5);
    for server in locked.servers() {
        assert_eq!(locked.tool_specs(server).unwrap().unwrap().len(), count(server), "{server}");
    }
    let again = Snapshot::take(&config).await.unwrap().snapshot;
    assert!(locked.drift(&again).is_empty(), "{}", locked.drift(&again));
    assert_eq!(locked.to_json(), again.to_json());
    assert_eq!(Snapshot::from_json(&locked.to_json(), "file").unwrap(), locked);

    let compile = |lock_file: &Snapshot| package::compile("locked-servers", &[], AGENT, lock_file);
    assert_eq!(compile(&locked), "");
    let words = compile(&renamed(&locked));
    let expected = "error: `get_current_time` is not a tool of the server `time` in `onionskin-mcp.lock.json`; did you mean `get_curent_time`?";
    assert!(words.contains(expected) && words.contains("src/main.rs:7:20"), "{words}");

    renamed(&locked).write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("renamed.lock.json")).unwrap();
    let model = ScriptedModel::turns([ScriptedTurn::say("Done."), ScriptedTurn::say("Done.")]);
    let agent = Clock::builder().model(model).servers(config).build().await.unwrap();
    let [notice] = notices(&agent).await.try_into().unwrap();
    let expected =
        "the MCP server `time`: added `get_current_time`; removed `get_curent_time`, in comparison with";
    assert!(notice.starts_with(expected), "{notice}");
    assert_eq!(notices(&agent).await, [""; 0]);
    agent.shutdown().await;
}
