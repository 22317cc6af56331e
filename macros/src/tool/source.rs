//! The text of a function as its author wrote it, comments in its body and all.

use proc_macro2::{TokenStream, TokenTree};

/// The source of an item. If its tokens are not from one place, for example in another macro, it is the tokens as text.
pub(super) fn text(item: &TokenStream) -> String {
    let is_same = |text: &String| text.parse().is_ok_and(|tokens| same(tokens, item.clone()));
    let candidates = verbatim(item).into_iter().flat_map(|(text, column)| [dedented(&text, column), text]);
    candidates.into_iter().find(is_same).unwrap_or_else(|| item.to_string())
}

/// Returns whether two streams are the same tokens.
fn same(a: TokenStream, b: TokenStream) -> bool {
    let (mut a, mut b) = (a.into_iter(), b.into_iter());
    loop {
        let is_same = match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(TokenTree::Group(a)), Some(TokenTree::Group(b))) => {
                a.delimiter() == b.delimiter() && same(a.stream(), b.stream())
            }
            (Some(a), Some(b)) => a.to_string() == b.to_string(),
            _ => false,
        };
        if !is_same {
            return false;
        }
    }
}

/// The text between the first and the last token, and the column that it begins in. Only the compiler knows it.
fn verbatim(item: &TokenStream) -> Option<(String, usize)> {
    if !proc_macro::is_available() {
        return None;
    }
    let mut text = String::new();
    let mut column = 1;
    let mut last: Option<proc_macro::Span> = None;
    for tree in item.clone() {
        let span = tree.span().unwrap();
        let (start, end) = (span.start(), span.end());
        match last {
            None => column = start.column(),
            Some(last) => {
                let (last_start, last_end) = (last.start(), last.end());
                // A doc comment is several tokens, which all have the span of the comment.
                if place(last_start) == place(start) && place(last_end) == place(end) {
                    continue;
                }
                match start.line().checked_sub(last_end.line())? {
                    0 => text.push_str(&" ".repeat(start.column().checked_sub(last_end.column())?)),
                    _ => {
                        // Between the tokens is a comment, our attribute, or nothing.
                        text.push('\n');
                        text.push_str(&" ".repeat(start.column().saturating_sub(1)));
                    }
                }
            }
        }
        text.push_str(&span.source_text()?);
        last = Some(span);
    }
    Some((text, column))
}

fn place(span: proc_macro::Span) -> (usize, usize) {
    (span.line(), span.column())
}

/// The lines, each moved left by what the first one is indented.
fn dedented(text: &str, column: usize) -> String {
    let indent = column.saturating_sub(1);
    let mut lines = text.split('\n');
    let mut moved = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        let blank = line.len() - line.trim_start_matches(' ').len();
        moved.push('\n');
        moved.push_str(&line[blank.min(indent)..]);
    }
    moved
}
