//! From cards to agents. What has not changed since the time before stays.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use onionskin_cards::{Card, CardFile, Deck, DeckError};

use crate::address::{add_unfetched, divided};
use crate::agents::{agent, loaded};
use crate::error::{LoadError, MistakeKind, Mistakes};
use crate::find::{Finder, scripts_of};
use crate::known::{ByFile, Kept, Known};
use crate::loaded::LoadedCards;
use crate::plan::{Plan, Planner};
use crate::registry::Registry;
use crate::stamps::Stamp;

/// Loads cards. A card that has not changed is not read again, and its agent stays what it is unless one below it, or a script that it names,
/// has changed.
pub(crate) fn attempt(
    registry: &Registry,
    base: &Path,
    paths: &[PathBuf],
    allows_urls: bool,
    known: &mut Known,
) -> Result<LoadedCards, LoadError> {
    known.read(base, paths);
    let mut mistakes = Mistakes::default();
    let files = known.files.iter().filter_map(|file| known.cards.get(file.path.as_os_str()));
    let mut files: Vec<CardFile> = files.map(|(_, card)| card.clone()).collect();
    match &known.fetched {
        Some(fetched) => {
            files.extend(fetched.files.iter().cloned());
            for error in &fetched.errors {
                mistakes.add_all(error, MistakeKind::Address);
            }
        }
        None => add_unfetched(&divided(paths).1, allows_urls, &mut mistakes),
    }
    let (deck, error) = Deck::of_files(files, known.errors.clone(), &[]);
    if let Some(error) = &error {
        add(error, &mut mistakes);
    }
    let finder = Finder::new(registry, base);
    let mut scripts = Scripts { before: std::mem::take(&mut known.scripts), now: ByFile::new() };
    let mut before = std::mem::take(&mut known.plans);
    let keys = keys(&deck);
    // That of each card, if there are no mistakes.
    let mut plans = Vec::new();
    for (card, key) in deck.cards.iter().zip(&keys) {
        let kept = before.remove(key);
        let same_card = kept.as_ref().filter(|kept| Arc::ptr_eq(&kept.card, card));
        let scripts = match same_card {
            Some(kept) => kept.scripts.iter().map(|(path, _)| scripts.look(path)).collect(),
            None => scripts.of(card),
        };
        let unchanged = same_card.filter(|kept| kept.scripts == scripts);
        let plan = match unchanged {
            Some(kept) => Arc::clone(&kept.plan),
            None => {
                let mut own = Mistakes::default();
                let (finder, deck, plan) = (&finder, &deck, Plan::default());
                let plan = Planner { finder, deck, card, mistakes: &mut own, plan }.plan();
                if !own.is_empty() {
                    mistakes.add_other(own);
                    continue;
                }
                Arc::new(plan)
            }
        };
        // An agent that was made of another plan is another one.
        let made = kept.filter(|kept| Arc::ptr_eq(&kept.plan, &plan)).and_then(|kept| kept.made);
        plans.push(Arc::clone(&plan));
        known.plans.insert(key.clone(), Kept { card: Arc::clone(card), scripts, plan, made });
    }
    known.scripts = scripts.now;
    if let Some(error) = mistakes.into_error() {
        return Err(error);
    }
    let mut loaded = loaded(&deck, &plans, |index, children| {
        let made = || agent(&deck.cards[index].name.value, &plans[index], children.clone());
        match known.plans.get_mut(&keys[index]).map(|kept| &mut kept.made) {
            Some(Some((with, agent))) if *with == children => agent.clone(),
            Some(kept) => {
                let agent = made();
                *kept = Some((children, agent.clone()));
                agent
            }
            None => made(),
        }
    });
    // A single card needs no mark.
    if deck.cards.len() == 1 {
        loaded.default = Some(0);
    }
    Ok(loaded)
}

pub(crate) fn add(error: &DeckError, mistakes: &mut Mistakes) {
    for of_file in error.of_files() {
        let kind = if of_file.is_missing_file() { MistakeKind::MissingFile } else { MistakeKind::Format };
        mistakes.add_all(of_file, kind);
    }
    for among_cards in error.among_cards() {
        mistakes.add_all(among_cards, MistakeKind::Cards);
    }
}

/// The scripts that cards name, each looked at once.
struct Scripts {
    before: ByFile<Stamp>,
    now: ByFile<Stamp>,
}

impl Scripts {
    /// Those of a card.
    fn of(&mut self, card: &Card) -> Vec<(OsString, Stamp)> {
        scripts_of(card).iter().map(|path| self.look(path.as_os_str())).collect()
    }

    fn look(&mut self, path: &OsStr) -> (OsString, Stamp) {
        let before = self.before.get(path);
        let look = || Stamp::look(Path::new(path), "", before).0;
        let stamp = self.now.entry(path.to_owned()).or_insert_with(look);
        (path.to_owned(), stamp.clone())
    }
}

/// What each card is kept under: its path. Addresses that differ in their queries have one path, which has no query.
fn keys(deck: &Deck) -> Vec<OsString> {
    let mut counts: HashMap<&Path, usize> = HashMap::new();
    let mut keys = Vec::new();
    for card in &deck.cards {
        let count = counts.entry(&card.path).or_default();
        let mut key = card.path.clone().into_os_string();
        if *count > 0 {
            key.push(format!("#{count}"));
        }
        *count += 1;
        keys.push(key);
    }
    keys
}
