//! The PMO report from the command line: the agents are in cards, and this program has their tool and their hook.
//!
//! ```text
//! cargo run -p onionskin-examples --bin reports -- list --card examples/cards
//! cargo run -p onionskin-examples --bin reports -- run --card examples/cards "Run PMO report and add 1 to 3"
//! ```
//!
//! `Cargo.toml` names this program, so the ready program `onionskin` runs it for these cards:
//!
//! ```text
//! onionskin run --card examples/cards/pmo.md "Run PMO report and add 1 to 3"
//! ```
//!
//! With a key in `OPENAI_API_KEY`, the agents ask the model that their cards name; without one, a script plays its part.

use std::error::Error;
use std::time::Duration;

use onionskin::ScriptedModel;
use onionskin::declaration::AppBuilder;
use onionskin::loader::Registry;
use onionskin::mcp::{McpConfig, ServerConfig};

/// What a model would do here, turn by turn.
const SCRIPT: &str = include_str!("pmo/script.yaml");

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

/// The time server of the examples: beside this program if it is built, and else by cargo.
fn servers() -> std::io::Result<McpConfig> {
    let beside =
        std::env::current_exe()?.with_file_name(format!("time_server{}", std::env::consts::EXE_SUFFIX));
    let server = if beside.exists() {
        ServerConfig::stdio(beside.to_string_lossy())
    } else {
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
        let run = ["run", "--quiet", "--package", "onionskin-examples", "--bin", "time_server"];
        // A server gets no other variables of this program, and these say where cargo has its files.
        let places = ["CARGO_HOME", "CARGO_TARGET_DIR", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"];
        ServerConfig::stdio(cargo).args(run).pass_env(places).start_timeout(Duration::from_mins(10))
    };
    let mut servers = McpConfig::new();
    servers.insert("time", server);
    Ok(servers)
}

fn setup(app: AppBuilder) -> Result<AppBuilder, Box<dyn Error + Send + Sync>> {
    let app = app.servers(servers()?);
    if std::env::var_os("OPENAI_API_KEY").is_some() {
        return Ok(app);
    }
    Ok(app.model(ScriptedModel::from_yaml(SCRIPT, "script.yaml")?))
}

onionskin::main! {
    registry: registry(),
    setup: setup,
}
