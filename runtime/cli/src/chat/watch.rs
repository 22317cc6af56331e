//! Whether the files of cards or of a workflow have changed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use onionskin_cards::find_cards;

use crate::agents::AgentArguments;
use crate::loaded::with_children;
use crate::program::Program;

/// The files that are looked at.
const MOST_FILES: usize = 1000;

/// The levels of folders of a workflow.
const LEVELS: usize = 3;

/// The time of the last change of each file, and its length.
type Facts = BTreeMap<PathBuf, (Option<SystemTime>, u64)>;

/// The files as they were when they were looked at.
pub(super) struct Watch<'p> {
    program: &'p Program,
    agents: &'p AgentArguments,
    facts: Facts,
}

impl<'p> Watch<'p> {
    pub(super) fn new(program: &'p Program, agents: &'p AgentArguments) -> Self {
        let mut watch = Self { program, agents, facts: Facts::new() };
        watch.has_changed();
        watch
    }

    /// Whether a file is another one than at the last look, came, or is gone.
    pub(super) fn has_changed(&mut self) -> bool {
        let mut facts = Facts::new();
        match &self.agents.workflow {
            Some(folder) => add_folder(folder, LEVELS, &mut facts),
            None => self.add_cards(&mut facts),
        }
        let before = std::mem::replace(&mut self.facts, facts);
        before != self.facts
    }

    /// The cards, and the files beside them whose names are in a card: scripts and prompts.
    fn add_cards(&self, facts: &mut Facts) {
        let paths = with_children(self.program, &self.agents.cards);
        for card in find_cards(Path::new(""), &paths).files {
            let text = fs::read_to_string(&card.path).unwrap_or_default();
            let folder =
                card.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            for file in fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_FILES) {
                if file.file_name().to_str().is_some_and(|name| text.contains(name)) {
                    add(&file.path(), facts);
                }
            }
            add(&card.path, facts);
        }
    }
}

fn add_folder(folder: &Path, levels: usize, facts: &mut Facts) {
    for file in fs::read_dir(folder).into_iter().flatten().flatten() {
        match file.file_type() {
            Ok(kind) if kind.is_dir() && levels > 1 => add_folder(&file.path(), levels - 1, facts),
            Ok(kind) if kind.is_dir() => {}
            _ => add(&file.path(), facts),
        }
    }
}

fn add(file: &Path, facts: &mut Facts) {
    if facts.len() < MOST_FILES
        && let Ok(now) = fs::metadata(file)
    {
        facts.insert(file.to_owned(), (now.modified().ok(), now.len()));
    }
}
