//! Checks configurations of servers, and the servers themselves.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use onionskin_cards::{Card, CardError, Problem, Source};
use onionskin_core::App;
use onionskin_core::declaration::AppBuilder;
use onionskin_core::servers::ToolServers;
use onionskin_core::text::nearest;
use onionskin_mcp::snapshot::{Snapshot, SnapshotReport};
use onionskin_mcp::{McpConfig, McpError};

use super::find::Paths;
use super::locks::Locks;
use super::report::Report;
use crate::agents::{self, AgentArguments};
use crate::mcp::CONFIG;
use crate::program::Program;

/// Fields by which a server of other programs is not one for agents.
const SET_ASIDE: [&str; 2] = ["url", "type"];

/// The servers that agents use, by their names: where each is named.
type Uses<'a> = BTreeMap<&'a str, Vec<(&'a Source, &'a Range<usize>)>>;

/// Checks the configurations, and the servers and tools that agents name. With `workflows`, it starts the servers of the configurations, and
/// builds the agents of the cards and of these workflows.
///
/// Cancel safety: dropping the future ends the servers.
pub(super) async fn check(
    program: &Program,
    found: &Paths,
    agents: &[Arc<Card>],
    workflows: Option<&[&PathBuf]>,
    report: &mut Report,
) {
    let uses = &uses(agents);
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
    // An agent without servers has nothing to do with the file of the working directory.
    let default = [PathBuf::from(CONFIG)];
    let beside: &[PathBuf] = match &found.configs[..] {
        [] if uses.is_empty() => &[],
        [] => &default,
        found => found,
    };
    let mut locks = Locks::beside(program, beside, report);
    if workflows.is_some() {
        for (path, config) in &configs {
            if let Some(now) = offered(config, uses, report).await {
                locks.compare(path, &now, report);
            }
        }
    }
    // A later configuration overrides an earlier one.
    let owner = |server: &str| {
        let of = configs.iter().rev().find(|(_, config)| config.names().any(|name| name == server));
        of.map(|(path, _)| path.as_path())
    };
    locks.check(agents, owner, report);
    if let Some(workflows) = workflows
        && report.problems() == 0
    {
        let configs: Vec<_> = configs.into_iter().map(|(_, config)| config).collect();
        for agents in to_build(program, found, workflows) {
            built(program, &agents, &configs, report).await;
        }
    }
}

fn uses(agents: &[Arc<Card>]) -> Uses<'_> {
    let mut uses = Uses::new();
    for agent in agents {
        for server in &agent.servers {
            uses.entry(&*server.value).or_default().push((&agent.source, &server.span));
        }
    }
    uses
}

/// Checks the servers of a configuration as they are written.
fn one(config: &McpConfig, uses: &Uses<'_>, report: &mut Report) {
    for name in config.names() {
        let Err(error) = ToolServers::server(config, name) else { continue };
        let line = error.to_string();
        let is_other = matches!(
            error.downcast_ref::<McpError>(),
            Some(McpError::Config { field, .. })
                if field.rsplit('.').next().is_some_and(|field| SET_ASIDE.contains(&field))
        );
        if (is_other || config.is_disabled(name)) && !uses.contains_key(name) {
            report.warn(&line);
        } else {
            report.add_line(&line);
        }
    }
    config.unread().for_each(|line| report.warn(line));
}

/// The servers of cards and workflows that no configuration has.
fn unknown(uses: &Uses<'_>, known: &[&str], found: &Paths, report: &mut Report) {
    for (name, places) in uses.iter().filter(|(name, _)| !known.contains(&&***name)) {
        let hint = match (nearest(name, known.iter().copied()), &found.configs[..]) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, []) => "add it to a `.mcp.json`, and check that file too".to_owned(),
            (None, [config, ..]) => format!("add it to `{}`", config.display()),
        };
        for (source, span) in places {
            let message = format!("there is no server `{name}`; {hint}");
            report.add(&CardError::new((*source).clone(), vec![Problem { message, span: (*span).clone() }]));
        }
    }
}

/// Starts the servers of a configuration, and gives what they offer.
async fn offered(config: &McpConfig, uses: &Uses<'_>, report: &mut Report) -> Option<Snapshot> {
    let mut usable = config.clone();
    usable.retain(|name| uses.contains_key(name) || ToolServers::server(config, name).is_ok());
    match Snapshot::take(&usable).await {
        Ok(SnapshotReport { snapshot, notices, .. }) => {
            for notice in &notices {
                report.warn(notice);
            }
            Some(snapshot)
        }
        Err(error) => {
            let known = report.problems() > 0;
            // What the configuration shows is reported already.
            let new =
                error.errors().iter().filter(|error| !(known && matches!(error, McpError::Config { .. })));
            new.for_each(|error| report.add_line(&error.to_string()));
            None
        }
    }
}

/// The agents that are built together: the agents of the cards, and the agents of each workflow.
fn to_build(program: &Program, found: &Paths, workflows: &[&PathBuf]) -> Vec<AgentArguments> {
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
