//! Checks configurations of servers, and the servers themselves.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
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
use crate::settings::Setting;

/// Fields by which a server of other programs is not one for agents.
const SET_ASIDE: [&str; 2] = ["url", "type"];

/// The servers that agents use, by their names: where each is named.
type Uses<'a> = BTreeMap<&'a str, Vec<(&'a Source, &'a Range<usize>)>>;

/// Checks the configurations, and the servers and tools that agents name. With `groups`, it starts the servers of the configurations, and
/// builds these agents.
///
/// Cancel safety: dropping the future ends the servers.
pub(super) async fn check(
    program: &Program,
    found: &Paths,
    agents: &[Arc<Card>],
    groups: Option<&[AgentArguments]>,
    report: &mut Report,
) {
    let uses = &uses(agents);
    let mut configs = Vec::new();
    for path in &found.configs {
        match McpConfig::from_file(path) {
            Ok(config) => {
                one(&config, uses, report);
                configs.push((path.clone(), config));
            }
            Err(error) => report.add_line(&error.to_string()),
        }
    }
    let mut is_whole = configs.len() == found.configs.len();
    let mut known: Vec<String> =
        configs.iter().flat_map(|(_, config)| config.names()).map(str::to_owned).collect();
    if let Some(usual) = usual(program, found, uses) {
        match agents::servers(&usual) {
            Ok(mut config) => {
                known.extend(config.names().map(str::to_owned));
                // Nobody asked for the others.
                config.retain(|name| uses.contains_key(name));
                one(&config, uses, report);
                configs.push((usual.value, config));
            }
            Err(failure) => {
                report.add_line(failure.text());
                is_whole = false;
            }
        }
    }
    // The setup of a program can bring servers of its own.
    if program.setup.is_none() && is_whole {
        unknown(uses, &known.iter().map(String::as_str).collect::<Vec<_>>(), found, report);
    }
    let paths: Vec<PathBuf> = configs.iter().map(|(path, _)| path.clone()).collect();
    let beside = if paths.is_empty() && !uses.is_empty() { vec![PathBuf::from(CONFIG)] } else { paths };
    let mut locks = Locks::beside(program, &beside, report);
    if groups.is_some() {
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
    locks.check(program, agents, owner, report);
    if let Some(groups) = groups
        && report.problems() == 0
    {
        let configs: Vec<_> = configs.into_iter().map(|(_, config)| config).collect();
        for agents in groups {
            built(program, agents, &configs, report).await;
        }
    }
}

/// The configuration that agents find without one of the paths: that of the settings, or of the working directory.
fn usual(program: &Program, found: &Paths, uses: &Uses<'_>) -> Option<Setting<PathBuf>> {
    let usual = program.settings.servers.clone().or_else(|| {
        // An agent without servers has nothing to do with the file.
        let is_used = found.configs.is_empty() && !uses.is_empty();
        // One that cannot be looked at is an error of reading.
        (is_used && Path::new(CONFIG).try_exists().unwrap_or(true)).then(|| Setting::option("config", CONFIG))
    });
    usual.filter(|usual| !found.configs.contains(&usual.value))
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

/// Builds the agents with their servers.
async fn built(program: &Program, agents: &AgentArguments, configs: &[McpConfig], report: &mut Report) {
    let builder = configs.iter().cloned().fold(App::builder(), AppBuilder::servers);
    // The future is large.
    match Box::pin(agents::shown_on(program, agents, builder)).await {
        Ok(app) => app.shutdown().await,
        Err(failure) => report.add_line(failure.text()),
    }
}
