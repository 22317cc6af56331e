//! Warnings about a card.

use std::ops::Range;

use onionskin_vocabulary::agent::{Field, Flag, Setting};
use onionskin_vocabulary::prompt::{UncachedPrompt, changes_with_turns, flag_changes};

use super::model::{Card, Text};
use crate::problem::{CardError, Problem};

impl Card {
    /// Each warning in a line: `cards/pmo.md:3:1: ..`. `agent!` gives the same as warnings of the compiler.
    pub fn warning_lines(&self) -> impl Iterator<Item = String> {
        let error = CardError::new(self.source.clone(), self.uncached_prompt().into_iter().collect());
        error.lines().collect::<Vec<_>>().into_iter()
    }

    /// The place of a part of the prompt that is switched on.
    fn flag(&self, flag: Flag) -> Option<&Range<usize>> {
        self.flags.iter().find(|(known, on)| *known == flag && on.value).map(|(_, on)| &on.span)
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
            Field::Flag(flag) => self.flag(flag).and_then(|_| flag_changes(flag)),
            Field::Part(_) | Field::Setting(_) => None,
        })?;
        let span = match warning.changing {
            Field::Text(field) => match self.text(field)? {
                Text::Template(text) => text.span.clone(),
                Text::Function(function) => function.span.clone(),
            },
            Field::Flag(flag) => self.flag(flag)?.clone(),
            Field::Part(_) | Field::Setting(_) => return None,
        };
        Some(Problem { message: warning.to_string(), span })
    }
}
