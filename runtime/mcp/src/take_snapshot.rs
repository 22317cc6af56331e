//! Takes a snapshot of running servers.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::join_all;

use crate::config::McpConfig;
use crate::error::McpError;
use crate::server::Server;
use crate::snapshot::{Snapshot, SnapshotReport, SnapshotTool, TakeError};

impl Snapshot {
    /// Starts the configured servers concurrently, lists their tools, and ends the servers. Values of configured variables are hidden in
    /// descriptions and schemas.
    ///
    /// Cancel safety: dropping the future kills the servers.
    ///
    /// # Errors
    /// Returns an error with the reasons of all servers that cannot be used, do not start, or do not list their tools.
    pub async fn take(config: &McpConfig) -> Result<SnapshotReport, TakeError> {
        let names: Vec<_> = config.names().collect();
        let each = join_all(
            names.into_iter().map(async |name| (name.to_owned(), Box::pin(listed(config, name)).await)),
        )
        .await;
        let mut taken = SnapshotReport { snapshot: Self::new(), notices: Vec::new() };
        let mut errors = Vec::new();
        for (name, listed) in each {
            match listed {
                Ok((tools, notices)) => {
                    taken.snapshot.servers.insert(name, tools);
                    taken.notices.extend(notices);
                }
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() { Ok(taken) } else { Err(TakeError { errors }) }
    }
}

/// The tools of one server, and its messages.
async fn listed(config: &McpConfig, name: &str) -> Result<(Vec<SnapshotTool>, Vec<String>), McpError> {
    let Some(configured) = config.get(name) else { return Ok(Default::default()) };
    let configured = configured.clone()?;
    configured.check(name)?;
    let server = Server::new(name, configured);
    let started = server.start_alone().await;
    let (tools, notices) = (tools(&server), server.news(&mut 0));
    server.shutdown().await;
    started.map(|()| (tools, notices))
}

/// The tools that a server listed last, as snapshots have them: sorted, and without values of its variables.
pub(crate) fn tools(server: &Arc<Server>) -> Vec<SnapshotTool> {
    let listed = server.tools();
    let tools = listed.iter().map(|tool| {
        let definition = server.secrets.definition(tool.definition.clone());
        (tool.name.to_string(), SnapshotTool::new(&tool.name, &definition))
    });
    tools.collect::<BTreeMap<_, _>>().into_values().collect()
}
