//! Which cards contain which, without recursion: a chain of cards can be longer than a stack.

use std::collections::HashMap;
use std::sync::Arc;

use crate::card::Card;
use crate::source::Spanned;

/// The most levels of agents, the outermost included. Runs are limited to fewer by default; see `limits`.
pub(crate) const MOST_LEVELS: usize = 100;

/// The most circles that are looked for.
const MOST_CYCLES: usize = 20;

/// The children of cards that are cards.
pub(crate) struct Links {
    /// For each card: the index in its `agents`, and the card.
    children: Vec<Vec<(usize, usize)>>,
}

/// A way through cards: for each card, the index in its `agents` that leads on.
pub(crate) type Way = Vec<(usize, usize)>;

impl Links {
    /// Those of these cards. `by_name` has the index of the card that a name means.
    pub(crate) fn new(cards: &[Arc<Card>], by_name: &HashMap<String, usize>) -> Self {
        let of_card = |card: &Arc<Card>| {
            let children = card.agents.iter().enumerate();
            let to_card = |(at, child): (usize, &Spanned<String>)| Some((at, *by_name.get(&child.value)?));
            children.filter_map(to_card).collect()
        };
        Self { children: cards.iter().map(of_card).collect() }
    }

    /// The levels of each card: 1 without children. None for cards that lead to a circle.
    pub(crate) fn levels(&self) -> Vec<Option<usize>> {
        self.levels_without(&vec![false; self.children.len()])
    }

    /// As [`Self::levels`], as if some cards were not there.
    fn levels_without(&self, left_out: &[bool]) -> Vec<Option<usize>> {
        let count = self.children.len();
        let mut parents: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut open = vec![0_usize; count];
        for (parent, children) in self.children.iter().enumerate().filter(|(at, _)| !left_out[*at]) {
            for (_, child) in children.iter().filter(|(_, child)| !left_out[*child]) {
                parents[*child].push(parent);
                open[parent] += 1;
            }
        }
        let mut levels = vec![None; count];
        let mut ready: Vec<usize> = (0..count).filter(|at| open[*at] == 0 && !left_out[*at]).collect();
        let mut below = vec![0; count];
        while let Some(card) = ready.pop() {
            levels[card] = Some(below[card] + 1);
            for parent in &parents[card] {
                below[*parent] = below[*parent].max(below[card] + 1);
                open[*parent] -= 1;
                if open[*parent] == 0 {
                    ready.push(*parent);
                }
            }
        }
        levels
    }

    /// The child of a card, by its index in `agents`, that has the most levels.
    pub(crate) fn deepest(&self, card: usize, levels: &[Option<usize>]) -> usize {
        let deepest = self.children[card].iter().max_by_key(|(_, child)| levels[*child]);
        deepest.map_or(0, |(at, _)| *at)
    }

    /// Circles, each at the first of its cards: the way from the card to itself. Of very many, some.
    pub(crate) fn cycles(&self) -> HashMap<usize, Way> {
        let mut left_out = vec![false; self.children.len()];
        let mut cycles = HashMap::new();
        while cycles.len() < MOST_CYCLES {
            let levels = self.levels_without(&left_out);
            let leads_to_circle = |card: usize| levels[card].is_none() && !left_out[card];
            let Some(start) = (0..levels.len()).find(|card| leads_to_circle(*card)) else { break };
            let Some(way) = self.circle(start, leads_to_circle) else { break };
            left_out[way[0].0] = true;
            cycles.insert(way[0].0, way);
        }
        cycles
    }

    /// The circle that a card leads to by the first child of each card, from the first of its cards on.
    fn circle(&self, start: usize, leads_to_circle: impl Fn(usize) -> bool) -> Option<Way> {
        let mut places = HashMap::new();
        let mut way: Way = Vec::new();
        let mut at = start;
        while !places.contains_key(&at) {
            places.insert(at, way.len());
            let (child, next) = self.children[at].iter().find(|(_, next)| leads_to_circle(*next))?;
            way.push((at, *child));
            at = *next;
        }
        let mut circle = way.split_off(places[&at]);
        let first = circle.iter().enumerate().min_by_key(|(_, (card, _))| *card)?.0;
        circle.rotate_left(first);
        Some(circle)
    }
}
