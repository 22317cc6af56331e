//! `serve` makes an agent, or its tools, an MCP server.

mod entry;
mod reload;

use std::env;
use std::net::SocketAddr;
use std::process::ExitCode;

use clap::Args;
use onionskin_core::declaration::AppBuilder;
use onionskin_core::definition::ToolSource;
use onionskin_core::secret::Secret;
use onionskin_core::{AgentHandle, App, CancellationToken};
use onionskin_serve::{Http, Listening, Server, User};

use crate::agents::{self, AgentArguments};
use crate::failure::Failure;
use crate::log;
use crate::model::ModelArguments;
use crate::output;
use crate::program::Program;
use crate::questions::{OpenQuestions, Person, YesArgument};
use crate::sessions::StoreArguments;
use crate::signals::{Signals, until_signal};

pub(crate) const ABOUT: &str = "\
Serve an agent to other programs over MCP: as one tool that asks the agent, or, with `--tools`, the agent's tools behind its hooks. \
With `--api`, over plain HTTP too. Cards that change are loaded again.

Without `--http`, the client is the program that starts this command, over the standard streams. The agent's questions and approvals are \
asked by the client; a client that cannot ask gets an error.

Exit code: 0 when the client is gone, 2 after an error, 130 after Ctrl-C, 143 after SIGTERM.";

pub(crate) const EXAMPLES: &str = "\
Examples:
  {program} serve --card cards/helper.md
  {program} serve --card cards/helper.md --tools
  {program} serve --card cards/helper.md --http 127.0.0.1:8080
  {program} serve --card cards/helper.md --http 127.0.0.1:8080 --api --sessions desk.db
  {program} serve --card cards/helper.md --http 0.0.0.0:8080 --host agents.example.com --token-env DESK_TOKEN";

/// The user of a server with one token.
const USER: &str = "token";

#[derive(Args)]
pub(crate) struct ServeArguments {
    /// Serve the tools of the agent, in place of the agent. Only agents among them need a model.
    #[arg(long)]
    tools: bool,

    /// Listen on this address, such as `127.0.0.1:8080`, in place of the standard streams. The endpoint is `/mcp`.
    ///
    /// Other machines can reach an address that is not of this machine alone: it needs `--token-env`, and `--host` with the name by which they
    /// reach it. The connections are not encrypted: put a proxy with TLS before it.
    #[arg(long, value_name = "ADDRESS")]
    http: Option<SocketAddr>,

    /// Accept requests that name this host; repeatable. Names of this machine are always accepted.
    #[arg(long = "host", value_name = "NAME", requires = "http")]
    hosts: Vec<String>,

    /// Require the bearer token in this environment variable.
    #[arg(long, value_name = "VARIABLE", requires = "http")]
    token_env: Option<String>,

    /// Serve the agent over plain HTTP too: `POST /agents/NAME/runs` runs it, and `/openapi.json` describes all paths.
    #[arg(long, requires = "http", conflicts_with = "tools")]
    api: bool,

    #[command(flatten)]
    sessions: StoreArguments,

    /// Show what hooks and scripts log, on standard error.
    #[arg(long, short)]
    verbose: bool,

    #[command(flatten)]
    yes: YesArgument,

    #[command(flatten)]
    pub(crate) agents: AgentArguments,

    #[command(flatten)]
    model: ModelArguments,
}

pub(crate) async fn run(program: &Program, arguments: ServeArguments) -> Result<ExitCode, Failure> {
    // Before they are loaded, so that no change is missed.
    let before = reload::changes(program, &arguments.agents);
    let (mut app, server, token) = Box::pin(until_signal(async {
        let token = arguments.token_env.as_deref().map(token).transpose()?;
        let (app, server) = agents_and_server(program, &arguments).await?;
        Ok((app, server, token))
    }))
    .await?;
    if arguments.verbose {
        log::show();
    }
    let mut signals = Signals::take(false, false, || ());
    let served = match arguments.http {
        None => {
            announce(&app, &arguments, None);
            let follow = reload::follow(program, &arguments, &server, &mut app, before);
            let served = async {
                tokio::select! {
                    served = server.serve_stdio() => served.map_err(Failure::new),
                    never = follow => match never {},
                }
            };
            signals.until(served).await
        }
        Some(address) => {
            let http = arguments.hosts.iter().fold(server.http(), Http::host);
            let http = match token {
                Some(token) => http.token(token, User::new(USER).map_err(Failure::new)?),
                None => http,
            };
            let http = if arguments.api { http.api() } else { http };
            let listening = http.listen(address).await.map_err(Failure::new)?;
            announce(&app, &arguments, Some(&listening));
            let mut signal = None;
            let follow = reload::follow(program, &arguments, &server, &mut app, before);
            let until = async {
                tokio::select! {
                    next = signals.next() => signal = Some(next),
                    never = follow => match never {},
                }
            };
            listening.run(until).await;
            signal.map_or(Ok(()), |signal| Err(Failure::interrupted(signal)))
        }
    };
    app.shutdown().await;
    served.map(|()| ExitCode::SUCCESS)
}

/// Builds the agents, and the server that offers them.
///
/// Cancel safety: dropping the future ends the servers of tools that were started.
async fn agents_and_server(program: &Program, arguments: &ServeArguments) -> Result<(App, Server), Failure> {
    let app = app(program, arguments).await?;
    let server = server(program, app.entry(), arguments.tools).await?;
    Ok((app, server))
}

async fn app(program: &Program, arguments: &ServeArguments) -> Result<App, Failure> {
    let with = |app: AppBuilder| {
        if !arguments.yes.yes {
            return app;
        }
        let (person, _) =
            Person::new(false, arguments.yes, CancellationToken::new(), OpenQuestions::default());
        app.default_answerer(person)
    };
    if arguments.tools {
        let shown = agents::shown_on(program, &arguments.agents, with(App::builder())).await?;
        if !has_children(&shown)? {
            return Ok(shown);
        }
        // Their model is asked.
        shown.shutdown().await;
    }
    let session = arguments.sessions.served(arguments.api)?;
    agents::app(program, &arguments.agents, &arguments.model, &session, with).await
}

/// Whether tools of the agent are agents.
fn has_children(app: &App) -> Result<bool, Failure> {
    let described = app.describe().map_err(Failure::new)?;
    let entry = described.agents.iter().find(|agent| agent.name == app.entry().name());
    Ok(entry.is_some_and(|agent| agent.tools.iter().any(|tool| tool.source == ToolSource::Agent)))
}

async fn server(program: &Program, agent: &AgentHandle, tools: bool) -> Result<Server, Failure> {
    let builder = Server::builder(program.name, program.version);
    let builder = if tools { builder.tools_of(agent) } else { builder.agent(agent) };
    builder.build().await.map_err(Failure::new)
}

/// The token in a variable.
fn token(variable: &str) -> Result<Secret<String>, Failure> {
    match env::var(variable) {
        Ok(token) if !token.trim().is_empty() => Ok(Secret::new(token.trim().to_owned())),
        _ => Err(Failure::new(format!("the variable `{variable}` of `--token-env` has no token"))),
    }
}

/// Says on standard error what is served, and what a client has to know. Standard output belongs to the protocol.
fn announce(app: &App, arguments: &ServeArguments, listening: Option<&Listening>) {
    let agent = app.entry();
    let what = if arguments.tools {
        let tools = agent.tool_names().unwrap_or_default();
        format!("the tools of {}: {}", agent.name(), tools.join(", "))
    } else {
        format!("the agent {}", agent.name())
    };
    let entry = match listening {
        Some(listening) => entry::http(listening, arguments.hosts.first(), arguments.token_env.as_deref()),
        None => entry::command(&arguments.agents),
    };
    output::aside(&format!(
        "serving {what}\nIn `.mcp.json` of a client:\n{}",
        entry::snippet(agent.name(), &entry)
    ));
    if let Some(listening) = listening.filter(|_| arguments.api) {
        output::aside(&format!("Over plain HTTP: http://{}/openapi.json", listening.address()));
    }
}
