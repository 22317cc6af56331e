//! The fields and types that other frameworks have in cards.

use onionskin_vocabulary::agent::CARD_TYPE;
use onionskin_vocabulary::messages;

use crate::reader::{Field, Reader};

/// Fields of fast-agent's cards of other types than agents.
const FIELDS_OF_OTHER_TYPES: &[&str] = &[
    "sequence",
    "cumulative",
    "fan_out",
    "fan_in",
    "include_request",
    "generator",
    "evaluator",
    "min_rating",
    "max_refinements",
    "refinement_instruction",
    "plan_type",
    "plan_iterations",
    "worker",
    "k",
    "max_samples",
    "match_strategy",
    "red_flag_max_length",
];

/// Whether a card of another type has this field.
pub(super) fn is_of_another_type(name: &str) -> bool {
    FIELDS_OF_OTHER_TYPES.contains(&name)
}

/// The types of fast-agent's cards, and what to write instead.
const OTHER_TYPES: &[(&str, &str)] = &[
    ("chain", "an agent that calls its `agents` one after the other"),
    ("parallel", "an agent that calls its `agents` at once"),
    ("router", "an agent that chooses among its `agents`"),
    ("orchestrator", "an agent with `agents`"),
    ("iterative_planner", "an agent with `agents`"),
    ("evaluator_optimizer", "an agent with a `run` of its own"),
    ("smart", "an agent with `agents`"),
    ("MAKER", "an agent with a `run` of its own"),
    ("a2a", "an agent whose `run` calls the other one"),
    ("basic", "`type: agent`"),
    ("custom", "an agent with a `run` of its own"),
];

/// The field `type`: `agent` is the only one.
pub(super) fn check_type(reader: &mut Reader, field: Field<'_>) {
    let Some(word) = reader.text(field) else { return };
    if word.value == "agent" {
        return;
    }
    let message = match OTHER_TYPES.iter().find(|(theirs, _)| theirs.eq_ignore_ascii_case(&word.value)) {
        Some((_, here)) => format!("there is no card of the type `{}` here: write {here}", word.value),
        None => {
            format!("there is no card of the type `{}`: write `type: agent`, or remove it", word.value)
        }
    };
    reader.note(&word.span, message);
}

/// The error for a field that does not exist, and the field that its author most likely meant.
pub(super) fn unknown(name: &str) -> (String, Option<&'static str>) {
    if is_of_another_type(name) {
        let message = format!(
            "there is no field `{name}`: it belongs to cards of other types; write an agent that calls its `agents`"
        );
        return (message, None);
    }
    messages::unknown_field(name, &[CARD_TYPE])
}

#[cfg(test)]
mod tests {
    use onionskin_vocabulary::synonyms::{FAST_AGENT, SYNONYMS};

    use super::{FIELDS_OF_OTHER_TYPES, OTHER_TYPES};

    const PAGE: &str = include_str!("../../../../docs/book/src/reference/other-frameworks.md");

    #[test]
    fn c1_the_book_has_each_field_of_other_frameworks_with_its_meaning() {
        let (_, section) = PAGE.split_once("## Cards of other frameworks").unwrap();
        let (section, _) = section.split_once("\n## ").unwrap();
        for (field, meaning) in FAST_AGENT {
            assert!(section.contains(&format!("| `{field}` | {meaning} |")), "{field}");
        }
        let row = section.lines().find(|line| line.ends_with("| fields of cards of other types |"));
        for field in FIELDS_OF_OTHER_TYPES {
            assert!(row.is_some_and(|row| row.contains(&format!("`{field}`"))), "{field}");
        }
        for (kind, here) in OTHER_TYPES {
            assert!(section.contains(&format!("| `type: {kind}` | {here} |")), "{kind}");
        }
        for (theirs, ours) in SYNONYMS {
            let row = section.lines().find(|line| line.ends_with(&format!("| `{ours}` |")));
            assert!(row.is_some_and(|row| row.contains(&format!("`{theirs}`"))), "{theirs}");
        }
    }
}
