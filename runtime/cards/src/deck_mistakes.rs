//! The mistakes that cards show together.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use onionskin_vocabulary::agent::{Setting, TextField};
use onionskin_vocabulary::{messages, nearest};

use crate::card::{Card, Text};
use crate::links::{Links, MOST_LEVELS};
use crate::problem::{CardError, Problem};
use crate::source::Spanned;

/// For how many unknown children of all cards the nearest name is looked for, which takes time for each name that there is.
const MOST_HINTS: usize = 200;

/// The most agents of a circle that an error names.
const MOST_NAMED: usize = 12;

/// The mistakes of each card among the others. `by_name` has the index of the card that a name means, and `names` are the names of all agents.
pub(crate) fn mistakes(
    cards: &[Arc<Card>],
    by_name: &HashMap<String, usize>,
    names: &HashSet<&str>,
) -> Vec<CardError> {
    let links = Links::new(cards, by_name);
    let (cycles, levels) = (links.cycles(), links.levels());
    let default = cards.iter().position(|card| card.is_default());
    // In an order that does not change from one time to the next.
    let mut known: Vec<&str> = names.iter().copied().collect();
    known.sort_unstable();
    let mut hints = MOST_HINTS;
    let mut first: HashMap<&str, &Card> = HashMap::new();
    let (mut errors, mut said) = (Vec::new(), HashSet::new());
    for (index, card) in cards.iter().enumerate() {
        let name = &card.name.value;
        if let Some(first) = first.get(name.as_str()) {
            let message = format!(
                "`{}` declares an agent `{name}` already; give this one another name",
                first.source.name
            );
            let problem = Problem { message, span: card.name.span.clone() };
            errors.push(CardError::new(card.source.clone(), vec![problem]));
            continue;
        }
        first.insert(name, card);
        let is_unknown = |name: &str| !name.contains("::") && !names.contains(name);
        let mut problems: Vec<Problem> = Vec::new();
        for child in card.agents.iter().filter(|child| is_unknown(&child.value)) {
            hints = hints.saturating_sub(1);
            problems.push(unknown(child, if hints > 0 { &known } else { &[] }));
        }
        // In a circle, all cards would be said to be silent beside the mistake that counts.
        let children = card.agents.iter().filter(|_| cycles.is_empty());
        problems.extend(children.filter_map(|child| {
            let at = *by_name.get(&child.value)?;
            let problem = silent(child, card, &cards[at])?;
            said.insert(at).then_some(problem)
        }));
        problems.extend(cycles.get(&index).map(|way| cycle(cards, way)));
        if levels[index] == Some(MOST_LEVELS + 1) {
            problems.extend(too_deep(card, links.deepest(index, &levels)));
        }
        if default != Some(index) && card.is_default() {
            problems.extend(default.and_then(|first| second_default(card, &cards[first])));
        }
        if !problems.is_empty() {
            errors.push(CardError::new(card.source.clone(), problems));
        }
    }
    errors
}

/// The mistake in a child that is neither a card nor a path of the program. `known` are the names that could have been meant.
fn unknown(child: &Spanned<String>, known: &[&str]) -> Problem {
    let name = &child.value;
    let hint = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "name a card that is read beside this one, or an agent of the program by its path, `crate::agents::Helper`"
            .to_owned(),
    };
    Problem { message: format!("there is no agent `{name}`; {hint}"), span: child.span.clone() }
}

/// The mistake of a card whose child does not say what it is for.
fn silent(child: &Spanned<String>, parent: &Card, card: &Card) -> Option<Problem> {
    let is_silent = match card.text(TextField::Description) {
        Some(Text::Template(text)) => text.value.trim().is_empty(),
        // It has a mistake of its own.
        Some(Text::Function(_)) => false,
        None => true,
    };
    let place = match (parent.source.name == card.source.name, &card.source.name) {
        (true, _) => String::new(),
        (false, file) => format!(" in `{file}`"),
    };
    is_silent.then(|| Problem {
        message: format!(
            "`{}` has no description, by which `{}` chooses it: write its `description`{place}",
            child.value, parent.name.value
        ),
        span: child.span.clone(),
    })
}

/// The mistake of a card that contains itself, at the child through which it does. `way` leads from the card to itself.
fn cycle(cards: &[Arc<Card>], way: &[(usize, usize)]) -> Problem {
    let (card, child) = way[0];
    let mut names: Vec<&str> = way.iter().map(|(at, _)| cards[*at].name.value.as_str()).collect();
    names.push(&cards[card].name.value);
    if names.len() > MOST_NAMED {
        names.splice(MOST_NAMED / 2..names.len() - 2, [".."]);
    }
    let message = format!("an agent cannot contain itself: {}", names.join(" > "));
    Problem { message, span: cards[card].agents[child].span.clone() }
}

/// The mistake of a card with too many levels below it.
fn too_deep(card: &Card, child: usize) -> Option<Problem> {
    let child = card.agents.get(child)?;
    let message = format!(
        "`{}` has {MOST_LEVELS} levels of agents, its own included, so this agent would have more; that is the most: remove a child",
        child.value
    );
    Some(Problem { message, span: child.span.clone() })
}

fn second_default(card: &Card, first: &Card) -> Option<Problem> {
    let span = card.setting(Setting::Default)?.span.clone();
    Some(Problem { message: messages::second_default(&first.name.value), span })
}
