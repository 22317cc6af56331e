//! Agents that contain each other.

use syn::Ident;

use super::parse::Agent;
use crate::diag::Errors;

/// Agents of one invocation that contain each other. Others are found where the constants are evaluated.
pub(super) fn check(agents: &[Agent], errors: &mut Errors) {
    for (at, agent) in agents.iter().enumerate() {
        for entry in &agent.fields.agents {
            if entry.path.is_ident("Self") {
                errors.at(&entry.path, "an agent cannot contain itself: remove `Self`");
            }
            let Some(child) = entry.path.get_ident() else { continue };
            // Each cycle is reported once, at the first of its agents in the source.
            if let Some(way) = way(child, &agent.ident, &agents[at..], &mut Vec::new()) {
                let cycle: Vec<_> =
                    std::iter::once(&agent.ident).chain(way).map(ToString::to_string).collect();
                errors.at(&entry.path, format_args!("an agent cannot contain itself: {}", cycle.join(" > ")));
            }
        }
    }
}

/// The agents from `from` to `goal`, each a child of the one before it.
fn way<'a>(
    from: &'a Ident,
    goal: &Ident,
    agents: &'a [Agent],
    seen: &mut Vec<&'a Ident>,
) -> Option<Vec<&'a Ident>> {
    if from == goal {
        return Some(vec![from]);
    }
    if seen.contains(&from) {
        return None;
    }
    seen.push(from);
    let agent = agents.iter().find(|agent| agent.ident == *from)?;
    let mut children = agent.fields.agents.iter().filter_map(|entry| entry.path.get_ident());
    let rest = children.find_map(|child| way(child, goal, agents, seen))?;
    Some([vec![from], rest].concat())
}
