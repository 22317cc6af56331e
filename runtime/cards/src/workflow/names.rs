//! The names of a workflow's agents.

use std::path::{Path, PathBuf};

use onionskin_vocabulary::unknown;

use crate::reader::Reader;
use crate::source::Spanned;

/// The word for all agents of a workflow.
pub(super) const ALL_AGENTS: &str = "ALL_AGENTS";

/// The names of the agents.
pub(super) struct Names {
    pub(super) all: Vec<String>,
    /// Whether all agents could be read. If not, an unknown name may be one of them.
    pub(super) is_complete: bool,
}

impl Names {
    /// The indices of the agents that a name means: one index, or all for `ALL_AGENTS`.
    pub(super) fn find(&self, name: &Spanned<String>, reader: &mut Reader) -> Vec<usize> {
        if name.value == ALL_AGENTS {
            return (0..self.all.len()).collect();
        }
        if let Some(index) = self.all.iter().position(|known| *known == name.value) {
            return vec![index];
        }
        if self.is_complete {
            let known: Vec<&str> = self.all.iter().map(String::as_str).chain([ALL_AGENTS]).collect();
            reader.note(&name.span, unknown("agent", &name.value, &known));
        }
        Vec::new()
    }
}

/// The path that the agents' cards have: items of the workflow are relative to its folder.
pub(super) fn card_path(folder: &Path) -> PathBuf {
    folder.join("agents.json")
}
