//! The `.mcp.json` and the lock file of the working directory. In a program of its own: the working directory is the process's.
#![cfg(feature = "mcp")]

use std::path::PathBuf;

use onionskin::mcp::ServerConfig;
use onionskin::{ScriptedModel, agent};
use tokio::sync::{Mutex, MutexGuard};

agent! {
    /// Tells the time.
    Clock { instruction: "Tell the time.", servers: [time] }

    /// Tells the time and reads files.
    Both { instruction: "Do both.", servers: [time, files] }
}

/// One test at a time is in a directory.
static DIRECTORY: Mutex<()> = Mutex::const_new(());

async fn enter(name: &str) -> (MutexGuard<'static, ()>, PathBuf) {
    let guard = DIRECTORY.lock().await;
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("the folder of the test");
    std::env::set_current_dir(&directory).expect("the folder of the test");
    (guard, directory)
}

#[tokio::test]
async fn a4_servers_without_configuration_are_looked_for_in_the_working_directory() {
    let _guard = enter("mcp-file").await;
    let build = || Clock::builder().model(ScriptedModel::new());

    let text = build().build().await.unwrap_err().to_string();
    assert!(text.contains("the configured servers are: none"), "{text}");

    let file = r#"{"mcpServers": {"time": {"command": "sh", "args": ["-c", "exit 5"]}}}"#;
    std::fs::write(".mcp.json", file).unwrap();
    let text = build().build().await.unwrap_err().to_string();
    assert!(text.contains("exit status: 5"), "{text}");

    // What the program configures itself is not looked for.
    std::fs::write(".mcp.json", "no JSON").unwrap();
    let text = build().build().await.unwrap_err().to_string();
    assert!(text.starts_with(".mcp.json:1:"), "{text}");
    // It is one problem for two servers as well.
    let text = Both::builder().model(ScriptedModel::new()).build().await.unwrap_err().to_string();
    assert!(text.starts_with(".mcp.json:1:"), "{text}");
    let own = ServerConfig::stdio("sh").args(["-c", "exit 6"]);
    let text = build().server("time", own).build().await.unwrap_err().to_string();
    assert!(text.contains("exit status: 6"), "{text}");
}

/// A loaded card has no package whose file is compiled in.
#[cfg(feature = "loader")]
#[tokio::test]
async fn a3_agents_of_loaded_cards_have_the_lock_file_of_the_working_directory_for_servers_in_code() {
    use onionskin::loader::{CardLoader, Registry};
    use onionskin::mcp::McpConfig;
    use onionskin::mcp::snapshot::Snapshot;
    use onionskin::testing::FakeServer;
    use onionskin::{App, BuildError};
    use serde_json::json;

    let (_guard, _) = enter("lock-file").await;
    std::fs::write("clock.md", "---\nservers: [time]\nlock: strict\n---\nTell the time.\n").unwrap();
    let cards = CardLoader::new(Registry::new()).load(["clock.md"]).unwrap();
    let time = FakeServer::new().tool(json!({"name": "get_time"}), |_| "noon".into());
    let build = async |cards: &onionskin::loader::LoadedCards| -> Result<App, BuildError> {
        cards.add_to(App::builder()).model(ScriptedModel::new()).server("time", time.config()).build().await
    };
    let error = async || build(&cards).await.err().unwrap().to_string();

    let told = error().await;
    assert!(told.starts_with("the MCP server `time` is not in `onionskin-mcp.lock.json`"), "{told}");
    let mut config = McpConfig::new();
    config.insert("time", time.config());
    let locked = Snapshot::take(&config).await.unwrap().snapshot;
    locked.write(Snapshot::FILE).unwrap();
    assert_eq!(build(&cards).await.unwrap().entry().tool_names().unwrap(), ["time__get_time"]);
    time.add_tool(json!({"name": "get_date"}), |_| "today".into());
    let told = error().await;
    assert!(told.starts_with("the MCP server `time`: added `get_date`, in comparison with"), "{told}");

    std::fs::write(Snapshot::FILE, "{").unwrap();
    let told = error().await;
    assert!(told.starts_with("onionskin-mcp.lock.json:1:"), "{told}");
}
