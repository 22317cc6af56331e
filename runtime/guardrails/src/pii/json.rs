//! Personal data in JSON that arrives in pieces: in its strings, by value, and in its numbers. A text that turns out not to be JSON is a plain text.

use std::borrow::Cow;

use serde::de::IgnoredAny;

use super::Pii;
use super::stream::PiiDeltas;
use onionskin_core::run_hooks::DeltaFilter;

/// What becomes of a number with personal data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbers {
    /// It stays, because what replaces it is not a number.
    Stay,
    /// A string with the kind replaces it.
    Masked,
}

/// Masks the strings of a JSON text. A text that is not JSON, from its beginning or from a place in it, is masked as it is from there on.
pub(super) struct JsonDeltas {
    pii: Pii,
    numbers: Numbers,
    place: Place,
    /// The text outside of strings since the last bracket, comma or colon. It is shown when it is a whole number or word.
    bare: String,
    /// Whether a string comes before it.
    is_after_string: bool,
    /// The escape that has begun.
    escape: String,
}

enum Place {
    Begin,
    Plain(PiiDeltas),
    Outside,
    String(PiiDeltas),
}

impl JsonDeltas {
    pub(super) fn new(pii: Pii, numbers: Numbers) -> Self {
        let (place, bare) = (Place::Begin, String::new());
        Self { pii, numbers, place, bare, is_after_string: false, escape: String::new() }
    }

    fn deltas(&self) -> PiiDeltas {
        PiiDeltas::new(self.pii.clone())
    }

    /// Whether the text is JSON so far, if this character comes next outside of strings.
    fn is_json(&self, next: char) -> bool {
        match next {
            '"' | '{' | '[' => self.bare.trim().is_empty(),
            ':' => self.is_after_string && self.bare.trim().is_empty(),
            '}' | ']' | ',' => self.is_whole(),
            _ => {
                next.is_ascii_alphanumeric() || next.is_ascii_whitespace() || matches!(next, '+' | '-' | '.')
            }
        }
    }

    /// Whether the text outside of strings is a number, a word of JSON, or nothing.
    fn is_whole(&self) -> bool {
        let token = self.bare.trim();
        token.is_empty() || !self.is_after_string && serde_json::from_str::<IgnoredAny>(token).is_ok()
    }

    /// The text outside of strings, as it is shown.
    fn take_bare(&mut self) -> String {
        let bare = std::mem::take(&mut self.bare);
        if self.numbers == Numbers::Stay {
            return bare;
        }
        let token = bare.trim();
        match self.pii.mask(token) {
            Cow::Owned(masked) => bare.replace(token, &format!("\"{masked}\"")),
            Cow::Borrowed(_) => bare,
        }
    }

    /// Takes the rest of a text that is not JSON.
    fn go_on_plainly(&mut self, text: &str) -> String {
        let mut plain = self.deltas();
        let shown = plain.push(&(std::mem::take(&mut self.bare) + text));
        self.place = Place::Plain(plain);
        shown
    }

    /// The first half of a pair whose second half does not follow: it means nothing.
    fn lone_half(&mut self, next: char) -> Option<String> {
        let is_lone = match self.escape.len() {
            6 => next != '\\',
            7 => next != 'u',
            _ => false,
        };
        is_lone.then(|| {
            let rest = self.escape.split_off(6);
            std::mem::replace(&mut self.escape, rest)
        })
    }

    /// Takes a character of an escape. Returns the text that a whole one means.
    fn escaped(&mut self, c: char) -> Option<String> {
        self.escape.push(c);
        let code = self.escape.get(2..6).and_then(|code| u16::from_str_radix(code, 16).ok());
        let length = match (self.escape.as_bytes().get(1), code) {
            (Some(b'u'), Some(0xd800..=0xdbff)) => 12,
            (Some(b'u'), _) => 6,
            _ => 2,
        };
        (self.escape.len() >= length).then(|| {
            let escape = std::mem::take(&mut self.escape);
            serde_json::from_str(&format!("\"{escape}\"")).unwrap_or(escape)
        })
    }
}

/// The text within the quotes of a JSON string.
fn quoted(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    json[1..json.len() - 1].to_owned()
}

impl DeltaFilter for JsonDeltas {
    fn push(&mut self, text: &str) -> String {
        let mut shown = String::new();
        let mut value = String::new();
        for (at, c) in text.char_indices() {
            match self.place {
                Place::Begin if !c.is_whitespace() && !matches!(c, '{' | '[' | '"') => {
                    shown.push_str(&self.go_on_plainly(&text[at..]));
                    return shown;
                }
                Place::Begin if !c.is_whitespace() => self.place = Place::Outside,
                Place::Outside if !self.is_json(c) => {
                    shown.push_str(&self.go_on_plainly(&text[at..]));
                    return shown;
                }
                Place::String(_) => value.extend(self.lone_half(c)),
                Place::Begin | Place::Plain(_) | Place::Outside => {}
            }
            match &mut self.place {
                Place::Plain(plain) => {
                    shown.push_str(&plain.push(&text[at..]));
                    return shown;
                }
                Place::String(string) if c == '"' && self.escape.len() != 1 => {
                    value.push_str(&std::mem::take(&mut self.escape));
                    shown.push_str(&quoted(&(string.push(&value) + string.finish().as_str())));
                    shown.push('"');
                    value.clear();
                    self.place = Place::Outside;
                    self.is_after_string = true;
                }
                Place::String(_) if c == '\\' || !self.escape.is_empty() => {
                    value.extend(self.escaped(c));
                }
                Place::String(_) => value.push(c),
                Place::Outside if matches!(c, '"' | '{' | '}' | '[' | ']' | ',' | ':') => {
                    shown.push_str(&self.take_bare());
                    shown.push(c);
                    self.is_after_string = false;
                    if c == '"' {
                        self.place = Place::String(self.deltas());
                    }
                }
                Place::Begin | Place::Outside => self.bare.push(c),
            }
        }
        if let Place::String(string) = &mut self.place {
            shown.push_str(&quoted(&string.push(&value)));
        }
        shown
    }

    fn finish(&mut self) -> String {
        let escape = std::mem::take(&mut self.escape);
        match std::mem::replace(&mut self.place, Place::Begin) {
            Place::Plain(mut plain) => plain.finish(),
            Place::String(mut string) => quoted(&(string.push(&escape) + string.finish().as_str())),
            Place::Begin | Place::Outside if self.is_whole() => self.take_bare(),
            Place::Begin | Place::Outside => self.pii.mask(&std::mem::take(&mut self.bare)).into_owned(),
        }
    }
}
