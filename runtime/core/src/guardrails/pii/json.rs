//! Personal data in JSON that arrives in pieces: in its strings, by value.

use super::Pii;
use super::stream::PiiDeltas;
use crate::run_hook::DeltaFilter;

/// Masks the strings of a JSON text. A text that does not begin as one is masked as it is.
pub(super) struct JsonDeltas {
    pii: Pii,
    place: Place,
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
    pub(super) fn new(pii: Pii) -> Self {
        Self { pii, place: Place::Begin, escape: String::new() }
    }

    fn deltas(&self) -> PiiDeltas {
        PiiDeltas::new(self.pii.clone())
    }

    /// Takes a character of an escape. Returns what a whole one stands for.
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
            if matches!(self.place, Place::Begin) && !c.is_whitespace() {
                let is_json = matches!(c, '{' | '[' | '"');
                self.place = if is_json { Place::Outside } else { Place::Plain(self.deltas()) };
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
                }
                Place::String(_) if c == '\\' || !self.escape.is_empty() => {
                    value.extend(self.escaped(c));
                }
                Place::String(_) => value.push(c),
                Place::Begin | Place::Outside => {
                    shown.push(c);
                    if c == '"' {
                        self.place = Place::String(self.deltas());
                    }
                }
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
            Place::Begin | Place::Outside => String::new(),
        }
    }
}
