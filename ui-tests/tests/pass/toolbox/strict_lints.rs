//! Under the strictest lints.
#![deny(warnings, missing_docs, clippy::pedantic, clippy::nursery)]

use std::sync::Arc;

use onionskin::{Toolbox, agent, toolbox};

/// Notes.
#[derive(Debug, Default)]
pub struct Kb {
    notes: Vec<String>,
}

#[toolbox]
impl Kb {
    /// Finds notes.
    #[tool]
    #[must_use]
    pub fn find(&self, word: &str) -> Vec<&String> {
        self.notes.iter().filter(|note| note.contains(word)).collect()
    }

    /// How many there are.
    #[tool]
    pub async fn count(&self) -> usize {
        std::future::ready(self.notes.len()).await
    }
}

agent! {
    /// Keeps notes.
    pub Librarian {
        instruction: "Keep notes.",
        toolboxes: [Kb, old: Kb],
    }
}

pub(crate) fn main() {
    assert_eq!(Kb::bound(&Arc::default()).len(), 2);
    let _ = Librarian::builder().toolbox(Kb::default());
}
