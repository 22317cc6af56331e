//! Checks the names of tools of MCP servers against the package's lock file.
//!
//! A server that the file does not have is not a mistake: it can be one that the program configures in code, or a source of its own, which
//! `onionskin mcp lock` does not know. A name that is near one in the file is not a mistake either, because `git` and `github` are near each
//! other and two servers. The build of the agent reports a server that is not configured, with the nearest name.

use std::rc::Rc;

use onionskin_vocabulary::{Locked, tool_mistake};

use super::model::AgentModel;
use super::parse::Agent;
use crate::diag::Errors;
use crate::lock_file::{COMMAND, LockFile, NAME, read_package};

/// The agents with the package's lock file, if it has one. Reports their tools that are not in it.
pub(super) fn checked<'a>(
    mut models: Vec<AgentModel<'a>>,
    agents: &[Agent],
    errors: &mut Errors,
) -> Vec<AgentModel<'a>> {
    if let Some(file) = lock_file(agents, errors) {
        for agent in &mut models {
            check(agent, &file, errors);
        }
    }
    models
}

/// The lock file, if an agent has servers and the package has the file. A file that cannot be used is one error, at the first server.
fn lock_file(agents: &[Agent], errors: &mut Errors) -> Option<Rc<LockFile>> {
    let server = agents.iter().find_map(|agent| agent.fields.servers.first())?;
    read_package()?.map_err(|reason| errors.push(server.span, reason)).ok()
}

/// Reports the tools of an agent that its servers do not have in the file.
fn check(agent: &mut AgentModel<'_>, file: &LockFile, errors: &mut Errors) {
    let locked =
        |server: &str| Some(Locked { tools: file.servers.get(server)?, file: NAME, update: Some(COMMAND) });
    for server in &agent.servers {
        let Some(tools) = locked(&server.name.text) else { continue };
        for pattern in server.patterns.into_iter().flatten() {
            if let Some(mistake) = tools.pattern_mistake(&pattern.text, &server.name.text) {
                errors.push(pattern.span, mistake);
            }
        }
    }
    let servers = || agent.servers.iter().map(|server| server.name.text.as_str());
    let reads = |field, server: &str| agent.fields.names(field, server);
    for target in agent.filters().flat_map(|(_, filter)| &filter.targets) {
        let Some((name, span)) = target.built_name() else { continue };
        if let Some(mistake) = tool_mistake(&name, servers(), reads, locked) {
            errors.push(span, mistake);
        }
    }
    agent.lock_file = (!agent.servers.is_empty()).then(|| file.path.to_string_lossy().into_owned());
}
