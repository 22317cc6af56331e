//! Serves agents again when their files change.

use std::convert::Infallible;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use onionskin_core::App;
use onionskin_loader::CardChanges;
use onionskin_serve::Server;
use tokio::time::sleep;

use super::{ServeArguments, agents_and_server};
use crate::loaded::{is_address, loader, with_children};
use crate::mcp::CONFIG;
use crate::output;
use crate::program::Program;

/// The time between two looks at the files.
const INTERVAL: Duration = Duration::from_secs(1);
/// The maximum number of files of skills that are looked at.
const MAX_FILES: usize = 1000;

/// What is served, as it was when it was last looked at.
pub(super) struct Watched {
    /// The cards or the workflow; none if all agents are the program's.
    cards: Option<CardChanges>,
    /// The configuration of MCP servers.
    config: Stamp,
    skills: Vec<Stamp>,
}

/// A file, and when it was changed; `None` if it cannot be read.
type Stamp = (PathBuf, Option<(SystemTime, u64)>);

impl Watched {
    pub(super) fn new(program: &Program, arguments: &ServeArguments) -> Self {
        let agents = &arguments.agents;
        let cards = if let Some(folder) = &agents.workflow {
            Some(loader(program).workflow_changes(folder))
        } else {
            let files: Vec<PathBuf> =
                with_children(program, &agents.cards).into_iter().filter(|path| !is_address(path)).collect();
            (!files.is_empty()).then(|| loader(program).changes(files))
        };
        Self { cards, config: config(program, arguments), skills: skills(arguments) }
    }

    /// What has changed since it was last looked at.
    fn change(&mut self, program: &Program, arguments: &ServeArguments) -> Option<&'static str> {
        if self.cards.as_mut().is_some_and(CardChanges::has_changed) {
            Some("the cards have changed")
        } else if config(program, arguments) != self.config {
            Some("the configuration of servers has changed")
        } else if skills(arguments) != self.skills {
            Some("the skills have changed")
        } else {
            None
        }
    }
}

fn config(program: &Program, arguments: &ServeArguments) -> Stamp {
    let config = program.settings.config(arguments.agents.config.as_deref());
    stamp(config.map_or_else(|| PathBuf::from(CONFIG), |config| config.value))
}

fn skills(arguments: &ServeArguments) -> Vec<Stamp> {
    let mut files = Vec::new();
    if let Some(folder) = arguments.offer.skills() {
        add_files(folder, &mut files);
        files.sort();
    }
    files
}

fn stamp(file: PathBuf) -> Stamp {
    let metadata = fs::metadata(&file).ok();
    let state = metadata.and_then(|metadata| Some((metadata.modified().ok()?, metadata.len())));
    (file, state)
}

fn add_files(folder: &Path, files: &mut Vec<Stamp>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if files.len() > MAX_FILES {
            return;
        }
        // A link could lead back.
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => add_files(&entry.path(), files),
            _ => files.push(stamp(entry.path())),
        }
    }
}

/// Loads the agents again when their files change, and serves them in place of those of `app`.
///
/// Cancel safety: dropping the future ends the servers that were started.
pub(super) async fn follow(
    program: &Program,
    arguments: &ServeArguments,
    server: &Server,
    app: &mut App,
    mut current: Watched,
) -> Infallible {
    loop {
        sleep(INTERVAL).await;
        let Some(change) = current.change(program, arguments) else { continue };
        // Before they are loaded, so that no change is missed.
        current = Watched::new(program, arguments);
        match Box::pin(agents_and_server(program, arguments)).await {
            Ok((next, offered)) => {
                server.replace_offer(&offered);
                // The servers of the former app end with its last call.
                *app = next;
                output::aside(&format!("{change}: what is there now is served"));
            }
            Err(failure) => {
                let text = failure.text();
                let reason = text.strip_prefix("error: ").unwrap_or(text);
                output::warning(&format!("{change}, and what was there before is served: {reason}"));
            }
        }
    }
}
