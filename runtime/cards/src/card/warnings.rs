//! Warnings about a card.

use onionskin_vocabulary::agent::{Field, Setting};
use onionskin_vocabulary::prompt::{UncachedPrompt, changes_with_turns, flag_changes};

use super::model::{Card, Text};
use crate::problem::{CardError, Problem};

impl Card {
    /// Each warning in a line: `cards/pmo.md:3:1: ..`. `agent!` gives the same as warnings of the compiler.
    pub fn warning_lines(&self) -> impl Iterator<Item = String> {
        let error = CardError::new(self.source.clone(), self.uncached_prompt().into_iter().collect());
        error.lines().collect::<Vec<_>>().into_iter()
    }

    /// A part of the prompt that changes with each turn and stands before one that does not, unless the card says its order.
    fn uncached_prompt(&self) -> Option<Problem> {
        if self.setting(Setting::PromptOrder).is_some() {
            return None;
        }
        let warning = UncachedPrompt::find(&self.name.value, |field| match field {
            Field::Text(field) => Some(match self.text(field)? {
                Text::Template(text) => changes_with_turns(&text.value, self.state.is_some()),
                Text::Function(_) => true,
            }),
            Field::Flag(flag) => {
                self.flags.iter().any(|known| known.value == flag).then(|| flag_changes(flag)).flatten()
            }
            Field::Part(_) | Field::Setting(_) => None,
        })?;
        let span = match warning.changing {
            Field::Text(field) => match self.text(field)? {
                Text::Template(text) => text.span.clone(),
                Text::Function(function) => function.span.clone(),
            },
            Field::Flag(flag) => self.flags.iter().find(|known| known.value == flag)?.span.clone(),
            Field::Part(_) | Field::Setting(_) => return None,
        };
        Some(Problem { message: warning.to_string(), span })
    }
}
