//! Agents that contain each other.

use super::parse::Agent;
use crate::diag::Errors;

/// Agents of one invocation that contain each other. Others are found where the constants are evaluated.
pub(super) fn check(agents: &[Agent], errors: &mut Errors) {
    let child = |name: &syn::Ident| agents.iter().find(|agent| agent.ident == *name);
    for agent in agents {
        for entry in &agent.fields.agents {
            if entry.path.is_ident("Self") {
                errors.at(&entry.path, "an agent cannot contain itself: remove `Self`");
            }
            let Some(first) = entry.path.get_ident() else { continue };
            let mut path = vec![agent.ident.to_string()];
            let mut at = Some(first);
            // Each cycle is reported once, at the first of its agents in the source.
            while let Some(ident) = at {
                let name = ident.to_string();
                if *ident == agent.ident {
                    path.push(name);
                    errors.at(
                        &entry.path,
                        format_args!("an agent cannot contain itself: {}", path.join(" > ")),
                    );
                    break;
                }
                if path.contains(&name) || position(agents, ident) < position(agents, &agent.ident) {
                    break;
                }
                path.push(name);
                at = child(ident).and_then(|agent| step_towards(agent, agents, &path));
            }
        }
    }
}

fn position(agents: &[Agent], ident: &syn::Ident) -> usize {
    agents.iter().position(|agent| agent.ident == *ident).unwrap_or(usize::MAX)
}

/// The child of `agent` from which the first agent of `path` can be reached.
fn step_towards<'a>(agent: &'a Agent, agents: &'a [Agent], path: &[String]) -> Option<&'a syn::Ident> {
    let goal = path.first()?;
    let children = || agent.fields.agents.iter().filter_map(|entry| entry.path.get_ident());
    children().find(|child| **child == *goal).or_else(|| {
        children().find(|child| {
            let mut seen = path.to_vec();
            reaches(child, goal, agents, &mut seen)
        })
    })
}

fn reaches(from: &syn::Ident, goal: &str, agents: &[Agent], seen: &mut Vec<String>) -> bool {
    if *from == *goal {
        return true;
    }
    let name = from.to_string();
    if seen.contains(&name) {
        return false;
    }
    seen.push(name);
    let Some(agent) = agents.iter().find(|agent| agent.ident == *from) else { return false };
    let mut children = agent.fields.agents.iter().filter_map(|entry| entry.path.get_ident());
    children.any(|child| reaches(child, goal, agents, seen))
}
