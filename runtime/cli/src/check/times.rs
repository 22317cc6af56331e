//! Times that are never reached, because an agent's own time is over before.

use std::collections::HashMap;
use std::sync::Arc;

use onionskin_cards::{Card, CardError, Problem, Spanned};

use super::report::Report;

/// Warns of children that have more time than their parents wait for them, or have themselves.
pub(super) fn check(agents: &[Arc<Card>], report: &mut Report) {
    let by_name: HashMap<&str, &Arc<Card>> = agents.iter().map(|card| (&*card.name.value, card)).collect();
    for card in agents {
        let (own, wait) = (card.time(), card.child_timeout());
        if let (Some(own), Some(wait)) = (&own, &wait)
            && wait.value > own.value
        {
            let message = format!(
                "a run of `{}` has {} s, and waits {} s for a child: the child has no more than the run",
                card.name.value, own.value, wait.value
            );
            warn(card, wait, message, report);
        }
        let least = [&own, &wait].into_iter().flatten().map(|time| time.value).reduce(f64::min);
        for child in card.agents.iter().filter_map(|child| by_name.get(&*child.value)) {
            if let (Some(most), Some(time)) = (least, child.time())
                && time.value > most
            {
                let message = format!(
                    "`{}` has {} s here, and as a child of `{}` at most {most} s",
                    child.name.value, time.value, card.name.value
                );
                warn(child, &time, message, report);
            }
        }
    }
}

fn warn(card: &Card, place: &Spanned<f64>, message: String, report: &mut Report) {
    let problem = Problem { message, span: place.span.clone() };
    CardError::new(card.source.clone(), vec![problem]).lines().for_each(|line| report.warn(&line));
}
