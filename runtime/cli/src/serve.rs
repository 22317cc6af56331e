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
use onionskin_core::secret::Secret;
use onionskin_core::{AgentHandle, App, CancellationToken};
use onionskin_serve::{Http, Listening, Resource, ServeError, Server, ServerBuilder, User};

use crate::agents::{self, AgentArguments};
use crate::failure::Failure;
use crate::log;
use crate::model::ModelArguments;
use crate::output;
use crate::program::Program;
use crate::questions::{OpenQuestions, Person, YesArgument};
use crate::sessions::StoreArguments;
use crate::signals::Signals;

pub(crate) const ABOUT: &str = "\
Serve an agent to other programs over MCP: as one tool that asks the agent, or, with `--tools`, the agent's tools behind its hooks. \
With `--api`, over plain HTTP too. Cards that change are loaded again.

Without `--http`, the client is the program that starts this command, over the standard streams. The agent's questions and approvals are \
asked by the client; a client that cannot ask gets an error.

After Ctrl-C or SIGTERM, a server of HTTP accepts no calls, and those in progress have 10 seconds to end; the next signal ends them.

Exit code: 0 when the client is gone, 2 after an error, 130 after Ctrl-C, 143 after SIGTERM.";

pub(crate) const EXAMPLES: &str = "\
Examples:
  {program} serve --card cards/helper.md
  {program} serve --card cards/helper.md --tools
  {program} serve --card cards/helper.md --show-cards
  {program} serve --card cards/helper.md --http 127.0.0.1:8080
  {program} serve --card cards/helper.md --http 127.0.0.1:8080 --api --sessions desk.db
  {program} serve --card cards/helper.md --http 0.0.0.0:8080 --host agents.example.com --token-env DESK_TOKEN";

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
    let before = reload::changes(program, &arguments.agents);
    if arguments.verbose {
        log::show();
    } else {
        log::show_errors();
    }
    let mut signals = Signals::take(false, false, || ());
    let (mut app, server, token) = Box::pin(signals.until(async {
        let token = arguments.token_env.as_deref().map(token).transpose()?;
        let (app, server) = agents_and_server(program, &arguments).await?;
        Ok((app, server, token))
    }))
    .await?;
    let served = match arguments.http {
        None => {
            announce(program, &app, &arguments, None);
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
            let listening = http.listen(address).await.map_err(listen_error)?;
            announce(program, &app, &arguments, Some(&listening));
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
    builder.build().await.map_err(Failure::new)
}

/// The card of an agent as a resource. A name has letters, digits, `_`, `-` and blanks.
fn card((name, text): (String, String)) -> Resource {
    let uri = format!("card://{}", name.replace(' ', "%20"));
    Resource::text(uri, name, text).with_mime_type("text/markdown")
}

/// The words for a server that cannot listen. Those of the library name functions of Rust.
fn listen_error(error: ServeError) -> Failure {
    if let ServeError::Open { address, .. } = error {
        return Failure::new(format!(
            "other machines can reach {address}, and it requires no token: name the variable that has one with `--token-env`"
        ));
    }
    Failure::new(error)
}

/// The token in a variable.
fn token(variable: &str) -> Result<Secret<String>, Failure> {
    match env::var(variable) {
        Ok(token) if !token.trim().is_empty() => Ok(Secret::new(token.trim().to_owned())),
        _ => Err(Failure::new(format!("the variable `{variable}` of `--token-env` has no token"))),
    }
}

/// Says on standard error what is served, and what a client has to know. Standard output belongs to the protocol.
fn announce(program: &Program, app: &App, arguments: &ServeArguments, listening: Option<&Listening>) {
    let agent = app.entry();
    let what = if arguments.offer.tools {
        let tools = agent.tool_names().unwrap_or_default();
        format!("the tools of {}: {}", agent.name(), tools.join(", "))
    } else {
        format!("the agent {}", agent.name())
    };
    let entry = match listening {
        Some(listening) => entry::http(listening, arguments.hosts.first(), arguments.token_env.as_deref()),
        None => entry::command(program, &arguments.agents, arguments.offer.skills()),
    };
    output::aside(&format!(
        "serving {what}\nIn `.mcp.json` of a client:\n{}",
        entry::snippet(agent.name(), &entry)
    ));
    if let Some(listening) = listening.filter(|_| arguments.api) {
        output::aside(&format!("Over plain HTTP: http://{}/openapi.json", listening.address()));
    }
}
