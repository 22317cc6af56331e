//! The agents that a command works with: the program's agents, and the agents of cards or of a workflow folder.

use std::path::PathBuf;

use clap::Args;
use onionskin_core::declaration::{AppBuilder, AppDescription, DynAgent};
#[cfg(feature = "filesystem")]
use onionskin_core::definition::ToolSource;
use onionskin_core::model::BoxModel;
use onionskin_core::text::nearest;
use onionskin_core::{App, BuildError, ScriptedModel};

use crate::failure::Failure;
use crate::loaded::Loaded;
#[cfg(feature = "mcp")]
use crate::loaded::{NO_ADDRESS, is_address};
use crate::model::ModelArguments;
use crate::output;
use crate::program::Program;
use crate::text;

/// Which agents.
#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Agents")]
pub(crate) struct AgentArguments {
    /// Add the agent of a card, or of each card of a folder; repeatable.
    ///
    /// A card is a file `NAME.md`, `.yaml` or `.yml`. The files that it names are relative to its folder, and the agents that it names are
    /// looked for among the cards of its folder. Agents of cards come to those of
    /// the program. A card with `default: true`, or the only card, is the agent that is asked.
    ///
    /// If a card names items in Rust, `onionskin` runs the program that has them: the one that the `Cargo.toml` around the card names, with
    /// `program = "NAME"` in `[package.metadata.onionskin]`.
    #[arg(long = "card", visible_alias = "agent-cards", value_name = "PATH")]
    pub(crate) cards: Vec<PathBuf>,

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

/// Builds the agents for runs, and starts their servers. The app's entry is the agent to ask. What the program sets wins over `with`.
///
/// Cancel safety: dropping the future ends the servers that were started.
pub(crate) async fn app(
    program: &Program,
    agents: &AgentArguments,
    model: &ModelArguments,
    with: impl FnOnce(AppBuilder) -> AppBuilder,
) -> Result<App, Failure> {
    let model = model.model()?;
    let loaded = load_and_warn(program, agents)?;
    let Some(entry) = entry(program, agents, loaded.as_ref())? else {
        let names = text::quoted(names(program, loaded.as_ref()));
        return Err(Failure::new(format!("which agent? Name it with `--agent`; there are {names}")));
    };
    build(program, agents, loaded.as_ref(), &entry, with(App::builder()), model).await
}

/// Builds the agents as [`app`] does, to show them: no model is needed, and the first agent is the entry if no other is.
///
/// Cancel safety: as [`app`].
pub(crate) async fn shown(program: &Program, agents: &AgentArguments) -> Result<App, Failure> {
    let loaded = load_and_warn(program, agents)?;
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
    shown_app(program, agents, load(program, agents)?, builder).await
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
    build(program, agents, loaded.as_ref(), &entry, builder, model).await
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
    app = program.prepare(app).await?.entry(entry);
    if let Some(model) = model {
        app = app.model(model);
    }
    #[cfg(feature = "mcp")]
    if let Some(config) = &arguments.config {
        if is_address(config) {
            return Err(Failure::new(format!("`--config` {NO_ADDRESS}")));
        }
        app = app.servers(onionskin_mcp::McpConfig::from_file(config).map_err(Failure::new)?);
    }
    #[cfg(feature = "filesystem")]
    if let Some(root) = &arguments.root {
        let files = onionskin_builtins::filesystem::Filesystem::at(root).map_err(Failure::new)?;
        // Whether a tool uses it is seen below, in words for the option.
        app = app.allow_unused().provide(files);
    }
    #[cfg(not(any(feature = "filesystem", feature = "mcp")))]
    let _ = arguments;
    let app = app.build().await.map_err(|error| {
        let advice = if lacks_model(&error) { "\n`--model NAME` gives all agents one" } else { "" };
        Failure::new(format!("{error}{advice}"))
    })?;
    #[cfg(feature = "filesystem")]
    if arguments.root.is_some() && !has_file_tool(&app) {
        app.shutdown().await;
        return Err(Failure::new(
            "`--root` is for the tools `filesystem.*`, which no agent here has: remove it, or name one of them in `runtime`",
        ));
    }
    Ok(app)
}

#[cfg(feature = "filesystem")]
fn has_file_tool(app: &App) -> bool {
    let agents = app.describe().map(|app| app.agents).unwrap_or_default();
    let mut tools = agents.iter().flat_map(|agent| &agent.tools);
    tools.any(|tool| tool.source == ToolSource::Runtime && tool.name.starts_with("filesystem"))
}

fn lacks_model(error: &BuildError) -> bool {
    matches!(error, BuildError::NoModel { .. } | BuildError::NamedModel { .. })
        || matches!(error, BuildError::Several(errors) if errors.iter().any(lacks_model))
}

/// As [`load`], and shows the warnings of a workflow.
fn load_and_warn(program: &Program, arguments: &AgentArguments) -> Result<Option<Loaded>, Failure> {
    let loaded = load(program, arguments)?;
    let warnings = loaded.as_ref().map(Loaded::warnings).unwrap_or_default();
    for line in warnings {
        output::warning(line);
    }
    Ok(loaded)
}

/// The agents of the files that the arguments name, if they name some.
fn load(program: &Program, arguments: &AgentArguments) -> Result<Option<Loaded>, Failure> {
    match &arguments.workflow {
        Some(folder) => Loaded::workflow(program, folder).map(Some),
        None if arguments.cards.is_empty() => Ok(None),
        None => Loaded::cards(program, &arguments.cards).map(Some),
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
