//! The `.mcp.json` of the working directory. In a program of its own: the working directory is the process's.
#![cfg(feature = "mcp")]

use onionskin::mcp::ServerConfig;
use onionskin::{ScriptedModel, agent};

agent! {
    /// Tells the time.
    Clock { instruction: "Tell the time.", servers: [time] }

    /// Tells the time and reads files.
    Both { instruction: "Do both.", servers: [time, files] }
}

#[tokio::test]
async fn a4_servers_without_configuration_are_looked_for_in_the_working_directory() {
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("mcp-file");
    std::fs::create_dir_all(&directory).unwrap();
    std::env::set_current_dir(&directory).unwrap();
    let _ = std::fs::remove_file(".mcp.json");
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
