//! Finds the forms of secrets in texts, and takes them out.

use std::borrow::Cow;
use std::sync::Arc;

use aho_corasick::AhoCorasick;
use zeroize::Zeroize;

use super::forms::forms;
use super::value::MASK;

/// Masks, from the best one on.
const MASKS: [&str; 3] = [MASK, "[hidden]", "***"];

/// Forms of secrets, ready to be looked for, each with what stands in its place.
pub(crate) struct Needles {
    forms: Vec<Form>,
    /// None if there are too many forms for one: then no text passes.
    automaton: Option<AhoCorasick>,
}

#[derive(Clone)]
struct Form {
    text: String,
    mask: Arc<str>,
}

impl Drop for Form {
    fn drop(&mut self) {
        self.text.zeroize();
    }
}

/// A part of a text that is to be hidden.
struct Found<'n> {
    start: usize,
    end: usize,
    /// How long the longest form in it is.
    length: usize,
    mask: &'n str,
}

impl Needles {
    /// Those of these secrets, each with its mask.
    pub(crate) fn new<'s>(secrets: impl IntoIterator<Item = (&'s [u8], Arc<str>)>) -> Self {
        Self::of(Vec::new(), secrets)
    }

    /// These, and those of more secrets.
    pub(super) fn and<'s>(&self, secrets: impl IntoIterator<Item = &'s [u8]>) -> Self {
        let mask: Arc<str> = MASK.into();
        Self::of(self.forms.clone(), secrets.into_iter().map(|secret| (secret, Arc::clone(&mask))))
    }

    /// These and the others.
    pub(super) fn with(&self, others: &Self) -> Self {
        let new = others.forms.iter().filter(|form| !self.forms.iter().any(|own| own.text == form.text));
        Self::of(self.forms.iter().chain(new).cloned().collect(), [])
    }

    /// Whether all the others are among these.
    pub(super) fn has_all(&self, others: &Self) -> bool {
        others.forms.iter().all(|form| self.forms.iter().any(|own| own.text == form.text))
    }

    fn of<'s>(mut all: Vec<Form>, secrets: impl IntoIterator<Item = (&'s [u8], Arc<str>)>) -> Self {
        for (secret, mask) in secrets {
            for text in forms(secret) {
                if !all.iter().any(|form| form.text == text) {
                    all.push(Form { text, mask: Arc::clone(&mask) });
                }
            }
        }
        let automaton = AhoCorasick::new(all.iter().map(|form| &form.text)).ok();
        if let Some(automaton) = &automaton {
            // A mask that shows a secret gives way to one that shows none: it would be hidden again in every text.
            let free = MASKS.into_iter().find(|mask| !automaton.is_match(mask)).unwrap_or_default();
            for form in all.iter_mut().filter(|form| automaton.is_match(&*form.mask)) {
                form.mask = free.into();
            }
        }
        Self { forms: all, automaton }
    }

    /// Whether all forms of this secret are among these.
    pub(super) fn has(&self, secret: &[u8]) -> bool {
        forms(secret).iter().all(|text| self.forms.iter().any(|form| form.text == *text))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.forms.is_empty()
    }

    /// The text without secrets.
    pub(crate) fn hide<'t>(&self, text: impl Into<Cow<'t, str>>) -> Cow<'t, str> {
        let text = text.into();
        match self.find(&text) {
            Some(found) if found.is_empty() => text,
            Some(found) => Cow::Owned(masked(&text, &found)),
            // Owned, as all that is not the text itself: what is borrowed counts as unchanged.
            None => Cow::Owned(MASK.to_owned()),
        }
    }

    /// Whether a secret stands in the text.
    pub(crate) fn shows(&self, text: &str) -> bool {
        self.automaton.as_ref().is_none_or(|automaton| automaton.is_match(text))
    }

    /// What of a text that goes on can be given away, without its secrets, and from where on it cannot: there a secret
    /// may have begun. None if nothing may be given away at all.
    pub(crate) fn settled(&self, text: &str) -> (String, usize) {
        let Some(mut found) = self.find(text) else { return (String::new(), text.len()) };
        let mut end = self.begun(text);
        while let Some(last) = found.last().filter(|last| last.end > end) {
            end = end.min(last.start);
            found.pop();
        }
        (masked(&text[..end], &found), end)
    }

    /// Where a form begins that the end of the text cuts off; the text's length if there is none.
    pub(super) fn begun(&self, text: &str) -> usize {
        let longest = self.forms.iter().map(|form| form.text.len()).max().unwrap_or(0);
        let starts = text.char_indices().map(|(at, _)| at).rev();
        let starts = starts.take_while(|at| text.len() - at < longest);
        let begun = starts.filter(|at| {
            let rest = &text[*at..];
            self.forms.iter().any(|form| form.text.len() > rest.len() && form.text.starts_with(rest))
        });
        begun.last().unwrap_or(text.len())
    }

    /// What is to be hidden, in order; what overlaps is one.
    fn find<'n>(&'n self, text: &str) -> Option<Vec<Found<'n>>> {
        let matches = self.automaton.as_ref()?.find_overlapping_iter(text);
        let mut found: Vec<_> = matches
            .map(|one| Found {
                start: one.start(),
                end: one.end(),
                length: one.len(),
                mask: &self.forms[one.pattern().as_usize()].mask,
            })
            .collect();
        found.sort_by_key(|one| one.start);
        let mut merged: Vec<Found<'n>> = Vec::new();
        for one in found {
            match merged.last_mut().filter(|last| one.start < last.end) {
                Some(last) => {
                    last.end = last.end.max(one.end);
                    if one.length > last.length {
                        (last.length, last.mask) = (one.length, one.mask);
                    }
                }
                None => merged.push(one),
            }
        }
        Some(merged)
    }
}

fn masked(text: &str, found: &[Found<'_>]) -> String {
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for one in found {
        out.push_str(&text[at..one.start]);
        out.push_str(one.mask);
        at = one.end;
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t8_what_cannot_be_looked_for_does_not_pass() {
        let needles = Needles { forms: Vec::new(), automaton: None };
        let mut text = "anything".to_owned();
        needles.text(&mut text);
        assert_eq!((text.as_str(), &*needles.hide("anything")), (MASK, MASK));
    }

    #[test]
    fn t8_a_secret_that_stands_in_its_own_mask_is_hidden_by_another() {
        let needles = Needles::new([(&b"secret"[..], MASK.into()), (b"hunter2", MASK.into())]);
        let hidden = needles.hide("secret and hunter2");
        assert_eq!(hidden, "[hidden] and [hidden]");
        assert_eq!(needles.and([&b"hidden"[..]]).hide("secret, hidden"), "***, ***");
    }
}
