//! From cards to agents. What has not changed since the time before stays.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use onionskin_cards::{Card, CardFile, Child, Deck, DeckError, Item};
use onionskin_core::declaration::{AgentDeclaration, DynAgent};

use crate::address::{add_unfetched, divided};
use crate::error::{LoadError, MistakeKind, Mistakes};
use crate::find::{Finder, is_script};
use crate::known::{ByFile, Kept, Known};
use crate::loaded::LoadedCards;
use crate::plan::{Plan, PlannedChild, Planner};
use crate::registry::Registry;
use crate::stamps::Stamp;

/// Loads cards. A card that has not changed is not read again, and its agent stays what it is unless one beneath it, or a script that it names,
/// has changed.
pub(crate) fn attempt(
    registry: &Registry,
    base: &Path,
    paths: &[PathBuf],
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
        None => add_unfetched(&divided(paths).1, &mut mistakes),
    }
    let (deck, error) = Deck::of_files(files, known.errors.clone(), &[]);
    if let Some(error) = &error {
        add(error, &mut mistakes);
    }
    let finder = Finder::new(registry, base);
    let mut scripts = Scripts { before: std::mem::take(&mut known.scripts), now: ByFile::new() };
    let mut before = std::mem::take(&mut known.plans);
    let keys = keys(&deck);
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
        known.plans.insert(key.clone(), Kept { card: Arc::clone(card), scripts, plan, made });
    }
    known.scripts = scripts.now;
    match mistakes.into_error() {
        Some(error) => Err(error),
        None => Ok(loaded(&deck, &keys, &mut known.plans)),
    }
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
    /// Those of a card, each once.
    fn of(&mut self, card: &Card) -> Vec<(OsString, Stamp)> {
        let mut scripts: Vec<(OsString, Stamp)> = Vec::new();
        for need in card.needs() {
            let Item::File { file, .. } = &need.item.value else { continue };
            let path = card.beside(file).into_os_string();
            if is_script(file) && scripts.iter().all(|(known, _)| *known != path) {
                scripts.push(self.look(&path));
            }
        }
        scripts
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

/// The agents of cards without mistakes.
fn loaded(deck: &Deck, keys: &[OsString], plans: &mut ByFile<Kept>) -> LoadedCards {
    let mut making = Making { deck, keys, plans, agents: vec![None; deck.cards.len()] };
    let agents = (0..deck.cards.len()).filter_map(|index| making.agent(index)).collect();
    let is_default = |card: &Arc<Card>| card.default.as_ref().is_some_and(|default| default.value);
    let default = deck.cards.iter().position(is_default);
    LoadedCards {
        agents,
        cards: deck.cards.clone(),
        default: default.or((deck.cards.len() == 1).then_some(0)),
    }
}

/// The agents, each made once, after its children.
struct Making<'d> {
    deck: &'d Deck,
    keys: &'d [OsString],
    plans: &'d mut ByFile<Kept>,
    agents: Vec<Option<DynAgent>>,
}

impl Making<'_> {
    /// The agent of a card. The deck has no cards that contain themselves, and a bounded number of levels.
    fn agent(&mut self, index: usize) -> Option<DynAgent> {
        if let Some(made) = self.agents.get(index)? {
            return Some(made.clone());
        }
        let card = &self.deck.cards[index];
        let plan = Arc::clone(&self.plans.get(&self.keys[index])?.plan);
        let children = plan.children.iter().filter_map(|child| match child {
            PlannedChild::Card(name) => match self.deck.child(name) {
                Child::Card(index) => self.agent(index),
                Child::Program(_) => None,
            },
            PlannedChild::Program(agent) => Some(agent.clone()),
        });
        let children: Vec<DynAgent> = children.collect();
        let kept = self.plans.get_mut(&self.keys[index])?;
        let agent = match &kept.made {
            Some((with, agent)) if *with == children => agent.clone(),
            _ => made(&card.name.value, &plan, children.clone()),
        };
        kept.made = Some((children, agent.clone()));
        self.agents[index] = Some(agent.clone());
        Some(agent)
    }
}

/// The agent of a plan.
pub(crate) fn made(name: &str, plan: &Arc<Plan>, children: Vec<DynAgent>) -> DynAgent {
    let steps = Arc::clone(plan);
    let mut agent = DynAgent::new(name, move || {
        let agent = children.iter().fold(AgentDeclaration::new(), AgentDeclaration::dyn_child);
        steps.steps.iter().fold(agent, |agent, step| step(agent))
    });
    if let Some(state) = &plan.state {
        agent = (state.with_state)(agent);
    }
    if let Some(run) = plan.run {
        agent = agent.with_run(run);
    }
    agent
}
