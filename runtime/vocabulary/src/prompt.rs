//! The fields of an agent that are parts of its system prompt, and their order.

use std::fmt;

use crate::agent::{Field, Flag, Setting, TextField};
use crate::placeholders::{SESSION_STATE, TextPiece, split};

/// The fields that are parts of the system prompt, in the standard order of the prompt.
pub const PROMPT_FIELDS: [Field; 16] = [
    Field::Text(TextField::SystemMessage),
    Field::Text(TextField::Description),
    Field::Text(TextField::Role),
    Field::Text(TextField::Instructions),
    Field::Flag(Flag::Markdown),
    Field::Flag(Flag::DateTime),
    Field::Flag(Flag::Location),
    Field::Flag(Flag::Name),
    Field::Text(TextField::ExpectedOutput),
    Field::Text(TextField::AdditionalContext),
    Field::Flag(Flag::Memories),
    Field::Flag(Flag::Culture),
    Field::Flag(Flag::SessionSummary),
    Field::Flag(Flag::Learnings),
    Field::Flag(Flag::Knowledge),
    Field::Flag(Flag::SessionState),
];

/// Whether a text of an agent changes with each turn, because it has a placeholder for a value of the session or, if
/// the agent has a state, for a field of it.
pub fn changes_with_turns(text: &str, has_state: bool) -> bool {
    split(text).iter().any(|piece| match piece {
        TextPiece::Words(_) => false,
        TextPiece::Placeholder(path) => has_state || path.starts_with(SESSION_STATE),
    })
}

/// Whether the text of a flag changes with each turn; `None` if only the program knows it.
pub fn flag_changes(flag: Flag) -> Option<bool> {
    match flag {
        Flag::DateTime | Flag::SessionState => Some(true),
        Flag::Markdown | Flag::Name => Some(false),
        Flag::Location
        | Flag::Memories
        | Flag::Culture
        | Flag::SessionSummary
        | Flag::Learnings
        | Flag::Knowledge => None,
    }
}

/// A part of a prompt that changes with each turn, and a part behind it that does not: a provider's cache of the
/// prompt ends before both. As text, it is a warning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UncachedPrompt<'a> {
    agent: &'a str,
    /// The part that changes.
    pub changing: Field,
    same: Field,
}

impl<'a> UncachedPrompt<'a> {
    /// Looks for such parts in the standard order. `changes` says whether the text of a field changes with each turn;
    /// `None` is for fields that the agent does not have, and for those whose text only the program knows.
    pub fn find(agent: &'a str, changes: impl Fn(Field) -> Option<bool>) -> Option<Self> {
        let mut fields = PROMPT_FIELDS.into_iter();
        let changing = fields.find(|field| changes(*field) == Some(true))?;
        let same = fields.find(|field| changes(*field) == Some(false))?;
        Some(Self { agent, changing, same })
    }
}

impl fmt::Display for UncachedPrompt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { agent, changing, same } = self;
        let order = Setting::PromptOrder;
        write!(
            f,
            "in the prompt of `{agent}`, `{changing}` changes with each turn and stands before `{same}`, which does not: \
             a provider caches a request up to its first change, so `{same}` is paid in full in each turn; write \
             `{order}: by_change` to put what changes last, or `{order}: standard` to keep this order"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a11_only_a_part_that_changes_before_one_that_does_not_is_found() {
        let find = |changing: &[&str], same: &[&str]| {
            UncachedPrompt::find("clerk", |field| {
                let has = |list: &[&str]| list.contains(&field.word());
                if has(changing) { Some(true) } else { has(same).then_some(false) }
            })
            .map(|found| (found.changing.word(), found.same.word()))
        };
        assert_eq!(find(&["instruction"], &["role", "description"]), None);
        assert_eq!(find(&["instruction"], &["role", "markdown"]), Some(("instruction", "markdown")));
        assert_eq!(find(&["add_session_state_to_context"], &["instruction", "additional_context"]), None);
        assert_eq!(
            find(&["add_datetime_to_context", "role"], &["instruction"]),
            Some(("role", "instruction"))
        );
        assert_eq!(find(&[], &["instruction", "role"]), None);
    }

    #[test]
    fn a11_a_text_changes_with_the_values_that_fill_its_places() {
        assert!(changes_with_turns("Greet {guest}.", true));
        assert!(!changes_with_turns("Answer as {\"x\": 1}, or as {x}.", false));
        assert!(changes_with_turns("Speak {session_state.language}.", false));
        assert!(!changes_with_turns("Write {{name}}.", true));
    }
}
