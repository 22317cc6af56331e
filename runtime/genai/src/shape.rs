//! The shape of a call's arguments while they come, and what is left of them when a server writes them more than once.

/// The shape of a JSON text that comes in pieces.
#[derive(Default)]
pub(crate) struct Shape {
    /// The first two bytes that are no blanks.
    first: Option<u8>,
    second: Option<u8>,
    depth: usize,
    in_text: bool,
    escaped: bool,
    length: usize,
    /// Where the object ends with which the text begins.
    end: Option<usize>,
}

impl Shape {
    pub(crate) fn new(text: &str) -> Self {
        let mut shape = Self::default();
        shape.read(text);
        shape
    }

    /// The shape of the object with which a text begins, if it begins with one that is closed.
    fn object(text: &str) -> Self {
        let mut shape = Self::default();
        let mut bytes = text.bytes();
        while let Some(byte) = bytes.next().filter(|_| shape.end.is_none()) {
            shape.byte(byte);
        }
        shape
    }

    pub(crate) fn read(&mut self, piece: &str) {
        piece.bytes().for_each(|byte| self.byte(byte));
    }

    fn byte(&mut self, byte: u8) {
        self.length += 1;
        if !byte.is_ascii_whitespace() {
            if self.first.is_none() {
                self.first = Some(byte);
            } else if self.second.is_none() {
                self.second = Some(byte);
            }
        }
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' if self.in_text => self.escaped = true,
            b'"' => self.in_text = !self.in_text,
            b'{' | b'[' if !self.in_text => self.depth += 1,
            b'}' | b']' if !self.in_text => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 && self.first == Some(b'{') && self.end.is_none() {
                    self.end = Some(self.length);
                }
            }
            _ => {}
        }
    }

    /// Whether more than blanks has come.
    pub(crate) fn has_begun(&self) -> bool {
        self.first.is_some()
    }

    /// Whether the text begins with an object that is closed.
    pub(crate) fn is_complete(&self) -> bool {
        self.end.is_some()
    }

    /// How much of the text will stay as it is. `null` and nothing become an empty object, an empty object can be replaced, and what follows
    /// a closed object can be the same object again.
    pub(crate) fn stable_len(&self) -> usize {
        match (self.first, self.second) {
            (None | Some(b'n'), _) | (Some(b'{'), None | Some(b'}')) => 0,
            (Some(_), _) => self.end.unwrap_or(self.length),
        }
    }
}

/// A text without the blanks between its values. Nothing, `null` and an empty object are the same arguments.
pub(crate) fn compact(text: &str) -> String {
    let (mut out, mut in_text, mut escaped) = (String::with_capacity(text.len()), false, false);
    for mark in text.chars() {
        match mark {
            _ if escaped => escaped = false,
            '\\' if in_text => escaped = true,
            '"' => in_text = !in_text,
            _ => {}
        }
        if in_text || !mark.is_ascii_whitespace() {
            out.push(mark);
        }
    }
    if matches!(&*out, "" | "null") { "{}".to_owned() } else { out }
}

/// The arguments in a text in which a server wrote an empty object before them, or the same object again behind them. Any other text stays
/// as it is.
pub(crate) fn without_repetition(mut text: &str) -> &str {
    while let Some(end) = Shape::object(text).end {
        let (object, rest) = text.split_at(end);
        let (object, rest) = (compact(object), rest.trim_start());
        if rest.is_empty() {
            return text;
        }
        if object == "{}" && rest.starts_with('{') {
            text = rest;
            continue;
        }
        let repeats = compact(rest).replace(&object, "").is_empty();
        return if repeats { &text[..end] } else { text };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o3_arguments_that_a_server_repeats_are_written_once() {
        for (text, once) in [
            ("{\"a\": 1}", "{\"a\": 1}"),
            ("{\"a\": 1}{\"a\":1}", "{\"a\": 1}"),
            ("{\"a\": \"}{\"}\n{\"a\": \"}{\"} {\"a\": \"}{\"}", "{\"a\": \"}{\"}"),
            ("{}{\"a\": 1}", "{\"a\": 1}"),
            ("{ } {} {\"a\": 1}{\"a\": 1}", "{\"a\": 1}"),
            ("{}{}", "{}"),
            ("{\"a\": 1}{\"a\": 2}", "{\"a\": 1}{\"a\": 2}"),
            ("{\"a\": 1}{}", "{\"a\": 1}{}"),
            ("{} oops", "{} oops"),
            ("{\"a\": ", "{\"a\": "),
            ("null", "null"),
            ("", ""),
        ] {
            assert_eq!(without_repetition(text), once, "{text}");
        }
    }

    #[test]
    fn o3_what_can_still_change_is_not_stable() {
        for (text, settled) in [
            ("", 0),
            ("nul", 0),
            ("{", 0),
            (" { }", 0),
            ("{}{\"a\": 1}", 0),
            ("{\"a", 3),
            ("{\"a\": 1}", 8),
            ("{\"a\": 1}{\"a", 8),
            ("[1", 2),
        ] {
            assert_eq!(Shape::new(text).stable_len(), settled, "{text}");
        }
    }
}
