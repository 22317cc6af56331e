//! The agents that a command works with: the program's agents, and the agents of cards or of a workflow folder.

use std::path::PathBuf;

use clap::Args;
use onionskin_core::declaration::{AppBuilder, AppDescription, DynAgent};
#[cfg(feature = "filesystem")]
use onionskin_core::definition::ToolSource;
use onionskin_core::model::BoxModel;
use onionskin_core::prompt::PromptPart;
use onionskin_core::text::nearest;
use onionskin_core::{App, BuildError, ScriptedModel};
use onionskin_hooks::SpillFolder;
#[cfg(feature = "mcp")]
use onionskin_mcp::McpConfig;
use onionskin_vocabulary::Word as _;
use onionskin_vocabulary::agent::Flag;

use crate::failure::Failure;
use crate::loaded::Loaded;
#[cfg(feature = "mcp")]
use crate::loaded::{NO_ADDRESS, is_address};
use crate::model::ModelArguments;
use crate::output;
use crate::program::Program;
use crate::sessions::SessionArguments;
#[cfg(feature = "mcp")]
use crate::settings::Setting;
use crate::text;

/// Which agents.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Agents")]
pub(crate) struct AgentArguments {
    /// Add the agent of a card, or of each card of a folder; repeatable.
    ///
    /// A card is a file `NAME.md`, `.yaml` or `.yml`. The files that it names are relative to its folder, and the agents that it names are
    /// looked for among the cards of its folder. Agents of cards come to those of
    /// the program. Without this option and `--workflow`, a program that has no agents of its own adds the folder `cards`. A card with `default: true`, or the only card, is the agent that is asked.
    ///
    /// If a card names items in Rust, `onionskin` runs the program that has them: the one that the `Cargo.toml` around the card names, with
    /// `program = "NAME"` in `[package.metadata.onionskin]`.
    #[arg(long = "card", visible_alias = "agent-cards", value_name = "PATH")]
    pub(crate) cards: Vec<PathBuf>,

    /// Let `--card` name addresses too, such as `https://example.com/pmo.md`.
    ///
    /// Such a card is not trusted: it names no functions, scripts and types of files, no built-in tools and no agents of the program.
    #[cfg(feature = "loader-url")]
    #[arg(long)]
    pub(crate) allow_urls: bool,

    /// Add the agents of a workflow folder.
    ///
    /// It has `orchestrator.json` and `agents.json`, or `workflow.json`. Its start agent is the agent that is asked. Its agents come to those
    /// of the program.
    #[arg(long, value_name = "DIR", conflicts_with = "cards")]
    pub(crate) workflow: Option<PathBuf>,

    /// Ask this agent, in place of the one with `default: true` or the start agent of the workflow.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,

    /// Read the MCP servers from this file.
    ///
    /// Without it, they are those of the program and of the `.mcp.json` in the working directory.
    #[cfg(feature = "mcp")]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Let the tools `filesystem.*` use this folder and nothing outside of it.
    ///
    /// Without it, the folder is that of the program, or the working directory with all of its files: cards, scripts and configurations too.
    #[cfg(feature = "filesystem")]
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
}

impl AgentArguments {
    /// Adds the folder `cards` of the working directory, if nothing else has agents.
    pub(crate) fn or_cards(&mut self, program: &Program) {
        let folder = PathBuf::from("cards");
        if self.cards.is_empty() && self.workflow.is_none() && program.agents.is_empty() && folder.is_dir() {
            self.cards.push(folder);
        }
    }
}

/// Builds the agents for runs, and starts their servers. The app's entry is the agent to ask. What the program sets wins over `with`.
///
/// Cancel safety: dropping the future ends the servers that were started.
pub(crate) async fn app(
    program: &Program,
    agents: &AgentArguments,
    model: &ModelArguments,
    session: &SessionArguments,
    with: impl FnOnce(AppBuilder) -> AppBuilder,
) -> Result<App, Failure> {
    let named_only = model.is_for_named(&program.settings);
    let model = model.model(&program.settings)?;
    let loaded = load_and_warn(program, agents).await?;
    let Some(entry) = entry(program, agents, loaded.as_ref())? else {
        let names = text::quoted(names(program, loaded.as_ref()));
        return Err(Failure::new(format!("which agent? Name it with `--agent`; there are {names}")));
    };
    // What other agents need, such as their servers, does not stop this one. A setup can name each of them.
    let loaded = match loaded {
        Some(loaded)
            if program.setup.is_none() && loaded.agents().iter().any(|agent| agent.name() == entry) =>
        {
            Some(loaded.only(&entry))
        }
        loaded => loaded,
    };
    let is_named = model.is_some() && named_only;
    let builder = with(App::builder());
    let app = build(program, agents, loaded.as_ref(), &entry, builder, model, Some(session)).await?;
    let described =
        if is_named { app.describe().map(|app| app.agents).unwrap_or_default() } else { Vec::new() };
    if let Some(agent) = described.into_iter().find(|agent| agent.model.is_none()) {
        app.shutdown().await;
        return Err(Failure::new(no_model(&agent.name)));
    }
    Ok(app)
}

/// Builds the agents as [`app`] does, to show them: no model is needed, and the first agent is the entry if no other is.
///
/// Cancel safety: as [`app`].
pub(crate) async fn shown(program: &Program, agents: &AgentArguments) -> Result<App, Failure> {
    let loaded = load_and_warn(program, agents).await?;
    shown_app(program, agents, loaded, App::builder()).await
}

/// As [`shown`], on a builder that has parts already, and without warnings. What the program sets wins over the builder.
///
/// Cancel safety: as [`app`].
#[cfg(feature = "mcp")]
pub(crate) async fn shown_on(
    program: &Program,
    agents: &AgentArguments,
    builder: AppBuilder,
) -> Result<App, Failure> {
    shown_app(program, agents, load(program, agents).await?, builder).await
}

/// As [`shown`], without warnings and without the agents of the files that need servers; none if there are no others.
///
/// Cancel safety: as [`app`].
pub(crate) async fn shown_without_servers(
    program: &Program,
    agents: &AgentArguments,
) -> Result<Option<App>, Failure> {
    let Some(loaded) = load(program, agents).await?.and_then(Loaded::without_servers) else {
        return Ok(None);
    };
    shown_app(program, agents, Some(loaded), App::builder()).await.map(Some)
}

async fn shown_app(
    program: &Program,
    agents: &AgentArguments,
    loaded: Option<Loaded>,
    builder: AppBuilder,
) -> Result<App, Failure> {
    let entry = match entry(program, agents, loaded.as_ref())? {
        Some(entry) => entry,
        None => names(program, loaded.as_ref()).next().unwrap_or_default().to_owned(),
    };
    // It is not asked.
    let model = Some(BoxModel::new(ScriptedModel::new()));
    build(program, agents, loaded.as_ref(), &entry, builder, model, None).await
}

/// Describes the agents, and ends their servers.
///
/// Cancel safety: as [`app`].
pub(crate) async fn description(
    program: &Program,
    agents: &AgentArguments,
) -> Result<AppDescription, Failure> {
    let app = shown(program, agents).await?;
    let description = app.describe();
    app.shutdown().await;
    description.map_err(Failure::new)
}

async fn build(
    program: &Program,
    arguments: &AgentArguments,
    loaded: Option<&Loaded>,
    entry: &str,
    mut app: AppBuilder,
    model: Option<BoxModel>,
    session: Option<&SessionArguments>,
) -> Result<App, Failure> {
    for agent in &program.agents {
        app = app.dyn_agent(agent);
    }
    if let Some(loaded) = loaded {
        app = loaded.add_to(app);
    } else if program.registry.is_some() {
        // What the program gives may be for cards alone.
        app = app.allow_unused();
    }
    // The setup of a program provides its own.
    if program.setup.is_none() && loaded.is_some_and(Loaded::spills) {
        let folder = SpillFolder::temporary()
            .map_err(|error| Failure::new(format!("there is no folder for the files of `spill`: {error}")))?;
        app = app.provide(folder);
    }
    app = program.prepare(app).await?.entry(entry);
    if let Some(session) = session {
        app = session.add_to(program, app).await?;
    }
    if let Some(model) = model {
        app = app.model_for_all(model);
    }
    #[cfg(feature = "mcp")]
    if let Some(config) = program.settings.config(arguments.config.as_deref()) {
        app = app.servers(servers(&config)?);
    }
    #[cfg(feature = "filesystem")]
    if let Some(root) = &arguments.root {
        let files = onionskin_builtins::filesystem::Filesystem::at(root).map_err(Failure::new)?;
        // Whether a tool uses it is seen below, in words for the option.
        app = app.allow_unused().provide_instead(files);
    }
    #[cfg(not(any(feature = "filesystem", feature = "mcp")))]
    let _ = arguments;
    let starting = starting(&loaded.map(Loaded::servers).unwrap_or_default());
    let app = output::with_notice(&starting, Box::pin(app.build())).await;
    let app = app.map_err(|error| Failure::new(with_users(build_error(&error), loaded)))?;
    #[cfg(feature = "filesystem")]
    if arguments.root.is_some() && !has_file_tool(&app) {
        app.shutdown().await;
        return Err(Failure::new(
            "`--root` is for the tools `filesystem.*`, which no agent here has: remove it, or name one of them in `runtime`",
        ));
    }
    Ok(app)
}

/// The cards of an agent and of those below it as text, each with the name of its agent; none if the agent has no card.
#[cfg(feature = "serve")]
pub(crate) async fn card_texts(
    program: &Program,
    arguments: &AgentArguments,
    agent: &str,
) -> Result<Vec<(String, String)>, Failure> {
    let loaded = load(program, arguments).await?.map(|loaded| loaded.only(agent));
    Ok(loaded.map(|loaded| loaded.card_texts()).unwrap_or_default())
}

/// The servers of a configuration.
#[cfg(feature = "mcp")]
pub(crate) fn servers(config: &Setting<PathBuf>) -> Result<McpConfig, Failure> {
    let file = &*config.value;
    if is_address(file) {
        return Err(Failure::new(format!("{config} {NO_ADDRESS}")));
    }
    McpConfig::from_file(file).map_err(|error| config.failure(error))
}

#[cfg(feature = "filesystem")]
fn has_file_tool(app: &App) -> bool {
    let agents = app.describe().map(|app| app.agents).unwrap_or_default();
    let mut tools = agents.iter().flat_map(|agent| &agent.tools);
    tools.any(|tool| tool.source == ToolSource::Runtime && tool.name.starts_with("filesystem"))
}

/// What a terminal shows while the servers take their time to start.
fn starting(servers: &[&str]) -> String {
    match servers {
        [] => "starting the agents ..".to_owned(),
        [one] => format!("starting the server {} ..", text::first_line(one)),
        several => {
            let names: Vec<_> = several.iter().map(|name| text::first_line(name)).collect();
            format!("starting the servers {} ..", names.join(", "))
        }
    }
}

/// The words for an agent without a model, for a person at the command line.
fn no_model(agent: &str) -> String {
    format!(
        "the agent `{}` has no model: write `model: NAME` in its card, or give all agents one with `--model NAME`",
        text::first_line(agent)
    )
}

/// The words for agents that cannot be built. Those of the library name functions of Rust.
fn build_error(error: &BuildError) -> String {
    if let BuildError::NoModel { agent, .. } = error {
        return no_model(agent);
    }
    if let BuildError::NamedModel { agent, model, .. } = error {
        return format!(
            "the agent `{}` names the model `{}`: enable feature `genai` of onionskin, or give all agents a model with `--model script:FILE`",
            text::first_line(agent),
            text::first_line(model)
        );
    }
    if let BuildError::UnknownServer { agent, server, known, .. } = error {
        return format!(
            "the agent `{}` uses the server `{}`, which is not configured; the configured servers are: {known}. Add it to `.mcp.json`, or name \
             the file that has it with `--config FILE`",
            text::first_line(agent),
            text::first_line(server)
        );
    }
    if let BuildError::NoPromptText { agent, part, .. } = error
        && let Some(field) = Flag::ALL.iter().find(|flag| PromptPart::from(**flag) == *part)
    {
        return format!(
            "the agent `{}` has `{field}: true`, and the program has no text for it: remove the field, or run the agent in a program whose \
             `setup` sets one",
            text::first_line(agent)
        );
    }
    if let BuildError::Several(errors) = error {
        let lines: Vec<_> = errors.iter().map(|error| format!("\n- {}", build_error(error))).collect();
        return format!("there are {} problems:{}", errors.len(), lines.concat());
    }
    error.to_string()
}

/// The words of an error, and which agents use the servers that it names, if there are several agents.
fn with_users(mut error: String, loaded: Option<&Loaded>) -> String {
    let Some(loaded) = loaded.filter(|loaded| loaded.agents().len() > 1) else { return error };
    for server in loaded.servers() {
        let is_named = [format!("server `{server}`"), format!("mcpServers.{server}.")];
        let users = loaded.agents_with(server);
        let is_missing = |user: &&str| !error.contains(&format!("agent `{user}`"));
        if is_named.iter().any(|name| error.contains(name)) && users.iter().all(is_missing) {
            error += &format!(
                "\nthe server `{}` is used by {}",
                text::first_line(server),
                text::quoted(users.into_iter())
            );
        }
    }
    error
}

/// As [`load`], and shows the warnings.
async fn load_and_warn(program: &Program, arguments: &AgentArguments) -> Result<Option<Loaded>, Failure> {
    let loaded = load(program, arguments).await?;
    let warnings = loaded.as_ref().map(Loaded::warnings).unwrap_or_default();
    for line in warnings {
        output::warning(&line);
    }
    Ok(loaded)
}

/// The agents of the files that the arguments name, if they name some.
async fn load(program: &Program, arguments: &AgentArguments) -> Result<Option<Loaded>, Failure> {
    #[cfg(feature = "loader-url")]
    let allow_urls = arguments.allow_urls;
    #[cfg(not(feature = "loader-url"))]
    let allow_urls = false;
    match &arguments.workflow {
        Some(folder) => Loaded::workflow(program, folder).map(Some),
        None if arguments.cards.is_empty() => Ok(None),
        None => Loaded::cards(program, &arguments.cards, allow_urls).await.map(Some),
    }
}

/// The name of the agent that is asked; none if several could be.
fn entry(
    program: &Program,
    arguments: &AgentArguments,
    loaded: Option<&Loaded>,
) -> Result<Option<String>, Failure> {
    let all: Vec<&str> = names(program, loaded).collect();
    if all.is_empty() {
        let name = program.name;
        return Err(Failure::new(format!(
            "there is no agent: name a card with `--card PATH` or a workflow folder with `--workflow DIR`; `{name} new NAME` makes a project that has one"
        )));
    }
    if let Some(wanted) = &arguments.agent {
        if all.contains(&&**wanted) {
            return Ok(Some(wanted.clone()));
        }
        let hint = match nearest(wanted, all.iter().copied()) {
            Some(near) => format!("did you mean `{}`?", text::first_line(near)),
            None => format!("there are {}", text::quoted(all.iter().copied())),
        };
        return Err(Failure::new(format!("there is no agent `{}`; {hint}", text::first_line(wanted))));
    }
    if let Some(agent) = loaded.and_then(Loaded::default_agent) {
        return Ok(Some(agent.name().to_owned()));
    }
    let defaults: Vec<_> =
        program.agents.iter().filter(|agent| agent.is_default()).map(DynAgent::name).collect();
    Ok(match (defaults.as_slice(), all.as_slice()) {
        ([one], _) | ([], [one]) => Some((*one).to_owned()),
        _ => None,
    })
}

/// The names of all agents.
fn names<'a>(program: &'a Program, loaded: Option<&'a Loaded>) -> impl Iterator<Item = &'a str> {
    program.agents.iter().chain(loaded.map(Loaded::agents).unwrap_or_default()).map(DynAgent::name)
}
