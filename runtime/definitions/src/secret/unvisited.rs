//! Checks, when an agent is built, that the type of its state lists every secret that it owns.

use std::collections::HashSet;

use super::owned::{can_own_secrets, made_during};
use super::visit::StateVisitor;

/// Whether a value owns a secret that its visitor does not list and that is not `known` otherwise.
pub fn owns_unvisited<T: Clone + 'static>(
    value: &T,
    visitor: Option<StateVisitor>,
    known: &[Vec<u8>],
) -> bool {
    if !can_own_secrets::<T>() {
        return false;
    }
    let (copy, made) = made_during(|| value.clone());
    let visited: HashSet<_> = StateVisitor::listed(visitor, &copy).into_iter().collect();
    made.iter().any(|secret| !visited.contains(secret) && !known.contains(secret))
}
