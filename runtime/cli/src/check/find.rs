//! What the paths are.

use std::fs;
use std::path::{Path, PathBuf};

use onionskin_cards::is_card;

use super::report::Report;

/// The configuration of servers in a folder.
const CONFIG: &str = ".mcp.json";

/// The parts of a workflow, and the file with all of them.
const PARTS: [&str; 5] = ["orchestrator", "workflow", "agents", "tools", "hooks"];

/// What is checked.
#[derive(Default)]
pub(super) struct Found {
    /// Cards and folders of cards.
    pub(super) cards: Vec<PathBuf>,
    pub(super) workflows: Vec<PathBuf>,
    pub(super) configs: Vec<PathBuf>,
}

impl Found {
    /// Finds out what each path is. Without paths, it is what the working directory has.
    pub(super) fn in_paths(paths: &[PathBuf], report: &mut Report) -> Self {
        let mut found = Self::default();
        if paths.is_empty() {
            found.project(Path::new(""));
        }
        for path in paths {
            found.path(path, report);
        }
        found
    }

    pub(super) fn is_empty(&self) -> bool {
        self.cards.is_empty() && self.workflows.is_empty() && self.configs.is_empty()
    }

    fn path(&mut self, path: &Path, report: &mut Report) {
        if path.is_dir() {
            if is_workflow(path) {
                add(&mut self.workflows, path);
            } else if !self.project(path) {
                add(&mut self.cards, path);
            }
        } else if let Some(folder) = path.parent().filter(|folder| is_part(path) && is_workflow(folder)) {
            add(&mut self.workflows, folder);
        } else if path.extension().is_some_and(|ending| ending == "json") {
            add(&mut self.configs, path);
        } else if is_card(path) || !path.exists() {
            // The loader says that there is no such file.
            add(&mut self.cards, path);
        } else {
            report.add_at(
                path,
                "this is no card (`.md`, `.yaml`, `.yml`), no workflow folder and no configuration of servers (`.json`)",
            );
        }
    }

    /// Adds what a folder of a project has; false if it has nothing.
    fn project(&mut self, folder: &Path) -> bool {
        let (config, cards) = (folder.join(CONFIG), folder.join("cards"));
        // A configuration that cannot be looked at is an error of reading.
        let has_config = config.try_exists().unwrap_or(true);
        if has_config {
            add(&mut self.configs, &config);
        }
        if cards.is_dir() {
            add(&mut self.cards, &cards);
        }
        let workflows = workflows(&folder.join("workflows"));
        for workflow in &workflows {
            add(&mut self.workflows, workflow);
        }
        has_config || cards.is_dir() || !workflows.is_empty()
    }
}

/// The workflow folders in a folder, by their names.
fn workflows(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut workflows: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    workflows.sort();
    workflows
}

/// Whether a folder has the file that each workflow has.
fn is_workflow(folder: &Path) -> bool {
    let has = |name: &str| {
        ["json", "yaml", "yml"].iter().any(|ending| folder.join(format!("{name}.{ending}")).exists())
    };
    has("orchestrator") || has("workflow")
}

fn is_part(path: &Path) -> bool {
    path.file_stem().is_some_and(|stem| PARTS.iter().any(|part| stem == *part))
}

/// Each path is checked once.
fn add(paths: &mut Vec<PathBuf>, path: &Path) {
    if !paths.iter().any(|known| known == path) {
        paths.push(path.to_owned());
    }
}
