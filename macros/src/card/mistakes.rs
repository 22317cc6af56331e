//! Mistakes that the macro finds in the text of a written `agent!`, at their places in the cards.
//!
//! The compiler gives all tokens of a text the place of the invocation, and a macro cannot make places of its own. It has two of
//! them, the word `card` and the path. So a text with mistakes is checked several times. Each time, every token gets one of the two places, by
//! one bit of the number of its line. The places of an error in all checks are then the bits of its line.

use onionskin_cards::Problem;
use proc_macro2::Span;

use super::card_text::CardText;
use super::invocation::Invocation;
use crate::agent;
use crate::diag::Errors;

/// The mistakes in a text, each with the index of its card. `errors` are the errors of its expansion, wherever they are.
pub(super) fn mistakes(
    card_text: &CardText,
    errors: Errors,
    invocation: &Invocation,
) -> Vec<(usize, Problem)> {
    let [zero, one] = places(invocation);
    let mut found: Vec<(usize, String)> = errors.into_each().map(|error| (0, error.to_string())).collect();
    if found.is_empty() {
        return Vec::new();
    }
    let bits = usize::BITS - card_text.lines().leading_zeros();
    for bit in (0..bits).map(|bit| 1 << bit) {
        let (_, errors) = agent::declared(card_text.tokens(&|line| if line & bit == 0 { zero } else { one }));
        for (error, (line, _)) in errors.into_each().zip(&mut found) {
            if start(error.span()) == start(one) {
                *line |= bit;
            }
        }
    }
    let problem = |(line, message)| {
        let (card, span) = card_text.place(line);
        (card, Problem { message, span })
    };
    found.into_iter().map(problem).collect()
}

/// Two places in the source. They are different also if the invocation is itself in a macro.
fn places(invocation: &Invocation) -> [Span; 2] {
    let (key, path) = (invocation.key, invocation.paths[0].span());
    if proc_macro::is_available() {
        [key.unwrap().start().into(), path.unwrap().end().into()]
    } else {
        [key, path]
    }
}

/// The line and the column at which a place begins.
fn start(span: Span) -> (usize, usize) {
    if proc_macro::is_available() {
        let start = span.unwrap().start();
        return (start.line(), start.column());
    }
    #[cfg(test)]
    return (span.start().line, span.start().column);
    #[cfg(not(test))]
    (0, 0)
}
