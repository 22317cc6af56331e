//! The PMO report: an orchestrator that mixes an MCP server, a local function, two child agents, a
//! built-in tool and a hook around all of them.
//!
//! ```text
//! cargo run -p onionskin-examples --bin pmo
//! ```
//!
//! Without an API key a script plays the model's part and everything else is real, the MCP time server
//! included. With a key in the environment, or with `--model` and `--base-url`, a real model runs it.

mod agents;
mod options;

use std::error::Error;
use std::process::ExitCode;

use onionskin::declaration::AppBuilder;
use onionskin::mcp::{McpConfig, ServerConfig};
use onionskin::{App, ScriptedModel};
use onionskin_examples::{print_tools, show, time_server};

use agents::{LondonProjectManager, NyProjectManager, PmoOrchestrator};
use options::{Command, HELP, Options};

const INPUT: &str = "Run PMO report and add 1 to 3";

/// What a model would do here, turn by turn.
const SCRIPT: &str = include_str!("script.yaml");

fn main() -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    // This program is its own MCP server: the configuration starts it with this argument.
    if std::env::args().nth(1).as_deref() == Some(SERVE_TIME) {
        runtime()?.block_on(time_server::serve_stdio())?;
        return Ok(ExitCode::SUCCESS);
    }
    match Options::read(std::env::args().skip(1)) {
        Ok(Command::Help) => println!("{HELP}"),
        Ok(Command::Report(options)) => runtime()?.block_on(report(options))?,
        Err(wrong) => {
            eprintln!("{wrong}");
            return Ok(ExitCode::from(2));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()
}

const SERVE_TIME: &str = "serve-time";

async fn report(options: Options) -> Result<(), Box<dyn Error + Send + Sync>> {
    let app = App::builder()
        .agent::<PmoOrchestrator>()
        .agent::<NyProjectManager>()
        .agent::<LondonProjectManager>()
        .servers(servers(&options)?);
    if options.tools {
        return tools(app).await;
    }
    let app = with_model(app, &options)?.build().await?;

    let mut run = app.stream(options.input.as_deref().unwrap_or(INPUT));
    let mut view = show::View::default();
    while let Some(event) = run.next().await {
        view.show(&event);
    }
    let output = run.output().await?;
    view.summary(&output);
    app.shutdown().await;
    Ok(())
}

/// Prints the tools of all agents, each once.
async fn tools(app: AppBuilder) -> Result<(), Box<dyn Error + Send + Sync>> {
    let app = app.model(ScriptedModel::from_yaml(SCRIPT, "script.yaml")?).build().await?;
    let mut tools = Vec::new();
    for agent in app.agents() {
        tools.extend(app.agent(agent)?.tool_definitions()?.iter().cloned());
    }
    tools.sort_by(|a, b| a.name.cmp(&b.name));
    tools.dedup_by(|a, b| a.name == b.name);
    print_tools(&tools)?;
    app.shutdown().await;
    Ok(())
}

/// The servers of `--mcp-config`; without it the time server that this program brings.
fn servers(options: &Options) -> Result<McpConfig, Box<dyn Error + Send + Sync>> {
    if let Some(file) = &options.mcp_config {
        return Ok(McpConfig::from_file(file)?);
    }
    let this_program = std::env::current_exe()?.to_string_lossy().into_owned();
    let mut servers = McpConfig::new();
    servers.insert("time", ServerConfig::stdio(this_program).arg(SERVE_TIME));
    Ok(servers)
}

fn with_model(app: AppBuilder, options: &Options) -> Result<AppBuilder, Box<dyn Error + Send + Sync>> {
    match options.model_name() {
        Some(name) => {
            println!("model: {name}\n");
            Ok(app.model(options.model(&name)))
        }
        None => {
            println!("model: a script (set an API key, or give --model and --base-url, for a real one)\n");
            Ok(app.model(ScriptedModel::from_yaml(SCRIPT, "script.yaml")?))
        }
    }
}
