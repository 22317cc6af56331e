//! Finds the cards, workflow folders and configurations of paths.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use onionskin_cards::{
    CardPath, Source, find_cards, has_card_field, is_card, is_workflow_file, is_workflow_folder, read_file,
    skip_reason,
};

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
            found.add_cards_among_others(here);
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
            } else {
                let is_project = self.project(path, report);
                // A folder with a `.mcp.json` can have cards of its own.
                if is_project {
                    self.add_cards_among_others(path);
                } else if !self.workflows_in(path, report) {
                    self.add_cards(path);
                }
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

    /// Adds the cards of a folder that is not one of cards: its files that have a field of a card.
    fn add_cards_among_others(&mut self, folder: &Path) {
        for file in find_cards(Path::new(""), &[folder]).files {
            if is_one(&file, has_card_field) {
                self.add_cards(file.path.strip_prefix(".").unwrap_or(&file.path));
            }
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
        if has_cards(folder) {
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

/// Whether a folder has files that are read as cards.
fn has_cards(folder: &Path) -> bool {
    find_cards(Path::new(""), &[folder]).files.iter().any(|file| is_one(file, |_, _| true))
}

/// Whether a file of a folder is read as a card, and this is true of it.
fn is_one(file: &CardPath, is_too: impl Fn(&Path, &Source) -> bool) -> bool {
    read_file(&file.path, &*file.name)
        .is_ok_and(|source| skip_reason(&file.path, &source).is_none() && is_too(&file.path, &source))
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
