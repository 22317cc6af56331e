//! Checks configurations of servers, and the servers themselves.

use std::path::{Path, PathBuf};

use onionskin_cards::{CardError, Problem};
use onionskin_core::App;
use onionskin_core::declaration::AppBuilder;
use onionskin_core::servers::ToolServers;
use onionskin_core::text::nearest;
use onionskin_mcp::snapshot::{Snapshot, Taken};
use onionskin_mcp::{McpConfig, McpError};

use super::cards::Uses;
use super::find::Found;
use super::report::Report;
use crate::agents::{self, AgentArguments};
use crate::mcp::{CONFIG, LockArguments, ServerArguments, update_command};
use crate::program::Program;

/// Fields by which a server of other programs is not one for agents.
const SET_ASIDE: [&str; 3] = ["disabled", "url", "type"];

/// Checks the configurations. With `workflows`, it starts their servers, and builds the agents of the cards and of these workflows.
///
/// Cancel safety: dropping the future ends the servers.
pub(super) async fn check(
    program: &Program,
    found: &Found,
    uses: &Uses,
    workflows: Option<&[&PathBuf]>,
    report: &mut Report,
) {
    let mut configs = Vec::new();
    for path in &found.configs {
        match McpConfig::from_file(path) {
            Ok(config) => {
                one(&config, uses, report);
                configs.push((path, config));
            }
            Err(error) => report.add_line(&error.to_string()),
        }
    }
    // The setup of a program can bring servers of its own.
    if program.setup.is_none() && configs.len() == found.configs.len() {
        // Without a configuration, agents find the one of the working directory.
        let default = if configs.is_empty() {
            McpConfig::from_file(CONFIG).unwrap_or_default()
        } else {
            McpConfig::new()
        };
        let known: Vec<&str> =
            configs.iter().flat_map(|(_, config)| config.names()).chain(default.names()).collect();
        unknown(uses, &known, found, report);
    }
    if let Some(workflows) = workflows {
        for (path, config) in &configs {
            locked(program, path, config, uses, report).await;
        }
        if report.problems() == 0 {
            let configs: Vec<_> = configs.into_iter().map(|(_, config)| config).collect();
            for agents in to_build(program, found, workflows) {
                built(program, &agents, &configs, report).await;
            }
        }
    }
}

/// Checks the servers of a configuration as they are written.
fn one(config: &McpConfig, uses: &Uses, report: &mut Report) {
    for name in config.names() {
        let Err(error) = ToolServers::server(config, name) else { continue };
        let line = error.to_string();
        let is_aside = matches!(
            error.downcast_ref::<McpError>(),
            Some(McpError::Config { field, .. })
                if field.rsplit('.').next().is_some_and(|field| SET_ASIDE.contains(&field))
        );
        if is_aside && !uses.contains_key(name) {
            report.warn(&line);
        } else {
            report.add_line(&line);
        }
    }
    config.unread().for_each(|line| report.warn(line));
}

/// The servers of cards and workflows that no configuration has.
fn unknown(uses: &Uses, known: &[&str], found: &Found, report: &mut Report) {
    for (name, places) in uses.iter().filter(|(name, _)| !known.contains(&&***name)) {
        let hint = match (nearest(name, known.iter().copied()), &found.configs[..]) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, []) => "add it to a `.mcp.json`, and check that file too".to_owned(),
            (None, [config, ..]) => format!("add it to `{}`", config.display()),
        };
        for (source, span) in places {
            let message = format!("there is no server `{name}`; {hint}");
            report.add(&CardError::new(source.clone(), vec![Problem { message, span: span.clone() }]));
        }
    }
}

/// Starts the servers, and compares them with the lock file beside their configuration.
async fn locked(program: &Program, path: &Path, config: &McpConfig, uses: &Uses, report: &mut Report) {
    let mut usable = config.clone();
    usable.retain(|name| uses.contains_key(name) || ToolServers::server(config, name).is_ok());
    let now = match Snapshot::take(&usable).await {
        Ok(Taken { snapshot, notices, .. }) => {
            for notice in &notices {
                report.warn(notice);
            }
            snapshot
        }
        Err(error) => {
            let known = report.problems() > 0;
            // What the configuration shows is reported already.
            let new =
                error.errors().iter().filter(|error| !(known && matches!(error, McpError::Config { .. })));
            new.for_each(|error| report.add_line(&error.to_string()));
            return;
        }
    };
    let lock = path.with_file_name(Snapshot::FILE);
    if !lock.try_exists().unwrap_or(true) {
        return;
    }
    match Snapshot::read(&lock) {
        Err(error) => report.add_line(&error.to_string()),
        Ok(then) => {
            let drift = then.drift(&now);
            if !drift.is_empty() {
                let of = ServerArguments { servers: Vec::new(), config: path.to_owned() };
                let update = update_command(program, &LockArguments { of, out: lock.clone(), check: false });
                report.add_at(
                    &lock,
                    &format!("the servers differ from the file; run `{update}` to update it:\n{drift}"),
                );
            }
        }
    }
}

/// The agents that are built together: those of the cards, and those of each workflow.
fn to_build(program: &Program, found: &Found, workflows: &[&PathBuf]) -> Vec<AgentArguments> {
    let of = |cards, workflow| AgentArguments {
        cards,
        workflow,
        agent: None,
        config: None,
        #[cfg(feature = "filesystem")]
        root: None,
    };
    let has_agents = !program.agents.is_empty() || !found.cards.is_empty();
    let cards = has_agents.then(|| of(found.cards.clone(), None));
    cards.into_iter().chain(workflows.iter().map(|folder| of(Vec::new(), Some((*folder).clone())))).collect()
}

/// Builds the agents with their servers.
async fn built(program: &Program, agents: &AgentArguments, configs: &[McpConfig], report: &mut Report) {
    let builder = configs.iter().cloned().fold(App::builder(), AppBuilder::servers);
    // The future is large.
    match Box::pin(agents::shown_on(program, agents, builder)).await {
        Ok(app) => app.shutdown().await,
        Err(failure) => report.add_line(failure.text()),
    }
}
