//! The servers of a configuration.

use onionskin_mcp::McpConfig;
use onionskin_mcp::snapshot::{Snapshot, SnapshotReport};

use super::arguments::ServerArguments;
use crate::failure::Failure;
use crate::output;
use crate::text;

/// What servers offer, and the names of those that were passed over.
pub(crate) struct Offered {
    pub(crate) snapshot: Snapshot,
    pub(crate) passed: Vec<String>,
}

/// Takes a snapshot of the chosen servers, and shows what they report. Servers that are disabled and not named are passed over.
///
/// Cancel safety: the servers are killed with the future.
pub(crate) async fn take(arguments: &ServerArguments) -> Result<Offered, Failure> {
    let mut config = chosen(arguments)?;
    let is_passed = |name: &&str| arguments.servers.is_empty() && config.is_disabled(name);
    let passed: Vec<_> = config.names().filter(is_passed).map(str::to_owned).collect();
    config.retain(|name| !passed.iter().any(|passed| passed == name));
    for server in &passed {
        output::note(&format!("`{}` is disabled, and is passed over", text::first_line(server)));
    }
    let SnapshotReport { snapshot, notices, .. } = Snapshot::take(&config).await.map_err(Failure::new)?;
    for notice in &notices {
        output::note(notice);
    }
    Ok(Offered { snapshot, passed })
}

fn chosen(arguments: &ServerArguments) -> Result<McpConfig, Failure> {
    let ServerArguments { servers, config: path } = arguments;
    let file = path.display();
    // One that exists and cannot be looked at is an error of reading.
    if path.try_exists().is_ok_and(|exists| !exists) {
        return Err(Failure::new(format!(
            "there is no `{file}`: write one, for example {{\"mcpServers\": {{\"time\": {{\"command\": \"mcp-server-time\"}}}}}}, or name another with `--config FILE`"
        )));
    }
    let mut config = McpConfig::from_file(path).map_err(Failure::new)?;
    let known: Vec<_> = config.names().map(str::to_owned).collect();
    if known.is_empty() {
        return Err(Failure::new(format!("`{file}` has no servers: add one to `mcpServers`")));
    }
    if let Some(unknown) = servers.iter().find(|server| !known.contains(server)) {
        let known = text::quoted(known.iter().map(String::as_str));
        let unknown = text::first_line(unknown);
        return Err(Failure::new(format!("`{file}` has no server `{unknown}`; it has {known}")));
    }
    if !servers.is_empty() {
        config.retain(|name| servers.iter().any(|server| server == name));
    }
    Ok(config)
}
