//! Checks cards.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use onionskin_cards::{Deck, Source};
use onionskin_loader::CardLoader;

use super::report::Report;
use crate::agents::{registry, with_children};
use crate::program::Program;

/// The servers that cards use, by their names: where each is named.
pub(super) type Uses = BTreeMap<String, Vec<(Source, std::ops::Range<usize>)>>;

/// Checks the cards together, and gives the servers that they use.
pub(super) fn check(program: &Program, paths: &[PathBuf], report: &mut Report) -> Uses {
    let mut uses = Uses::new();
    if paths.is_empty() {
        return uses;
    }
    let paths = &with_children(program, paths);
    if let Err(error) = CardLoader::new(registry(program)).load(paths) {
        report.add_cards(&error);
    }
    let (deck, _) = Deck::read_with_mistakes(Path::new(""), paths, &[]);
    for card in &deck.cards {
        for server in &card.servers {
            uses.entry(server.value.clone()).or_default().push((card.source.clone(), server.span.clone()));
        }
    }
    uses
}
