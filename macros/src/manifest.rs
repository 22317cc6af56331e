//! A reader of `Cargo.toml`.
//!
//! It reads the syntax of [TOML 1.0](https://toml.io/en/v1.0.0) as far as a manifest's values can be distinguished: texts, and everything
//! else as it is written. Cargo has read the file before, so a mistake in it needs no message: reading ends at `None`.
//! A crate that reads TOML would be one more to compile in each program, before the macros.

/// A value of a manifest, at its path: `dependencies.kit.package`, or `dependencies.kit.features` for each element.
#[derive(Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) path: Vec<String>,
    pub(crate) value: Value,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Value {
    Text(String),
    /// `true`, a number or a date.
    Other(String),
}

/// The values of a manifest, in their order.
pub(crate) fn entries(manifest: &str) -> Option<Vec<Entry>> {
    let mut reader =
        Reader { rest: manifest.strip_prefix('\u{feff}').unwrap_or(manifest), entries: Vec::new() };
    let mut table = Vec::new();
    loop {
        reader.skip_blank();
        if reader.rest.is_empty() {
            return Some(reader.entries);
        }
        if reader.take("[") {
            let is_array = reader.take("[");
            table = reader.path(&[])?;
            if !reader.take(if is_array { "]]" } else { "]" }) {
                return None;
            }
        } else {
            reader.entry(&table)?;
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
    entries: Vec<Entry>,
}

impl Reader<'_> {
    fn take(&mut self, token: &str) -> bool {
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Skips spaces on this line.
    fn skip_spaces(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    /// Skips spaces, line ends and comments.
    fn skip_blank(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            if !self.rest.starts_with('#') {
                return;
            }
            self.rest = self.rest.split_once('\n').map_or("", |(_, rest)| rest);
        }
    }

    /// `path = value`, in a table.
    fn entry(&mut self, table: &[String]) -> Option<()> {
        let path = self.path(table)?;
        self.take("=").then_some(())?;
        self.skip_spaces();
        self.value(path)
    }

    /// Keys with dots between them, below a table.
    fn path(&mut self, table: &[String]) -> Option<Vec<String>> {
        let mut path = table.to_vec();
        loop {
            self.skip_spaces();
            path.push(self.key()?);
            self.skip_spaces();
            if !self.take(".") {
                return Some(path);
            }
        }
    }

    fn key(&mut self) -> Option<String> {
        if self.rest.starts_with(['"', '\'']) {
            return self.text();
        }
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_')));
        let (key, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        (!key.is_empty()).then(|| key.to_owned())
    }

    fn value(&mut self, path: Vec<String>) -> Option<()> {
        let value = if self.rest.starts_with(['"', '\'']) {
            Value::Text(self.text()?)
        } else if self.take("[") {
            return self.listed("]", |reader| reader.value(path.clone()));
        } else if self.take("{") {
            return self.listed("}", |reader| reader.entry(&path));
        } else {
            let end = self.rest.find([',', ']', '}', '#', '\n', '\r']).unwrap_or(self.rest.len());
            let (written, rest) = self.rest.split_at(end);
            self.rest = rest;
            Value::Other(written.trim_end().to_owned())
        };
        self.entries.push(Entry { path, value });
        Some(())
    }

    /// The elements of an array or of an inline table.
    fn listed(&mut self, end: &str, mut element: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        loop {
            self.skip_blank();
            if self.take(end) {
                return Some(());
            }
            element(self)?;
            self.skip_blank();
            if !self.take(",") && !self.rest.starts_with(end) {
                return None;
            }
        }
    }

    /// A text in one of its four forms.
    fn text(&mut self) -> Option<String> {
        let quotes = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quotes| self.take(quotes))?;
        let is_basic = quotes.starts_with('"');
        let mut text = String::new();
        while !self.take(quotes) {
            let mut rest = self.rest.chars();
            match rest.next()? {
                '\\' if is_basic => text.push(escaped(&mut rest)?),
                c => text.push(c),
            }
            self.rest = rest.as_str();
        }
        // Up to two quotes may be the last characters of a text on several lines.
        while quotes.len() == 3 && self.take(&quotes[..1]) {
            text.push_str(&quotes[..1]);
        }
        Some(text)
    }
}

/// The character that follows a backslash. Names in a manifest need no others than these.
fn escaped(rest: &mut std::str::Chars<'_>) -> Option<char> {
    let hex = |rest: &mut std::str::Chars<'_>, digits| {
        let code: String = rest.by_ref().take(digits).collect();
        char::from_u32(u32::from_str_radix(&code, 16).ok()?)
    };
    match rest.next()? {
        'u' => hex(rest, 4),
        'U' => hex(rest, 8),
        'n' => Some('\n'),
        't' => Some('\t'),
        c => Some(c),
    }
}

#[cfg(test)]
mod tests {
    use super::{Value, entries};

    /// `path=value` for each entry.
    fn read(manifest: &str) -> Option<Vec<String>> {
        let written = |entry: super::Entry| match entry.value {
            Value::Text(text) => format!("{}={text:?}", entry.path.join("/")),
            Value::Other(other) => format!("{}={other}", entry.path.join("/")),
        };
        entries(manifest).map(|entries| entries.into_iter().map(written).collect())
    }

    #[test]
    fn t10_a_manifest_is_read_in_each_form_of_a_value() {
        for (manifest, expected) in [
            ("a = 1 # b = 2\n# c = 3", &["a=1"][..]),
            (
                "\u{feff}[t] # x\na.b = 'c\\d'\r\n\"e.f\".g = \"h\\\"#\\u0069\"",
                &["t/a/b=\"c\\\\d\"", "t/e.f/g=\"h\\\"#i\""],
            ),
            ("[t.'cfg(any(a, b = \"]\"))'.d]\nk = true", &["t/cfg(any(a, b = \"]\"))/d/k=true"]),
            (
                "[ t . u ]\nk = { v = \"1\", f = [ # c\n \"a\", 'b',\n], w.x = false }\nz = {}",
                &["t/u/k/v=\"1\"", "t/u/k/f=\"a\"", "t/u/k/f=\"b\"", "t/u/k/w/x=false"],
            ),
            ("[[bin]]\nname = \"a\"\n[[bin]]\nname = \"b\"", &["bin/name=\"a\"", "bin/name=\"b\""]),
            (
                "a = \"\"\"x\n[dependencies]\nk = \"1\"\n\"\"\"\nb = '''\n'y' '''\nc = \"\"",
                &["a=\"x\\n[dependencies]\\nk = \\\"1\\\"\\n\"", "b=\"\\n'y' \"", "c=\"\""],
            ),
            ("a = [[1, 2], [{ b = 1979-05-27T07:32:00Z }]]", &["a=1", "a=2", "a/b=1979-05-27T07:32:00Z"]),
            ("a = \"\"\"b\"\"\"\"\nc = 1", &["a=\"b\\\"\"", "c=1"]),
            ("", &[]),
        ] {
            assert_eq!(read(manifest).unwrap_or_default(), expected, "{manifest}");
        }
    }

    #[test]
    fn t10_what_is_no_manifest_ends_the_reading() {
        for text in [
            "= = =",
            "[[[",
            "a",
            "a = \"b",
            "a = [1",
            "a = [\"1\" 2]",
            "a = { b }",
            "[a\nb = 1",
            "a = \"\\u12\"",
            "a = \"\\",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
