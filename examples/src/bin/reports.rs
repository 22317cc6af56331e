//! The PMO report from the command line: the agents are in cards, and this program has their tool and their hook.
//!
//! ```text
//! cargo run -p onionskin-examples --bin reports -- list --card examples/cards
//! cargo run -p onionskin-examples --bin reports -- run --card examples/cards "Run PMO report and add 1 to 3"
//! ```

use onionskin::loader::Registry;
use onionskin::mcp::{McpConfig, ServerConfig};

#[path = "../../cards/tools.rs"]
#[expect(unreachable_pub, reason = "the cards' modules are public in their files")]
mod tools;

#[path = "../../cards/hooks.rs"]
#[expect(unreachable_pub, reason = "as above")]
mod hooks;

/// What cards can name. The paths are those of the cards from the folder where the program is started.
fn registry() -> Registry {
    Registry::new()
        .file("examples/cards/tools.rs", |items| items.tool::<tools::add_one>())
        .file("examples/cards/hooks.rs", |items| items.tool_hook::<hooks::audit>())
}

/// The time server that the examples bring, beside this program.
fn servers() -> std::io::Result<McpConfig> {
    let server = std::env::current_exe()?.with_file_name("time_server");
    let mut servers = McpConfig::new();
    servers.insert("time", ServerConfig::stdio(server.to_string_lossy()));
    Ok(servers)
}

onionskin::main! {
    registry: registry(),
    setup: |app| servers().map(|servers| app.servers(servers)),
}
