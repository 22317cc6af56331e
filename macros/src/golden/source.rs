//! A program as tokens whose spans behave as the compiler's do.

use proc_macro2::{Group, LexError, Span, TokenStream, TokenTree};

/// Reads a program.
///
/// Stable rustc joins no spans: `Span::join` gives `None`, and `Spanned::span` the span of the first token. Outside of
/// the compiler, proc-macro2 joins any two spans of one text. Here each token is from a text of its own, in which it is
/// at the same line and column.
pub(super) fn tokens(program: &str) -> Result<TokenStream, LexError> {
    Ok(apart(program.parse()?, program))
}

fn apart(tokens: TokenStream, program: &str) -> TokenStream {
    let apart = |mut token: TokenTree| {
        let span = alone(token.span(), program);
        if let TokenTree::Group(group) = &token {
            token = Group::new(group.delimiter(), apart(group.stream(), program)).into();
        }
        token.set_span(span);
        token
    };
    tokens.into_iter().map(apart).collect()
}

/// The same place in a text without the other tokens.
fn alone(span: Span, program: &str) -> Span {
    let (start, end) = (span.start(), span.end());
    let before = "\n".repeat(start.line - 1) + &" ".repeat(start.column);
    let first = |token: &str| {
        let tokens: TokenStream = (before.clone() + token).parse().ok()?;
        Some(tokens.into_iter().next()?.span()).filter(|first| first.start() == start && first.end() == end)
    };
    // The apostrophe of a lifetime has no text of its own: an identifier takes its place.
    first(&program[span.byte_range()])
        .or_else(|| first(&"x".repeat(end.column - start.column)))
        .expect("only an apostrophe has no text")
}
