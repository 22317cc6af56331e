//! The children of a card that are beside it.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};

use crate::deck::CardFile;
use crate::file::read_file;
use crate::find::{CardPath, find_cards};
use crate::paths::normal;

/// The cards that are children of cards of `paths`, or children of these, and that no path names. They are looked for in the folder of the
/// card that names them, if the card was named by its file. What else is in the folder is not looked at, so its mistakes are not shown.
/// `program` are the names of agents that need no card. Paths begin at `base`.
pub fn children_beside<P: AsRef<Path>>(base: &Path, paths: &[P], program: &[&str]) -> Vec<PathBuf> {
    let mut known: HashSet<String> = program.iter().map(|name| (*name).to_owned()).collect();
    let mut parents = VecDeque::new();
    for file in find_cards(base, paths).files {
        let card = read(&file);
        known.extend(card.name().map(str::to_owned));
        if !file.is_of_folder {
            parents.push_back((file.path, card));
        }
    }
    let mut found = Vec::new();
    while let Some((path, parent)) = parents.pop_front() {
        let agents = parent.card().map(|card| card.agents.as_slice()).unwrap_or_default();
        let wanted: HashSet<&str> =
            agents.iter().map(|name| &*name.value).filter(|name| !known.contains(*name)).collect();
        if wanted.is_empty() {
            continue;
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let beside = find_cards(Path::new(""), &[folder.unwrap_or(Path::new("."))]);
        let mut names = Vec::new();
        for file in beside.files {
            let card = read(&file);
            if let Some(name) = card.name().filter(|name| wanted.contains(name)) {
                names.push(name.to_owned());
                let path = normal(&file.path);
                found.push(path.clone());
                parents.push_back((path, card));
            }
        }
        known.extend(names);
    }
    found
}

fn read(file: &CardPath) -> CardFile {
    CardFile::parse(&file.path, read_file(&file.path, &*file.name), file.is_of_folder)
}
