//! What a loader keeps from one time to the next, so that a change of one card reads and declares no other one.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use onionskin_cards::{Card, CardError, CardFile, CardPath, Child, Deck, find_cards};
use onionskin_core::declaration::DynAgent;

use crate::address::{Fetched, divided};
use crate::error::Mistakes;
use crate::find::{Finder, scripts_of};
use crate::plan::{Plan, PlannedChild};
use crate::stamps::Stamp;

/// Values by the full paths of files, as texts: those are compared faster than as paths.
type ByFile<T> = HashMap<OsString, T>;

/// The cards and agents of the last time.
#[derive(Default)]
pub(crate) struct Cache {
    /// The paths of the cards.
    paths: Vec<CardPath>,
    /// The cards of addresses. They are not fetched again.
    pub(crate) fetched: Option<Fetched>,
    /// What was wrong with paths.
    pub(crate) errors: Vec<CardError>,
    cards: ByFile<(Stamp, CardFile)>,
    /// Other files: scripts that cards name, and the files of a workflow.
    stamps: ByFile<Stamp>,
    /// Their stamps of the time before.
    old_stamps: ByFile<Stamp>,
    /// The agents of cards without mistakes, by the addresses of the cards in memory.
    agents: HashMap<usize, CachedAgent>,
}

/// The agent of a card, and what it depends on beside the registry, which does not change.
struct CachedAgent {
    plan: Arc<Plan>,
    scripts: Vec<(OsString, Stamp)>,
    /// The agent, and the children that it was made with.
    made: Option<(Vec<DynAgent>, DynAgent)>,
}

impl Cache {
    /// A cache with cards of addresses.
    #[cfg(feature = "loader-url")]
    pub(crate) fn new(fetched: Fetched) -> Self {
        Self { fetched: Some(fetched), ..Self::default() }
    }

    /// Whether the cards, or other files that they depend on, are others now.
    pub(crate) fn has_changed(&mut self, base: &Path, paths: &[PathBuf]) -> bool {
        let found = find_cards(base, &divided(paths).0);
        if found.files != self.paths || found.errors != self.errors {
            return true;
        }
        let cards = self.cards.iter_mut().map(|(path, (stamp, _))| (path, stamp));
        for (path, stamp) in cards.chain(self.stamps.iter_mut()) {
            let (now, _) = Stamp::look(Path::new(path), "", Some(stamp));
            if now != *stamp {
                return true;
            }
            // Its time may be stable now.
            *stamp = now;
        }
        false
    }

    /// The cards of these paths. Those that have not changed are not read again.
    pub(crate) fn read(&mut self, base: &Path, paths: &[PathBuf]) -> Vec<CardFile> {
        let found = find_cards(base, &divided(paths).0);
        let mut before = std::mem::take(&mut self.cards);
        let mut files = Vec::new();
        for file in &found.files {
            let known = before.remove(file.path.as_os_str());
            let (stamp, source) = Stamp::look(&file.path, &file.name, known.as_ref().map(|(stamp, _)| stamp));
            let card = match (known, source) {
                (Some((before, card)), _) if before == stamp => card,
                (_, Some(source)) => CardFile::parse(&file.path, source, file.is_of_folder),
                // What was not read has the stamp of before.
                (_, None) => continue,
            };
            files.push(card.clone());
            self.cards.insert(file.path.clone().into_os_string(), (stamp, card));
        }
        (self.paths, self.errors) = (found.files, found.errors);
        files
    }

    /// Begins to look at files again.
    pub(crate) fn renew_stamps(&mut self) {
        self.old_stamps = std::mem::take(&mut self.stamps);
    }

    /// Looks at a file that is no card, once each time.
    pub(crate) fn stamp(&mut self, path: &OsStr) -> Stamp {
        let look = || Stamp::look(Path::new(path), "", self.old_stamps.get(path)).0;
        self.stamps.entry(path.to_owned()).or_insert_with(look).clone()
    }

    /// Plans the agents of a deck. That of a card stays if neither the card nor a script that it names has changed.
    pub(crate) fn plan(&mut self, deck: &Deck, finder: &Finder<'_>, mistakes: &mut Mistakes) {
        let mut before = std::mem::take(&mut self.agents);
        for card in &deck.cards {
            let known = before.remove(&key(card));
            let paths: Vec<OsString> = match &known {
                Some(known) => known.scripts.iter().map(|(path, _)| path.clone()).collect(),
                None => scripts_of(card).into_iter().map(PathBuf::into_os_string).collect(),
            };
            let scripts = paths.into_iter().map(|path| (path.clone(), self.stamp(&path))).collect::<Vec<_>>();
            let agent = match known {
                Some(known) if known.scripts == scripts => known,
                _ => match Plan::new(card, deck, finder) {
                    Ok(plan) => CachedAgent { plan: Arc::new(plan), scripts, made: None },
                    Err(own) => {
                        mistakes.add_other(own);
                        continue;
                    }
                },
            };
            self.agents.insert(key(card), agent);
        }
    }

    /// The agents of a deck that was planned without mistakes. One stays what it is unless its card, a script or an agent below it has changed.
    pub(crate) fn agents(&mut self, deck: &Deck) -> Vec<DynAgent> {
        let mut agents = vec![None; deck.cards.len()];
        (0..deck.cards.len()).filter_map(|index| self.agent(deck, index, &mut agents)).collect()
    }

    /// The agent of a card, made once, after its children. The deck has no cards that contain themselves, and a bounded number of levels.
    fn agent(&mut self, deck: &Deck, index: usize, agents: &mut [Option<DynAgent>]) -> Option<DynAgent> {
        if let Some(made) = agents.get(index)? {
            return Some(made.clone());
        }
        let key = key(deck.cards.get(index)?);
        let plan = Arc::clone(&self.agents.get(&key)?.plan);
        let children = plan.children.iter().filter_map(|child| match child {
            PlannedChild::Card(name) => match deck.child(name) {
                Child::Card(index) => self.agent(deck, index, agents),
                Child::Program(_) => None,
            },
            PlannedChild::Program(agent) => Some(agent.clone()),
        });
        let children: Vec<DynAgent> = children.collect();
        let made = &mut self.agents.get_mut(&key)?.made;
        let agent = match made {
            Some((with, agent)) if *with == children => agent.clone(),
            _ => made.insert((children.clone(), plan.agent(children))).1.clone(),
        };
        agents[index] = Some(agent.clone());
        Some(agent)
    }
}

/// What the agent of a card is cached by: its plan keeps the card, so no other card has the address.
fn key(card: &Arc<Card>) -> usize {
    Arc::as_ptr(card).addr()
}
