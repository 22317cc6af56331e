//! A page of a text: some of its lines, up to a bound.

/// Collects a page from the pieces of a text.
pub(super) struct Page {
    from: u64,
    lines: u64,
    most: usize,
    /// The number of the line that the next piece continues.
    line: u64,
    /// Whether that line has begun.
    begun: bool,
    pub(super) text: String,
    /// Where the last line begins in `text`.
    start: usize,
    pub(super) end: End,
}

/// How a page ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// With the text.
    WholeText,
    /// Before this line.
    Before(u64),
    /// Within this line, the only one.
    Within(u64),
}

impl Page {
    /// A page of at most so many lines and bytes, which begins at the line `from`, counted from 1.
    pub(super) fn new(from: u64, lines: Option<u64>, most: usize) -> Self {
        let lines = lines.unwrap_or(u64::MAX);
        Self { from, lines, most, line: 1, begun: false, text: String::new(), start: 0, end: End::WholeText }
    }

    /// The number of lines so far.
    pub(super) fn line_count(&self) -> u64 {
        if self.begun { self.line } else { self.line - 1 }
    }

    /// Takes the next piece of the text; `false` if the page is complete.
    pub(super) fn push(&mut self, piece: &str) -> bool {
        for part in piece.split_inclusive('\n') {
            if self.line >= self.from && !self.take(part) {
                return false;
            }
            self.begun = !part.ends_with('\n');
            if !self.begun {
                self.line += 1;
                self.start = self.text.len();
            }
        }
        true
    }

    fn take(&mut self, part: &str) -> bool {
        if self.line - self.from >= self.lines {
            self.end = End::Before(self.line);
            return false;
        }
        if self.text.len() + part.len() <= self.most {
            self.text.push_str(part);
            return true;
        }
        if self.line == self.from {
            self.text.push_str(&part[..part.floor_char_boundary(self.most - self.text.len())]);
            self.end = End::Within(self.line);
        } else {
            self.text.truncate(self.start);
            self.end = End::Before(self.line);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::{End, Page};

    fn page(from: u64, lines: Option<u64>, most: usize, pieces: &[&str]) -> (String, End) {
        let mut page = Page::new(from, lines, most);
        let _ = pieces.iter().all(|piece| page.push(piece));
        (page.text, page.end)
    }

    #[test]
    fn a6_a_page_is_the_same_however_the_text_comes() {
        let text = "one\ntwo\nthree\n\nfive";
        for size in 1..=text.len() {
            let pieces: Vec<_> =
                text.as_bytes().chunks(size).map(|piece| str::from_utf8(piece).unwrap()).collect();
            assert_eq!(page(1, None, 100, &pieces), (text.to_owned(), End::WholeText));
            assert_eq!(page(2, Some(2), 100, &pieces), ("two\nthree\n".to_owned(), End::Before(4)));
            assert_eq!(page(4, Some(2), 100, &pieces), ("\nfive".to_owned(), End::WholeText));
            assert_eq!(page(1, None, 9, &pieces), ("one\ntwo\n".to_owned(), End::Before(3)));
            assert_eq!(page(3, None, 4, &pieces), ("thre".to_owned(), End::Within(3)));
            assert_eq!(page(9, None, 4, &pieces), (String::new(), End::WholeText));
        }
    }

    #[test]
    fn a6_no_character_of_a_long_line_is_cut_in_two() {
        assert_eq!(page(1, None, 3, &["ää\n"]), ("ä".to_owned(), End::Within(1)));
    }
}
