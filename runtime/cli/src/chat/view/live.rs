//! A run at a terminal: the text goes on, and below it the tree is drawn again and again.
//!
//! The cursor rests at the end of the text. So the terminal itself keeps that place when its window changes, and everything below can be
//! cleared whatever it has become.

use std::io::{self, Write};
use std::time::Duration;

use onionskin_core::event::Event;

use super::View;
use super::markdown::{Markdown, Part};
use super::rows::Rows;
use super::transcript::{Piece, Transcript};
use super::tree::{Line, Style, Tree};

const CLEAR_BELOW: &str = "\x1b[J";
const SAVE_CURSOR: &str = "\x1b7";
const RESTORE_CURSOR: &str = "\x1b8";
/// One row down in the same column. At the last row the screen scrolls.
const DOWN: &str = "\x0b";

/// The columns and rows of the smallest window that has a tree.
const LEAST: (usize, usize) = (10, 3);

/// The lines of the tree that stay when the run has ended.
const MOST_AT_END: usize = 50;

pub(in crate::chat) struct Live<W, S> {
    out: W,
    /// Gives the columns and rows of the terminal.
    size: S,
    has_colours: bool,
    tree: Tree,
    transcript: Transcript,
    markdown: Markdown,
    rows: Rows,
    /// The lines that are drawn below, for a terminal of this size.
    drawn: (Vec<Line>, (usize, usize)),
}

impl<W: Write, S: Fn() -> (usize, usize)> Live<W, S> {
    pub(in crate::chat) fn new(out: W, size: S, has_colours: bool) -> Self {
        Self {
            out,
            size,
            has_colours,
            tree: Tree::default(),
            transcript: Transcript::default(),
            markdown: Markdown::default(),
            rows: Rows::new(has_colours),
            drawn: (Vec::new(), (0, 0)),
        }
    }

    #[cfg(test)]
    pub(super) fn out(&self) -> &W {
        &self.out
    }

    fn draw(&mut self, lines: Vec<Line>, size: (usize, usize)) -> io::Result<()> {
        let fresh = self.transcript.take();
        let before = std::mem::replace(&mut self.drawn, (lines, size));
        if fresh.is_empty() && self.drawn == before {
            return Ok(());
        }
        let mut out = String::new();
        if !before.0.is_empty() {
            out.push_str(CLEAR_BELOW);
        }
        if size.0 != before.1.0 {
            self.rows.resize(size.0);
        }
        let parts = self.parts(fresh);
        self.rows.write(&parts, size.0, &mut out);
        if !self.drawn.0.is_empty() {
            self.rows.hold(size.0, &mut out);
            // Rows first: they may scroll the screen, and then the place of the cursor is another one.
            let rows = self.drawn.0.len();
            out.extend(std::iter::repeat_n(DOWN, rows));
            out.push_str(&format!("\x1b[{rows}A{SAVE_CURSOR}"));
            for line in &self.drawn.0 {
                out.push_str("\r\n");
                out.push_str(&line.to_ansi(self.has_colours));
            }
            out.push_str(RESTORE_CURSOR);
        }
        self.out.write_all(out.as_bytes())?;
        self.out.flush()
    }

    /// The text in its styles. Where there are none, what a model marks keeps its marks.
    fn parts(&mut self, fresh: Vec<Piece>) -> Vec<Part> {
        let mut parts = Vec::new();
        for piece in fresh {
            match piece {
                Piece::Said(text) if self.has_colours => self.markdown.push(&text, &mut parts),
                Piece::Said(text) | Piece::Note(text) => parts.push(Part::Text(Style::Plain, text)),
                Piece::Ends => self.markdown.finish(&mut parts),
            }
        }
        parts
    }
}

/// The columns of the tree in a window of this size; none if the window is too small for one.
fn room((columns, rows): (usize, usize)) -> Option<usize> {
    // The last column stays free: a terminal may begin a row after it.
    (columns >= LEAST.0 && rows >= LEAST.1).then(|| columns - 1)
}

fn cut(lines: Vec<Line>, columns: usize) -> Vec<Line> {
    lines.into_iter().map(|line| line.cut(columns)).collect()
}

impl<W: Write, S: Fn() -> (usize, usize)> View for Live<W, S> {
    fn update(&mut self, event: &Event, now: Duration) {
        let shown = self.tree.shows(event.step.scope());
        self.tree.update(event, now);
        self.transcript.update(event, shown);
    }

    fn show(&mut self, now: Duration) -> io::Result<()> {
        let size = (self.size)();
        // Some of the text stays in sight.
        let lines = room(size).map(|columns| cut(self.tree.drawn(now, size.1 * 2 / 3), columns));
        let lines = lines.unwrap_or_default();
        self.draw(lines, size)
    }

    fn cancel(&mut self) {
        self.tree.cancel();
        self.transcript.mute();
    }

    fn pause(&mut self, _: Duration) -> io::Result<()> {
        self.transcript.end_line();
        self.draw(Vec::new(), (self.size)())
    }

    fn end(&mut self, now: Duration) -> io::Result<()> {
        self.pause(now)?;
        if let Some(columns) = room((self.size)()) {
            for line in cut(self.tree.drawn_with_reasons(now, MOST_AT_END, columns), columns) {
                write!(self.out, "{}\r\n", line.to_ansi(self.has_colours))?;
            }
        }
        self.out.flush()
    }
}
