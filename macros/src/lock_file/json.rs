//! A reader of JSON, as far as the lock file needs it: it checks the syntax of all of it, and keeps keys and kinds of values.

use std::collections::HashSet;

/// The most levels that values nest in. `serde_json` reads as many.
const LEVELS: usize = 127;

/// A value, and where it begins.
#[derive(Debug)]
pub(super) struct Json {
    pub(super) at: usize,
    pub(super) value: Value,
}

#[derive(Debug)]
pub(super) enum Value {
    Null,
    Other,
    Text,
    /// A number as it is written.
    Number(String),
    Object(Vec<(String, Json)>),
}

/// A mistake in the text, and its place.
#[derive(Debug)]
pub(super) struct Mistake {
    pub(super) at: usize,
    pub(super) reason: String,
}

impl Json {
    pub(super) fn mistake(&self, reason: impl Into<String>) -> Mistake {
        Mistake { at: self.at, reason: reason.into() }
    }

    /// The fields of an object. `what` begins the message for another value.
    pub(super) fn object(&self, what: &str) -> Result<&[(String, Json)], Mistake> {
        match &self.value {
            Value::Object(fields) => Ok(fields),
            _ => Err(self.mistake(format!("{what} is an object"))),
        }
    }

    /// The fields with these names of an object that has no others.
    pub(super) fn fields<const N: usize>(
        &self,
        what: &str,
        names: [&str; N],
    ) -> Result<[Option<&Json>; N], Mistake> {
        let fields = self.object(what)?;
        if let Some((name, value)) = fields.iter().find(|(name, _)| !names.contains(&name.as_str())) {
            return Err(value.mistake(format!("{what} has no field {name:?}")));
        }
        Ok(names.map(|name| fields.iter().find(|(field, _)| field == name).map(|(_, value)| value)))
    }
}

/// Reads a text.
pub(super) fn read(text: &str) -> Result<Json, Mistake> {
    let mut reader = Reader { text, at: 0 };
    let json = reader.value(0)?;
    reader.skip();
    if reader.rest().is_empty() { Ok(json) } else { Err(reader.mistake("the file ends before this")) }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn mistake(&self, reason: &str) -> Mistake {
        Mistake { at: self.at, reason: reason.to_owned() }
    }

    fn skip(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    fn take(&mut self, token: &str) -> bool {
        let taken = self.rest().starts_with(token);
        if taken {
            self.at += token.len();
        }
        taken
    }

    fn value(&mut self, level: usize) -> Result<Json, Mistake> {
        self.skip();
        let at = self.at;
        let value = match self.rest().as_bytes().first() {
            Some(b'{' | b'[') if level == LEVELS => return Err(self.mistake("it nests too deeply")),
            Some(b'{') => self.object(level + 1)?,
            Some(b'[') => {
                self.list("[", "]", |reader| reader.value(level + 1).map(drop))?;
                Value::Other
            }
            Some(b'"') => {
                self.text()?;
                Value::Text
            }
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ if self.take("true") || self.take("false") => Value::Other,
            _ if self.take("null") => Value::Null,
            _ => return Err(self.mistake("a value is wanted here")),
        };
        Ok(Json { at, value })
    }

    fn object(&mut self, level: usize) -> Result<Value, Mistake> {
        let (mut fields, mut names) = (Vec::new(), HashSet::new());
        self.list("{", "}", |reader| {
            let at = reader.at;
            let name = reader.text()?;
            if !names.insert(name.clone()) {
                return Err(Mistake { at, reason: format!("the key {name:?} occurs twice") });
            }
            reader.skip();
            if !reader.take(":") {
                return Err(reader.mistake("a `:` is wanted here"));
            }
            fields.push((name, reader.value(level)?));
            Ok(())
        })?;
        Ok(Value::Object(fields))
    }

    /// Elements between two brackets, separated by commas.
    fn list(
        &mut self,
        open: &str,
        close: &str,
        mut element: impl FnMut(&mut Self) -> Result<(), Mistake>,
    ) -> Result<(), Mistake> {
        self.take(open);
        self.skip();
        if self.take(close) {
            return Ok(());
        }
        loop {
            self.skip();
            element(self)?;
            self.skip();
            if self.take(close) {
                return Ok(());
            }
            if !self.take(",") {
                return Err(self.mistake(&format!("a `,` or a `{close}` is wanted here")));
            }
        }
    }

    fn number(&mut self) -> Result<Value, Mistake> {
        let begin = self.at;
        let wrong = |reader: &Self| reader.mistake("this is not a number");
        self.take("-");
        let starts_with_zero = self.rest().starts_with('0');
        let whole = self.digits();
        if whole == 0 || (starts_with_zero && whole > 1) {
            return Err(wrong(self));
        }
        if self.take(".") && self.digits() == 0 {
            return Err(wrong(self));
        }
        if self.take("e") || self.take("E") {
            let _ = self.take("+") || self.take("-");
            if self.digits() == 0 {
                return Err(wrong(self));
            }
        }
        let written = &self.text[begin..self.at];
        match written.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Value::Number(written.to_owned())),
            _ => Err(Mistake { at: begin, reason: "this number is too large".to_owned() }),
        }
    }

    /// Takes digits; says how many.
    fn digits(&mut self) -> usize {
        let count = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        self.at += count;
        count
    }

    fn text(&mut self) -> Result<String, Mistake> {
        if !self.take("\"") {
            return Err(self.mistake("a text in quotes is wanted here"));
        }
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let plain = rest.find(|c: char| matches!(c, '"' | '\\') || c < ' ').unwrap_or(rest.len());
            text.push_str(&rest[..plain]);
            self.at += plain;
            if self.take("\"") {
                return Ok(text);
            }
            if !self.take("\\") {
                return Err(self.mistake("the text does not end"));
            }
            text.push(self.escaped()?);
        }
    }

    /// The character that follows a backslash.
    fn escaped(&mut self) -> Result<char, Mistake> {
        const ESCAPES: [(&str, char); 8] = [
            ("\"", '"'),
            ("\\", '\\'),
            ("/", '/'),
            ("b", '\u{8}'),
            ("f", '\u{c}'),
            ("n", '\n'),
            ("r", '\r'),
            ("t", '\t'),
        ];
        if let Some((_, escaped)) = ESCAPES.into_iter().find(|(written, _)| self.take(written)) {
            return Ok(escaped);
        }
        let first = self.unit()?;
        // A character beyond the first 65,536 is two halves.
        let code = match first {
            0xd800..0xdc00 if self.take("\\") => match self.unit()? {
                second @ 0xdc00..0xe000 => 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00),
                _ => first,
            },
            _ => first,
        };
        char::from_u32(code).ok_or_else(|| self.mistake("this is half a character"))
    }

    /// `u00e9`, as a number.
    fn unit(&mut self) -> Result<u32, Mistake> {
        let digits = self.rest().strip_prefix('u').and_then(|rest| rest.get(..4));
        let digits = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let Some(unit) = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) else {
            return Err(self.mistake("there is no such escape"));
        };
        self.at += 5;
        Ok(unit)
    }
}
