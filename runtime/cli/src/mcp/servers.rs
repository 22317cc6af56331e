//! The servers of a configuration.

use std::collections::BTreeMap;

use onionskin_mcp::McpConfig;
use onionskin_mcp::snapshot::{Snapshot, SnapshotReport, TakeError};
use tokio::task::JoinSet;

use super::arguments::{CONFIG, ServerArguments};
use crate::agents;
use crate::failure::Failure;
use crate::output;
use crate::program::Program;
use crate::settings::Setting;
use crate::text;

/// What servers offer, and what is known of the others.
pub(crate) struct Offered {
    pub(crate) snapshot: Snapshot,
    /// The names of those that were passed over.
    pub(crate) passed: Vec<String>,
    /// The names of those that cannot be used, each with the reason.
    pub(crate) failed: Vec<(String, TakeError)>,
}

impl Offered {
    /// Fails with the reasons of the servers that cannot be used.
    pub(crate) fn finish(&self) -> Result<(), Failure> {
        let reasons: Vec<_> = self.failed.iter().map(|(_, error)| error.to_string()).collect();
        if reasons.is_empty() { Ok(()) } else { Err(Failure::new(reasons.join("\n"))) }
    }
}

/// Takes a snapshot of the chosen servers, and shows what they report. Servers that are disabled and not named are passed over.
///
/// Cancel safety: the servers are killed with the future.
pub(crate) async fn take(program: &Program, arguments: &ServerArguments) -> Result<Offered, Failure> {
    let mut config = chosen(program, arguments)?;
    let is_passed = |name: &&str| arguments.servers.is_empty() && config.is_disabled(name);
    let passed: Vec<_> = config.names().filter(is_passed).map(str::to_owned).collect();
    config.retain(|name| !passed.iter().any(|passed| passed == name));
    for server in &passed {
        output::note(&format!("`{}` is disabled, and is passed over", text::first_line(server)));
    }
    let names: Vec<String> = config.names().map(str::to_owned).collect();
    let shown: Vec<_> = names.iter().map(|name| text::first_line(name)).collect();
    let starting = format!("starting {} ..", shown.join(", "));
    let mut offered = Offered { snapshot: Snapshot::new(), passed, failed: Vec::new() };
    for (name, taken) in output::with_notice(&starting, each(&config, names)).await {
        match taken {
            Ok(report) => {
                report.notices.iter().for_each(|notice| output::note(notice));
                offered.snapshot.extend(report.snapshot);
            }
            Err(error) => offered.failed.push((name, error)),
        }
    }
    Ok(offered)
}

/// Takes the snapshot of each server by itself, all at once, so that one that fails does not hide the others.
async fn each(config: &McpConfig, names: Vec<String>) -> BTreeMap<String, Result<SnapshotReport, TakeError>> {
    // They end with the set.
    let mut taking = JoinSet::new();
    for name in names {
        let mut one = config.clone();
        one.retain(|other| other == name);
        taking.spawn(async move { (name, Snapshot::take(&one).await) });
    }
    taking.join_all().await.into_iter().collect()
}

/// The servers of the configuration that the arguments choose.
pub(super) fn chosen(program: &Program, arguments: &ServerArguments) -> Result<McpConfig, Failure> {
    let ServerArguments { servers, config } = arguments;
    let setting = program.settings.config(config.as_deref());
    let setting = setting.unwrap_or_else(|| Setting::option("config", CONFIG));
    let file = setting.value.display();
    // One that exists and cannot be looked at is an error of reading.
    if setting.value.try_exists().is_ok_and(|exists| !exists) {
        return Err(setting.failure(format!(
            "there is no `{file}`: write one, for example {{\"mcpServers\": {{\"time\": {{\"command\": \"mcp-server-time\"}}}}}}, or name another with `--config FILE`"
        )));
    }
    let mut config = agents::servers(&setting)?;
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
