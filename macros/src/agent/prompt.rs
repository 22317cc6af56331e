//! The fields of an agent that are parts of its system prompt.

use onionskin_vocabulary::agent::TextField;
use onionskin_vocabulary::placeholders::{SESSION_STATE, TextPiece, split};
use onionskin_vocabulary::{Word as _, messages};
use proc_macro2::{Ident, Span};
use syn::{Expr, ExprLit, Index, Lit, LitStr, Member};

use super::fields::Fields;
use super::model::{PartText, Piece, PromptEntry};
use crate::diag::Errors;

/// The parts that the agent has. With a `system_message` there is no other one.
pub(super) fn entries<'a>(fields: &'a Fields, errors: &mut Errors) -> Vec<PromptEntry<'a>> {
    let replaces = fields.text(TextField::SystemMessage).is_some();
    let mut replaced = |at: &dyn quote::ToTokens| {
        if replaces {
            errors.at(at, messages::REPLACED_PROMPT);
        }
    };
    let mut texts = Vec::new();
    for field in TextField::ALL.iter().filter(|field| **field != TextField::Description) {
        let Some(text) = fields.text(*field) else { continue };
        if *field != TextField::SystemMessage {
            replaced(text);
        }
        texts.push((*field, text));
    }
    let flags: Vec<_> = fields.flags.iter().filter(|(_, flag)| flag.value).collect();
    for (_, flag) in &flags {
        replaced(flag);
    }
    let texts = texts.into_iter().map(|(field, text)| PromptEntry {
        part: field.variant(),
        text: from_expr(text, fields.state.is_some(), errors),
    });
    let texts: Vec<_> = texts.collect();
    let flags =
        flags.into_iter().map(|(flag, _)| PromptEntry { part: flag.variant(), text: PartText::Known });
    texts.into_iter().chain(flags).collect()
}

fn from_expr<'a>(text: &'a Expr, has_state: bool, errors: &mut Errors) -> PartText<'a> {
    match text {
        // Without a state, the runtime looks for the places.
        Expr::Lit(ExprLit { lit: Lit::Str(literal), .. }) if has_state => {
            let pieces = pieces(literal, errors);
            let is_plain = matches!(pieces.as_slice(), [] | [Piece::Words(_)]);
            if is_plain { PartText::Text(text) } else { PartText::Template(literal, pieces) }
        }
        // Rust's functions begin with a small letter, and its constants do not.
        Expr::Path(path)
            if path.path.segments.last().is_some_and(|last| is_function(&last.ident.to_string())) =>
        {
            PartText::Function(path)
        }
        Expr::Closure(_) => PartText::Closure(text),
        text => PartText::Text(text),
    }
}

fn is_function(name: &str) -> bool {
    name.trim_start_matches("r#").starts_with(|first: char| first == '_' || first.is_lowercase())
}

/// Splits a literal at its places, as the runtime does.
fn pieces(literal: &LitStr, errors: &mut Errors) -> Vec<Piece> {
    // With the span of the literal itself, rustc would suggest to replace all of it by a field's name.
    let span = Span::call_site().located_at(literal.span());
    let mut piece = |written| match written {
        TextPiece::Words(words) => Some(Piece::Words(words)),
        TextPiece::Placeholder(path) if path.starts_with(SESSION_STATE) => Some(Piece::Key(path)),
        TextPiece::Placeholder(path) => {
            let fields = path.split('.').map(|part| field(part, span)).collect::<Option<_>>();
            if fields.is_none() {
                let message = format_args!(
                    "`{path}` cannot be the name of a field: name a field of the state, or write `{{{{{path}}}}}` for the text `{{{path}}}`"
                );
                errors.at(literal, message);
            }
            fields.map(Piece::Field)
        }
    };
    split(&literal.value()).into_iter().filter_map(&mut piece).collect()
}

/// The field of this name or number, if there can be one.
fn field(part: &str, span: Span) -> Option<Member> {
    if part.starts_with(|first: char| first.is_ascii_digit()) {
        let index = part.parse().ok().filter(|index: &u32| index.to_string() == part)?;
        return Some(Member::Unnamed(Index { index, span }));
    }
    let ident = syn::parse_str::<Ident>(part).or_else(|_| syn::parse_str(&format!("r#{part}")));
    let mut ident = ident.ok()?;
    ident.set_span(span);
    Some(Member::Named(ident))
}
