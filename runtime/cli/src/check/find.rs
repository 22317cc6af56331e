//! Finds the cards, workflow folders and configurations of paths.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use onionskin_cards::{is_card, is_workflow_file, is_workflow_folder};

use super::report::Report;
use crate::loaded::{NO_ADDRESS, is_address};

/// The configuration of servers in a folder.
const CONFIG: &str = ".mcp.json";

/// The paths to check.
#[derive(Default)]
pub(super) struct Paths {
    /// Cards and folders of cards.
    pub(super) cards: Vec<PathBuf>,
    pub(super) workflows: Vec<PathBuf>,
    pub(super) configs: Vec<PathBuf>,
    known: HashSet<PathBuf>,
}

impl Paths {
    /// Finds out what each path is. Without paths, it is what the working directory has.
    pub(super) fn find(paths: &[PathBuf], report: &mut Report) -> Self {
        let mut found = Self::default();
        let here = Path::new(".");
        if paths.is_empty() && is_workflow_folder(here) {
            found.add_workflow(here);
        } else if paths.is_empty() {
            found.project(Path::new(""), report);
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
        if is_address(path) {
            report.add_line(&format!("`check` {NO_ADDRESS}"));
        } else if path.is_dir() {
            if is_workflow_folder(path) {
                self.add_workflow(path);
            } else if !self.project(path, report) && !self.workflows_in(path, report) {
                self.add_cards(path);
            }
        } else if let Some(folder) =
            path.parent().filter(|folder| is_workflow_file(path) && is_workflow_folder(folder))
        {
            self.add_workflow(if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
        } else if path.extension().is_some_and(|ending| ending == "json") {
            self.add_config(path);
        } else if is_card(path) || !path.exists() {
            // The loader reports a file that does not exist.
            self.add_cards(path);
        } else {
            report.add_at(
                path,
                "this is not a card (`.md`, `.yaml`, `.yml`), a workflow folder or a configuration of servers (`.json`)",
            );
        }
    }

    /// Whether the path was not added before. Each file and folder is checked once, by whatever path it is named.
    fn is_new(&mut self, path: &Path) -> bool {
        self.known.insert(path.canonicalize().unwrap_or_else(|_| path.to_owned()))
    }

    fn add_cards(&mut self, path: &Path) {
        if self.is_new(path) {
            self.cards.push(path.to_owned());
        }
    }

    fn add_workflow(&mut self, folder: &Path) {
        if self.is_new(folder) {
            self.workflows.push(folder.to_owned());
        }
    }

    fn add_config(&mut self, path: &Path) {
        if self.is_new(path) {
            self.configs.push(path.to_owned());
        }
    }

    /// Adds what a folder of a project has; false if it has nothing.
    fn project(&mut self, folder: &Path, report: &mut Report) -> bool {
        let (config, cards) = (folder.join(CONFIG), folder.join("cards"));
        // A configuration that cannot be looked at is an error of reading.
        let has_config = config.try_exists().unwrap_or(true);
        if has_config {
            self.add_config(&config);
        }
        let has_cards = is_folder(&cards, report);
        if has_cards {
            self.add_cards(&cards);
        }
        let workflows = folders(&folder.join("workflows"), report);
        for workflow in &workflows {
            self.add_workflow(workflow);
        }
        has_config || has_cards || !workflows.is_empty()
    }

    /// Adds the workflow folders in a folder that has no cards; false if there are none.
    fn workflows_in(&mut self, folder: &Path, report: &mut Report) -> bool {
        let has_cards = fs::read_dir(folder)
            .is_ok_and(|mut entries| entries.any(|entry| entry.is_ok_and(|entry| is_card(&entry.path()))));
        if has_cards {
            return false;
        }
        let workflows = folders(folder, report);
        if !workflows.iter().any(|folder| is_workflow_folder(folder)) {
            return false;
        }
        for workflow in &workflows {
            self.add_workflow(workflow);
        }
        true
    }
}

/// The folders in a folder, by their names. One that does not exist has none.
fn folders(folder: &Path, report: &mut Report) -> Vec<PathBuf> {
    if !is_folder(folder, report) {
        return Vec::new();
    }
    let mut folders = Vec::new();
    match fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>) {
        Ok(entries) => {
            let paths = entries.iter().map(fs::DirEntry::path);
            folders.extend(paths.filter(|path| is_folder(path, report)));
        }
        Err(error) => report.add_at(folder, &unread(&error)),
    }
    folders.sort();
    folders
}

/// Whether there is a folder. What cannot be looked at is a problem.
fn is_folder(path: &Path, report: &mut Report) -> bool {
    match fs::metadata(path) {
        Ok(there) => there.is_dir(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => false,
        Err(error) => {
            report.add_at(path, &unread(&error));
            false
        }
    }
}

fn unread(error: &io::Error) -> String {
    format!("the folder cannot be read: {error}")
}
