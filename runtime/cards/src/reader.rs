//! Reads the values of fields, and notes each mistake at its place.

use std::ops::Range;

use onionskin_vocabulary::messages::expected_boolean;
use onionskin_vocabulary::settings::{COUNT, Number};
use onionskin_vocabulary::{Word, unknown};

use crate::problem::Problem;
use crate::source::Spanned;
use crate::yaml::{Key, MOST_ITEMS, Node, Value};

/// Collects the mistakes of a card, so that all of them are shown at once.
#[derive(Default)]
pub(crate) struct Reader {
    pub(crate) problems: Vec<Problem>,
}

/// A field whose value is read.
#[derive(Clone, Copy)]
pub(crate) struct Field<'n> {
    pub(crate) key: &'n Key,
    pub(crate) value: &'n Node,
}

impl Field<'_> {
    pub(crate) fn name(&self) -> &str {
        &self.key.value
    }

    /// The place of the value, or of the key if the value is empty.
    pub(crate) fn place(&self) -> Range<usize> {
        if self.value.span.is_empty() { self.key.span.clone() } else { self.value.span.clone() }
    }
}

/// The mistake of a value that is not this number; `example` is the field with one.
pub(crate) fn number_mistake(name: &str, kind: Number, value: &Value, example: &str) -> Option<String> {
    match finite(value) {
        // `1e3` is a number with a fraction for serde and in Rust.
        Some(number) => {
            kind.mistake(name, number, value.number().and_then(|number| number.as_u64()), example)
        }
        None => Some(expected_number(example)),
    }
}

fn finite(value: &Value) -> Option<f64> {
    value.number()?.as_f64().filter(|number| number.is_finite())
}

fn expected_number(example: &str) -> String {
    format!("expected a number: `{example}`")
}

/// The most mistakes of a card that are kept.
const MOST_PROBLEMS: usize = 1_000;

impl Reader {
    /// Notes a mistake. Of very many, the first ones are enough.
    pub(crate) fn note(&mut self, span: &Range<usize>, message: impl Into<String>) {
        if self.problems.len() == MOST_PROBLEMS {
            return;
        }
        self.problems.push(Problem { message: message.into(), span: span.clone() });
    }

    /// Notes a mistake in the value of a field.
    fn wrong<T>(&mut self, field: Field<'_>, message: impl Into<String>) -> Option<T> {
        self.note(&field.place(), message);
        None
    }

    pub(crate) fn text(&mut self, field: Field<'_>) -> Option<Spanned<String>> {
        let name = field.name();
        match &field.value.value {
            Value::Scalar(scalar) => match scalar.string() {
                Some(text) => Some(Spanned::new(text.to_owned(), field.value.span.clone())),
                None if scalar.is_null() => {
                    self.wrong(field, format!("`{name}` needs a value: `{name}: ..`"))
                }
                None => self
                    .wrong(field, format!("`{name}` must be text: write `\"{}\"`, with quotes", scalar.text)),
            },
            Value::List(_) | Value::Map(_) => {
                self.wrong(field, format!("`{name}` must be text: `{name}: \"..\"`"))
            }
        }
    }

    /// A text that is not empty.
    pub(crate) fn filled(&mut self, field: Field<'_>) -> Option<Spanned<String>> {
        let text = self.text(field)?;
        if text.value.trim().is_empty() {
            let name = field.name();
            return self.wrong(field, format!("`{name}` is empty: write a text"));
        }
        Some(text)
    }

    pub(crate) fn boolean(&mut self, field: Field<'_>) -> Option<Spanned<bool>> {
        if let Value::Scalar(scalar) = &field.value.value
            && let Some(boolean) = scalar.boolean()
        {
            return Some(Spanned::new(boolean, field.value.span.clone()));
        }
        self.wrong(field, expected_boolean(field.name()))
    }

    /// A number; `example` is the field with one.
    pub(crate) fn number(&mut self, field: Field<'_>, example: &str) -> Option<Spanned<f64>> {
        match finite(&field.value.value) {
            Some(number) => Some(Spanned::new(number, field.value.span.clone())),
            None => self.wrong(field, expected_number(example)),
        }
    }

    /// A whole number from 1.
    pub(crate) fn whole(&mut self, field: Field<'_>, example: &str) -> Option<Spanned<u64>> {
        if let Some(message) = number_mistake(field.name(), COUNT, &field.value.value, example) {
            return self.wrong(field, message);
        }
        let number = field.value.value.number()?.as_u64()?;
        Some(Spanned::new(number, field.value.span.clone()))
    }

    /// One of these words.
    pub(crate) fn word(&mut self, field: Field<'_>, words: &[&'static str]) -> Option<Spanned<&'static str>> {
        if let Value::Scalar(scalar) = &field.value.value
            && scalar.string().is_none()
            && !scalar.is_null()
        {
            return self.wrong(field, unknown("value", &scalar.text, words));
        }
        let text = self.text(field)?;
        match words.iter().find(|word| **word == text.value) {
            Some(word) => Some(Spanned::new(*word, text.span)),
            None => self.wrong(field, unknown("value", &text.value, words)),
        }
    }

    /// A word of a list of the vocabulary.
    pub(crate) fn choice<W: Word>(&mut self, field: Field<'_>) -> Option<Spanned<W>> {
        let Spanned { value, span } = self.word(field, W::WORDS)?;
        W::from_word(value).map(|word| Spanned::new(word, span))
    }

    /// The items of a list; `example` is the field with one.
    pub(crate) fn list<'n>(&mut self, field: Field<'n>, example: &str) -> &'n [Node] {
        match &field.value.value {
            Value::List(items) if items.len() > MOST_ITEMS => {
                self.note(
                    &items[MOST_ITEMS].span,
                    format!("a list must have at most {MOST_ITEMS} items here"),
                );
                &[]
            }
            Value::List(items) => items,
            Value::Scalar(_) | Value::Map(_) => {
                self.note(&field.place(), format!("expected a list: `{example}`"));
                &[]
            }
        }
    }

    /// The entries of a map; `example` is the field with one.
    pub(crate) fn map<'n>(&mut self, field: Field<'n>, example: &str) -> &'n [(Key, Node)] {
        match &field.value.value {
            Value::Map(entries) => entries,
            Value::Scalar(_) | Value::List(_) => {
                self.note(&field.place(), format!("expected fields: `{example}`"));
                &[]
            }
        }
    }

    /// An item of a list that is a name.
    pub(crate) fn name(&mut self, item: &Node, example: &str) -> Option<Spanned<String>> {
        if let Value::Scalar(scalar) = &item.value
            && !scalar.is_null()
            && !scalar.text.is_empty()
        {
            return Some(Spanned::new(scalar.text.clone(), item.span.clone()));
        }
        self.note(&item.span, format!("expected a name: `{example}`"));
        None
    }
}
