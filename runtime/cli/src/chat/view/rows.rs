//! Text in the rows of a terminal: words stay whole, and the column of the cursor is known.

use crate::text::char_width;

use super::super::tree::Style;
use super::markdown::Part;

/// Joins characters to one.
const JOINER: char = '\u{200d}';

pub(super) struct Rows {
    has_colours: bool,
    /// The row at whose end the cursor is. If it has a word that is longer than a row, the terminal has broken it.
    row: Vec<(Style, char)>,
    /// The column of the cursor.
    column: usize,
    /// The last word: its place in `row`, its first column, and its columns.
    word: (usize, usize, usize),
    /// The last character that takes columns takes two.
    is_wide: bool,
    /// A space came at the end of a full row: the next word begins another one.
    breaks: bool,
    /// The columns before further rows of the line, and whether words stay whole.
    layout: (usize, bool),
    /// The style of the terminal.
    style: Style,
    /// The end of a row that would be full: a terminal whose cursor is behind the last column moves it in its own way.
    held: Vec<(Style, char)>,
}

impl Rows {
    pub(super) fn new(has_colours: bool) -> Self {
        Self {
            has_colours,
            row: Vec::new(),
            column: 0,
            word: (0, 0, 0),
            is_wide: false,
            breaks: false,
            layout: (0, true),
            style: Style::Plain,
            held: Vec::new(),
        }
    }

    /// Writes text, and follows the cursor.
    pub(super) fn write(&mut self, parts: &[Part], columns: usize, out: &mut String) {
        for (style, c) in std::mem::take(&mut self.held) {
            self.put(style, c, columns, out);
        }
        for part in parts {
            match part {
                Part::Text(style, text) => text.chars().for_each(|c| self.put(*style, c, columns, out)),
                Part::Layout { indent, wraps } => {
                    // Some room is left for the words.
                    self.layout = ((*indent).min(columns / 2), *wraps);
                }
            }
        }
    }

    /// Takes the last character of a full row back, with what belongs to it, and ends its style: something else is written.
    pub(super) fn hold(&mut self, columns: usize, out: &mut String) {
        while self.column >= columns
            && let Some(&(style, last)) = self.row.last()
            && out.ends_with(last)
        {
            out.pop();
            self.row.pop();
            self.held.insert(0, (style, last));
            self.column -= char_width(last).min(self.column);
            if self.word.0 > self.row.len() {
                self.word = (self.row.len(), self.column, 0);
            } else {
                self.word.2 = self.word.2.saturating_sub(char_width(last));
            }
        }
        if std::mem::take(&mut self.breaks) {
            self.held.push((Style::Plain, ' '));
        }
        self.change_style(Style::Plain, out);
    }

    /// The terminal has other columns: it breaks the row anew, and leaves the cursor at the end of it.
    pub(super) fn resize(&mut self, columns: usize) {
        self.column = 0;
        for (_, c) in &self.row {
            self.column = after(self.column, char_width(*c), columns);
        }
        self.word = (self.row.len(), self.column, 0);
    }

    fn put(&mut self, style: Style, c: char, columns: usize, out: &mut String) {
        if c == '\n' {
            self.change_style(Style::Plain, out);
            self.layout = (0, true);
            self.begin_row(out);
            return;
        }
        let width = char_width(c);
        let wraps = self.layout.1;
        if c == ' ' && wraps && (self.breaks || self.column >= columns) {
            self.breaks = true;
            return;
        }
        if self.breaks {
            self.begin_row(out);
        }
        if self.begins_word(c, width) {
            self.word = (self.row.len(), self.column, 0);
        }
        let (start, first, columns_of_word) = self.word;
        if wraps
            && c != ' '
            && self.column + width > columns
            // Else the word is longer than a row, and the terminal breaks it.
            && first > self.layout.0
            && first + columns_of_word == self.column
            && self.layout.0 + columns_of_word + width <= columns
        {
            let word = self.row.split_off(start);
            if !word.is_empty() {
                out.push_str(&format!("\x1b[{}G\x1b[K", first + 1));
            }
            self.begin_row(out);
            for (style, c) in word {
                self.emit(style, c, columns, out);
            }
        }
        self.emit(style, c, columns, out);
    }

    fn begins_word(&self, c: char, width: usize) -> bool {
        let Some((_, last)) = self.row.last() else { return true };
        width > 0 && *last != JOINER && (*last == ' ' || c == ' ' || width == 2 || self.is_wide)
    }

    /// Begins a row of the line, or of another line.
    fn begin_row(&mut self, out: &mut String) {
        out.push_str("\r\n");
        self.row.clear();
        (self.column, self.is_wide, self.breaks) = (0, false, false);
        for _ in 0..self.layout.0 {
            self.row.push((Style::Plain, ' '));
            out.push(' ');
            self.column += 1;
        }
        self.word = (self.row.len(), self.column, 0);
    }

    fn emit(&mut self, style: Style, c: char, columns: usize, out: &mut String) {
        let width = char_width(c);
        self.change_style(style, out);
        self.row.push((style, c));
        out.push(c);
        self.column = after(self.column, width, columns);
        self.word.2 += width;
        if width > 0 {
            self.is_wide = width == 2;
        }
    }

    fn change_style(&mut self, style: Style, out: &mut String) {
        if self.has_colours && style != self.style {
            let code = style.code().map(|code| format!(";{code}")).unwrap_or_default();
            out.push_str(&format!("\x1b[0{code}m"));
        }
        self.style = style;
    }
}

/// The column behind a character. A terminal begins a row with what does not fit.
fn after(column: usize, width: usize, columns: usize) -> usize {
    if column + width > columns { width } else { column + width }
}
