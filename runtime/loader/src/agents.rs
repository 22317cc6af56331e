//! From the plans of a deck to its agents.

use std::sync::Arc;

use onionskin_cards::{Child, Deck};
use onionskin_core::declaration::{AgentDeclaration, DynAgent};

use crate::loaded::LoadedCards;
use crate::plan::{Plan, PlannedChild};

/// The agents of cards without mistakes. `plans` has the plan of each card. `make` makes the agent of a card with its children.
pub(crate) fn loaded(
    deck: &Deck,
    plans: &[Arc<Plan>],
    make: impl FnMut(usize, Vec<DynAgent>) -> DynAgent,
) -> LoadedCards {
    let mut making = Making { deck, plans, make, agents: vec![None; deck.cards.len()] };
    let agents = (0..deck.cards.len()).filter_map(|index| making.agent(index)).collect();
    let default = deck.cards.iter().position(|card| card.is_default());
    LoadedCards { agents, cards: deck.cards.clone(), default }
}

/// The agents, each made once, after its children.
struct Making<'d, F> {
    deck: &'d Deck,
    plans: &'d [Arc<Plan>],
    make: F,
    agents: Vec<Option<DynAgent>>,
}

impl<F: FnMut(usize, Vec<DynAgent>) -> DynAgent> Making<'_, F> {
    /// The agent of a card. The deck has no cards that contain themselves, and a bounded number of levels.
    fn agent(&mut self, index: usize) -> Option<DynAgent> {
        if let Some(made) = self.agents.get(index)? {
            return Some(made.clone());
        }
        let children = self.plans.get(index)?.children.iter().filter_map(|child| match child {
            PlannedChild::Card(name) => match self.deck.child(name) {
                Child::Card(index) => self.agent(index),
                Child::Program(_) => None,
            },
            PlannedChild::Program(agent) => Some(agent.clone()),
        });
        let children = children.collect();
        let agent = (self.make)(index, children);
        self.agents[index] = Some(agent.clone());
        Some(agent)
    }
}

/// The agent of a plan.
pub(crate) fn agent(name: &str, plan: &Arc<Plan>, children: Vec<DynAgent>) -> DynAgent {
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
