//! The text of a file, and places in it.

use std::ops::Range;
use std::sync::Arc;

/// Where a text comes from, and so what it may name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Origin {
    /// A file of this machine.
    #[default]
    File,
    /// An address on the web.
    Address,
}

/// A file as it was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Source {
    /// The file's path, as messages show it.
    pub name: Arc<str>,
    /// Its text.
    pub text: Arc<str>,
    /// Where it comes from.
    pub origin: Origin,
    /// The files that were joined, if there are several: where each begins in the text, and its name.
    files: Arc<[(usize, Arc<str>)]>,
    /// Whether messages may not show its text: it is no file of an agent, or a link to one elsewhere.
    pub(crate) is_foreign: bool,
}

/// A value and its place: a range of bytes in the text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// The bytes that it was written in.
    pub span: Range<usize>,
}

impl<T> Spanned<T> {
    /// A value at a place.
    pub fn new(value: T, span: Range<usize>) -> Self {
        Self { value, span }
    }

    /// The same place with another value.
    pub fn map<U>(self, map: impl FnOnce(T) -> U) -> Spanned<U> {
        Spanned { value: map(self.value), span: self.span }
    }
}

/// Why nothing of a file is quoted.
const WHY: &str = " (its text is not shown: it is no file of an agent in its folder)";

impl Source {
    /// A file of this name and text.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
            origin: Origin::File,
            files: Arc::default(),
            is_foreign: false,
        }
    }

    /// What an address gave. `name` is the address as messages show it.
    pub fn from_address(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self { origin: Origin::Address, ..Self::new(name, text) }
    }

    /// Several files as one text, so that a place in it is a place in one of them. `name` is that of all of them.
    pub(crate) fn joined(name: impl Into<Arc<str>>, files: &[Self]) -> Self {
        let (mut text, mut starts) = (String::new(), Vec::new());
        for file in files {
            starts.push((text.len(), Arc::clone(&file.name)));
            text.push_str(&file.text);
            text.push('\n');
        }
        let is_foreign = files.iter().any(|file| file.is_foreign);
        Self { files: starts.into(), is_foreign, ..Self::new(name, text) }
    }

    /// The file of a byte: its name, and the bytes of it.
    pub(crate) fn file_at(&self, byte: usize) -> (&str, Range<usize>) {
        let Some(index) = self.files.iter().rposition(|(start, _)| *start <= byte) else {
            return (&self.name, 0..self.text.len());
        };
        let (start, name) = &self.files[index];
        // A joined file ends before the line that was added to it.
        let end = self.files.get(index + 1).map_or(self.text.len(), |(next, _)| *next) - 1;
        (name, *start..end)
    }

    /// The name of the file of a byte.
    pub fn file_of(&self, byte: usize) -> &str {
        self.file_at(byte).0
    }

    /// The place of `{name}` in a text that was written there, and not of `{{name}}`; the whole text if it has escapes in it.
    pub fn place_of(&self, name: &str, text: &Range<usize>) -> Range<usize> {
        let place = format!("{{{name}}}");
        let written = self.text.get(text.clone()).unwrap_or_default();
        let mut found = written.match_indices(&place).map(|(at, _)| at);
        match found.find(|at| !written[..*at].ends_with('{')) {
            Some(at) => text.start + at..text.start + at + place.len(),
            None => text.clone(),
        }
    }

    /// The message about this file as people get it. One about a file of another kind, or one that a link leads to, quotes nothing of it:
    /// a path could put any file of the machine into a log.
    pub fn redacted(&self, message: &str) -> String {
        if !self.is_foreign || message.ends_with(WHY) {
            return message.to_owned();
        }
        let parts = message.split('`').enumerate().map(|(at, part)| {
            let is_quoted = at % 2 == 1;
            if is_quoted && self.text.contains(part) { ".." } else { part }
        });
        parts.collect::<Vec<_>>().join("`") + WHY
    }

    /// What people get in place of words that quote this file in a way of their own, if [`Self::redacted`] quotes nothing of it.
    pub fn withheld(&self, instead: &str) -> Option<String> {
        self.is_foreign.then(|| format!("{instead}{WHY}"))
    }

    /// The line and the column of a byte in its file, both counted from 1; columns count characters.
    pub fn line_and_column(&self, byte: usize) -> (usize, usize) {
        Places::new(self).line_and_column(byte)
    }
}

/// Counts lines and columns of a source. For ascending positions it reads the text once, however many positions there are.
pub struct Places<'s> {
    source: &'s Source,
    /// The first byte of the file, and the byte that was counted to.
    counted: (usize, usize),
    line: usize,
    column: usize,
}

impl<'s> Places<'s> {
    /// Begins at the first byte.
    pub fn new(source: &'s Source) -> Self {
        Self { source, counted: (0, 0), line: 1, column: 1 }
    }

    /// As [`Source::line_and_column`].
    pub fn line_and_column(&mut self, byte: usize) -> (usize, usize) {
        let (_, file) = self.source.file_at(byte);
        let byte = self.source.text.floor_char_boundary(byte).clamp(file.start, file.end);
        let (start, counted) = self.counted;
        if start != file.start || byte < counted {
            (self.counted, self.line, self.column) = ((file.start, file.start), 1, 1);
        }
        for c in self.source.text[self.counted.1..byte].chars() {
            (self.line, self.column) =
                if c == '\n' { (self.line + 1, 1) } else { (self.line, self.column + 1) };
        }
        self.counted.1 = byte;
        (self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::{Places, Source};

    #[test]
    fn c1_places_count_lines_and_characters() {
        let source = Source::new("a.md", "a: 1\nü: 2\n");
        assert_eq!(source.line_and_column(0), (1, 1));
        assert_eq!(source.line_and_column(5), (2, 1));
        assert_eq!(source.line_and_column(7), (2, 2));
        assert_eq!(source.line_and_column(6), (2, 1), "inside of a character");
        assert_eq!(source.line_and_column(1000), (3, 1));
    }

    #[test]
    fn c1_places_in_any_order_are_those_of_each_alone() {
        let files = [Source::new("a.md", "a: 1\nü: 2"), Source::new("b.md", "ö\nb")];
        let joined = Source::joined("both", &files);
        let mut places = Places::new(&joined);
        for byte in (0..20).chain([3, 14, 2, 2]) {
            assert_eq!(places.line_and_column(byte), joined.line_and_column(byte), "{byte}");
        }
        assert_eq!(joined.line_and_column(12), (1, 1));
        assert_eq!(joined.line_and_column(14), (2, 1));
        assert_eq!(joined.line_and_column(15), (2, 2), "the end");
    }
}
