//! The lock files of servers. The tools that cards and workflows name have to be in them, as the compiler holds it for compiled agents.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use onionskin_cards::{Card, CardError, Locked, Problem};
use onionskin_mcp::McpError;
use onionskin_mcp::snapshot::Snapshot;
use onionskin_vocabulary::Word as _;
use onionskin_vocabulary::agent::{Lock as LockWord, Setting};

use super::report::Report;
use crate::mcp::{LockArguments, ServerArguments, update_command, with_command};
use crate::program::Program;

/// The lock files beside configurations of servers.
pub(super) struct Locks(Vec<Lock>);

/// The lock file beside a configuration.
struct Lock {
    config: PathBuf,
    file: PathBuf,
    /// The file, as messages show it.
    shown: String,
    /// The command that writes the file anew. None if there is no file, and the servers themselves were asked.
    update: Option<String>,
    snapshot: Snapshot,
    /// The names of the tools of each server.
    names: BTreeMap<String, Vec<String>>,
}

impl Locks {
    /// Reads the files that exist. One that cannot be used is a problem, once however many configurations are beside it.
    pub(super) fn beside(program: &Program, configs: &[PathBuf], report: &mut Report) -> Self {
        let mut snapshots: BTreeMap<PathBuf, Option<Snapshot>> = BTreeMap::new();
        let lock = |config: &PathBuf| {
            let file = config.with_file_name(Snapshot::FILE);
            let update = update(program, config);
            let snapshot = snapshots.entry(file.clone()).or_insert_with(|| read(&file, &update, report));
            let mut lock = Lock {
                config: config.clone(),
                shown: file.display().to_string(),
                file,
                update: Some(update),
                snapshot: snapshot.clone()?,
                names: BTreeMap::new(),
            };
            add(&mut lock.names, &lock.snapshot);
            Some(lock)
        };
        Self(configs.iter().filter_map(lock).collect())
    }

    /// Compares the servers of a configuration with the file. `now` is what they offer, and stands for a file that there is not.
    pub(super) fn compare(&mut self, config: &Path, now: &Snapshot, report: &mut Report) {
        let Some(lock) = self.0.iter_mut().find(|lock| lock.config == config) else {
            let mut lock = Lock {
                config: config.to_owned(),
                file: config.to_owned(),
                shown: config.display().to_string(),
                update: None,
                snapshot: now.clone(),
                names: BTreeMap::new(),
            };
            add(&mut lock.names, now);
            self.0.push(lock);
            return;
        };
        let drift = lock.snapshot.drift(now);
        if let Some(update) = lock.update.as_ref().filter(|_| !drift.is_empty()) {
            report.add_at(
                &lock.file,
                &format!("the servers differ from the file; run `{update}` to update it:\n{drift}"),
            );
        }
        // A new tool is a mistake of the file, and not also one of each card that names it.
        let mut known = now.clone();
        known.retain(|server| lock.names.contains_key(server));
        add(&mut lock.names, &known);
    }

    /// Reports the tools that agents name, and that their servers do not have, and the servers of a strict agent that no file has. `owner` is
    /// the configuration of a server.
    pub(super) fn check<'c>(
        &self,
        program: &Program,
        agents: &[Arc<Card>],
        owner: impl Fn(&str) -> Option<&'c Path>,
        report: &mut Report,
    ) {
        let locked = |server: &str| {
            let owner = owner(server);
            self.0
                .iter()
                .filter(|lock| owner.is_none_or(|config| lock.config == config))
                .find_map(|lock| lock.tools_of(server))
        };
        for agent in agents {
            let mut problems = agent.lock_mistakes(locked);
            if program.setup.is_none() {
                problems.extend(agent.tools_without_server(locked));
            }
            let lock =
                agent.setting(Setting::Lock).and_then(|lock| LockWord::from_word(lock.value.as_str()?));
            for server in agent.servers.iter().filter(|_| matches!(lock, Some(LockWord::Strict))) {
                let Some(config) = owner(&server.value) else { continue };
                let file = self.0.iter().find(|lock| lock.config == config && lock.update.is_some());
                // A file that cannot be read is a problem already.
                let is_locked = match file {
                    Some(lock) => lock.names.contains_key(&*server.value),
                    None => config.with_file_name(Snapshot::FILE).try_exists().unwrap_or(true),
                };
                if !is_locked {
                    let error = McpError::unlocked(&*server.value);
                    let message = with_command(&error, &update(program, config));
                    problems.push(Problem { message, span: server.span.clone() });
                }
            }
            if !problems.is_empty() {
                report.add(&CardError::new(agent.source.clone(), problems));
            }
        }
    }
}

impl Lock {
    fn tools_of(&self, server: &str) -> Option<Locked<'_>> {
        let tools = self.names.get(server)?;
        Some(Locked { tools, file: &self.shown, update: self.update.as_deref() })
    }
}

/// The command that writes the lock file beside a configuration.
fn update(program: &Program, config: &Path) -> String {
    let of = ServerArguments { servers: Vec::new(), config: Some(config.to_owned()) };
    let out = config.with_file_name(Snapshot::FILE);
    update_command(program, &LockArguments { of, out, check: false })
}

fn read(file: &Path, update: &str, report: &mut Report) -> Option<Snapshot> {
    // What cannot be looked at is an error of reading.
    if !file.try_exists().unwrap_or(true) {
        return None;
    }
    Snapshot::read(file).map_err(|error| report.add_line(&with_command(&error, update))).ok()
}

/// Adds the names of the tools of a snapshot, each once.
fn add(names: &mut BTreeMap<String, Vec<String>>, snapshot: &Snapshot) {
    for server in snapshot.servers() {
        let names = names.entry(server.to_owned()).or_default();
        names.extend(snapshot.tools(server).into_iter().flatten().map(|tool| tool.name().to_owned()));
        names.sort();
        names.dedup();
    }
}
