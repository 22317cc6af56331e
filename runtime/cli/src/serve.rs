//! `serve` makes an agent, or its tools, an MCP server.

mod entry;
mod reload;

use std::env;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use onionskin_core::declaration::AppBuilder;
use onionskin_core::definition::ToolSource;
use onionskin_core::question::SealKey;
use onionskin_core::secret::Secret;
use onionskin_core::{AgentHandle, App, CancellationToken};
use onionskin_serve::{Http, Listening, Resource, ServeError, Server, ServerBuilder, User};

use self::reload::Watched;
use crate::agents::{self, AgentArguments};
use crate::failure::Failure;
use crate::log;
use crate::model::ModelArguments;
use crate::output;
use crate::program::Program;
use crate::questions::{OpenQuestions, Person, YesArgument};
use crate::sessions::StoreArguments;
use crate::settings::is_variable;
use crate::signals::Signals;

pub(crate) const ABOUT: &str = "\
Serve an agent to other programs over MCP: as one tool that asks the agent, or, with `--tools`, the agent's tools behind its hooks. \
With `--api`, over plain HTTP too. Cards, skills and the configuration of servers are loaded again when they change.

Without `--http`, the client is the program that starts this command, over the standard streams. The agent's questions and approvals are \
asked by the client; a client that cannot ask gets an error.

After Ctrl-C or SIGTERM, a server of HTTP accepts no calls, and those in progress have 10 seconds to end; agents begin no other turn. The \
next signal ends them.

Exit code: 0 when the client is gone, 2 after an error, 130 after Ctrl-C, 143 after SIGTERM.";

pub(crate) const EXAMPLES: &str = "\
Examples:
  {program} serve --card cards/helper.md
  {program} serve --card cards/helper.md --tools
  {program} serve --card cards/helper.md --show-cards
  {program} serve --card cards/helper.md --http 127.0.0.1:8080
  {program} serve --card cards/helper.md --http 127.0.0.1:8080 --api --sessions desk.db
  {program} serve --card cards/helper.md --http 0.0.0.0:8080 --host agents.example.com --token-env DESK_TOKEN --key-env DESK_KEY";

/// What `--sessions` does here.
#[cfg(feature = "sqlite")]
pub(crate) const SESSIONS: &str =
    "Store the sessions that clients of `--api` name in this file. Without it, they can name none";

/// The user of a server with one token.
const USER: &str = "token";

/// What is offered.
#[derive(Args)]
struct OfferArguments {
    /// Serve the tools of the agent, in place of the agent. Only agents among them need a model.
    #[arg(long)]
    tools: bool,

    /// Offer the cards as resources too: `card://NAME` is that of the agent NAME, as Markdown. Clients can read the instructions then.
    #[arg(long, conflicts_with = "workflow")]
    show_cards: bool,

    /// Offer the skills of this folder as resources: each folder in it that has a `SKILL.md`.
    #[cfg(feature = "skills")]
    #[arg(long, value_name = "DIR")]
    skills: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct ServeArguments {
    #[command(flatten)]
    offer: OfferArguments,

    /// Listen on this address, such as `127.0.0.1:8080` or `localhost:8080`, in place of the standard streams. The endpoint is `/mcp`.
    ///
    /// Other machines can reach an address that is not of this machine alone: it needs `--token-env`, and `--host` with the name by which they
    /// reach it. The connections are not encrypted: put a proxy with TLS before it.
    #[arg(long, value_name = "ADDRESS", value_parser = http_address)]
    http: Option<SocketAddr>,

    /// Accept requests that name this host; repeatable. Names of this machine are always accepted.
    #[arg(long = "host", value_name = "NAME", requires = "http")]
    hosts: Vec<String>,

    /// Require the bearer token in this environment variable.
    #[arg(long, value_name = "VARIABLE", requires = "http")]
    token_env: Option<String>,

    /// Use the key in this environment variable for sessions and for calls that wait for answers: at least 32 random characters, such as
    /// those of `openssl rand -hex 32`.
    ///
    /// Processes with one key behind a balancer can each go on with what a client began at another one, and a restart loses none of it.
    /// Without this option, each process makes a key.
    #[arg(long, value_name = "VARIABLE")]
    key_env: Option<String>,

    /// Serve the agent over plain HTTP too: `POST /agents/NAME/runs` runs it, and `/openapi.json` describes all paths.
    #[arg(long, requires = "http", conflicts_with = "tools")]
    api: bool,

    #[command(flatten)]
    sessions: StoreArguments,

    /// Show what hooks and scripts log, and warnings, on standard error. Errors are shown without it.
    #[arg(long, short)]
    verbose: bool,

    #[command(flatten)]
    yes: YesArgument,

    #[command(flatten)]
    pub(crate) agents: AgentArguments,

    #[command(flatten)]
    model: ModelArguments,
}

impl OfferArguments {
    /// The folder of skills.
    fn skills(&self) -> Option<&PathBuf> {
        #[cfg(feature = "skills")]
        return self.skills.as_ref();
        #[cfg(not(feature = "skills"))]
        None
    }
}

pub(crate) async fn run(program: &Program, arguments: ServeArguments) -> Result<ExitCode, Failure> {
    // Before they are loaded, so that no change is missed.
    let before = Watched::new(program, &arguments);
    if arguments.verbose {
        log::show();
    } else {
        log::show_errors();
    }
    let mut signals = Signals::take(false, false, || ());
    let (mut app, server, token) = Box::pin(signals.until(async {
        let token = arguments.token_env.as_deref().map(token).transpose()?;
        let is_reachable = arguments.http.is_some_and(|address| !address.ip().is_loopback());
        if token.is_some() && is_reachable && arguments.hosts.is_empty() {
            return Err(Failure::new(NO_HOST));
        }
        let (app, server) = agents_and_server(program, &arguments).await?;
        Ok((app, server, token))
    }))
    .await?;
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
            let listening = match http.listen(address).await {
                Ok(listening) => listening,
                Err(error) => {
                    app.shutdown().await;
                    return Err(listen_error(error));
                }
            };
            announce(&app, &arguments, Some(&listening));
            let mut signal = None;
            let follow = reload::follow(program, &arguments, &server, &mut app, before);
            let until = async {
                tokio::select! {
                    next = signals.next() => signal = Some(next),
                    never = follow => match never {},
                }
                output::aside("ending: the calls in progress are answered first");
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
    let server = server(program, app.entry(), arguments).await?;
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
    let session = arguments.sessions.served(arguments.api)?;
    if arguments.offer.tools {
        let shown = agents::shown_on(program, &arguments.agents, with(App::builder())).await?;
        if !has_children(&shown)? {
            return Ok(shown);
        }
        // Their model is asked.
        shown.shutdown().await;
    }
    agents::app(program, &arguments.agents, &arguments.model, &session, with).await
}

/// Whether tools of the agent are agents.
fn has_children(app: &App) -> Result<bool, Failure> {
    let described = app.describe().map_err(Failure::new)?;
    let entry = described.agents.iter().find(|agent| agent.name == app.entry().name());
    Ok(entry.is_some_and(|agent| agent.tools.iter().any(|tool| tool.source == ToolSource::Agent)))
}

async fn server(
    program: &Program,
    agent: &AgentHandle,
    arguments: &ServeArguments,
) -> Result<Server, Failure> {
    if arguments.offer.tools && agent.tool_names().is_ok_and(|tools| tools.is_empty()) {
        let text = format!("the agent `{}` has no tools to serve: remove `--tools`", agent.name());
        return Err(Failure::new(text));
    }
    let builder = Server::builder(program.name, program.version);
    let mut builder = if arguments.offer.tools { builder.tools_of(agent) } else { builder.agent(agent) };
    if arguments.offer.show_cards {
        let cards = agents::card_texts(program, &arguments.agents, agent.name()).await?;
        if cards.is_empty() {
            let text = format!("`--show-cards` offers cards, and the agent `{}` has none", agent.name());
            return Err(Failure::new(text));
        }
        builder = cards.into_iter().map(card).fold(builder, ServerBuilder::resource);
    }
    #[cfg(feature = "skills")]
    if let Some(folder) = arguments.offer.skills() {
        builder = builder.skills(folder);
    }
    if let Some(name) = &arguments.key_env {
        let key = secret("--key-env", "key", name)?;
        let weak = |error| Failure::new(format!("`{name}` of `--key-env`: {error}"));
        builder = builder.key(SealKey::new(key.expose().as_bytes()).map_err(weak)?);
    }
    builder.build().await.map_err(Failure::new)
}

/// The card of an agent as a resource. A name has letters, digits, `_`, `-` and blanks.
fn card((name, text): (String, String)) -> Resource {
    let uri = format!("card://{}", name.replace(' ', "%20"));
    Resource::text(uri, name, text).with_mime_type("text/markdown")
}

/// What an address of other machines needs beside a token.
const NO_HOST: &str = "requests of other machines name the server, and it answers none of their names: add `--host` with the name or the \
                       address by which they reach it";

/// An address of this machine.
fn http_address(text: &str) -> Result<SocketAddr, String> {
    let address = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    address.as_deref().unwrap_or(text).parse().map_err(|_| {
        "expected an address of this machine and a port, such as `127.0.0.1:8080` or `localhost:8080`"
            .to_owned()
    })
}

/// The words for a server that cannot listen. Those of the library name functions of Rust.
fn listen_error(error: ServeError) -> Failure {
    let ServeError::Open { address, .. } = error else { return Failure::new(error) };
    let by = if address.ip().is_loopback() { "the name of `--host`".to_owned() } else { address.to_string() };
    Failure::new(format!(
        "other machines can reach the server by {by}, and it requires no token: name the variable that has one with `--token-env`"
    ))
}

/// The secret in the variable of an option.
fn secret(option: &str, kind: &str, variable: &str) -> Result<Secret<String>, Failure> {
    if !is_variable(variable) {
        let text =
            format!("`{option}` is the name of a variable, such as `DESK_SECRET`, and not the {kind} itself");
        return Err(Failure::new(text));
    }
    match env::var(variable) {
        Ok(secret) if !secret.trim().is_empty() => Ok(Secret::new(secret.trim().to_owned())),
        _ => Err(Failure::new(format!("the variable `{variable}` of `{option}` has no {kind}"))),
    }
}

/// The token in the variable of `--token-env`. RFC 6750 says which characters it has; clients cannot send others.
fn token(variable: &str) -> Result<Secret<String>, Failure> {
    let token = secret("--token-env", "token", variable)?;
    let is_legal = |c: char| c.is_ascii_alphanumeric() || "-._~+/=".contains(c);
    if token.expose().chars().all(is_legal) {
        return Ok(token);
    }
    let text =
        "has characters that clients cannot send: a token has letters from A to Z, digits and `-._~+/=`";
    Err(Failure::new(format!("the variable `{variable}` of `--token-env` {text}")))
}

/// Says on standard error what is served, and what a client has to know. Standard output belongs to the protocol.
fn announce(app: &App, arguments: &ServeArguments, listening: Option<&Listening>) {
    let agent = app.entry();
    let what = if arguments.offer.tools {
        let tools = agent.tool_names().unwrap_or_default();
        format!("the tools of {}: {}", agent.name(), tools.join(", "))
    } else {
        format!("the agent {}", agent.name())
    };
    let host = arguments.hosts.first();
    let entry = match listening {
        Some(listening) => entry::http(listening, host, arguments.token_env.as_deref()),
        None => entry::command(),
    };
    output::aside(&format!(
        "serving {what}\nIn `.mcp.json` of a client:\n{}",
        entry::snippet(agent.name(), &entry)
    ));
    let Some(listening) = listening else { return };
    if arguments.api {
        let url = format!("http://{}/openapi.json", listening.address());
        output::aside(&format!("Over plain HTTP: {}", entry::address(url, listening, host)));
    }
    output::aside(&format!("listening on {}; Ctrl-C ends the server", listening.address()));
}
