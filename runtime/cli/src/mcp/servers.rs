//! The servers of a configuration, started until a signal comes.

use onionskin_mcp::McpConfig;
use onionskin_mcp::snapshot::{Snapshot, Taken};

use crate::arguments::ServerArguments;
use crate::{Failure, output};

/// Takes a snapshot of the chosen servers, and shows what they report.
pub(crate) async fn take(arguments: &ServerArguments) -> Result<Snapshot, Failure> {
    let config = chosen(arguments)?;
    let taken = tokio::select! {
        biased;
        // The servers are killed with the future.
        signal = interrupted() => return Err(Failure::interrupted(signal)),
        taken = Snapshot::take(&config) => taken,
    };
    let Taken { snapshot, notices, .. } = taken.map_err(Failure::new)?;
    for notice in &notices {
        output::note(notice);
    }
    Ok(snapshot)
}

fn chosen(arguments: &ServerArguments) -> Result<McpConfig, Failure> {
    let ServerArguments { servers, config: path } = arguments;
    let file = path.display();
    if !path.exists() {
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
        let known =
            known.iter().map(|name| format!("`{}`", output::line(name))).collect::<Vec<_>>().join(", ");
        return Err(Failure::new(format!("`{file}` has no server `{unknown}`; it has {known}")));
    }
    if !servers.is_empty() {
        config.retain(|name| servers.iter().any(|server| server == name));
    }
    Ok(config)
}

/// Waits for Ctrl-C, or for the signal by which services are ended; gives its number.
async fn interrupted() -> u8 {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};

        if let Ok(mut ended) = signal(SignalKind::terminate()) {
            return tokio::select! {
                () = ctrl_c() => 2,
                _ = ended.recv() => 15,
            };
        }
    }
    ctrl_c().await;
    2
}

async fn ctrl_c() {
    if tokio::signal::ctrl_c().await.is_err() {
        // The system then ends the program itself.
        std::future::pending::<()>().await;
    }
}
