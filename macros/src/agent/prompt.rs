//! The fields of an agent that are parts of its system prompt.

use onionskin_vocabulary::places::{SESSION_STATE, TextPiece, split};
use proc_macro2::{Ident, Span};
use syn::{Expr, ExprLit, Index, Lit, LitBool, LitStr, Member};

use super::fields::Fields;
use super::model::{PartText, Piece, PromptEntry};
use crate::diag::Errors;

/// The parts that the agent has. With a `system_message` there is no other one.
pub(super) fn entries<'a>(fields: &'a Fields, errors: &mut Errors) -> Vec<PromptEntry<'a>> {
    let texts = [
        ("instruction", "Instructions", &fields.instruction),
        ("role", "Role", &fields.role),
        ("expected_output", "ExpectedOutput", &fields.expected_output),
        ("additional_context", "AdditionalContext", &fields.additional_context),
        ("system_message", "SystemMessage", &fields.system_message),
    ];
    let known = [
        ("markdown", "Markdown", &fields.markdown),
        ("add_datetime_to_context", "DateTime", &fields.add_datetime_to_context),
        ("add_location_to_context", "Location", &fields.add_location_to_context),
        ("add_name_to_context", "Name", &fields.add_name_to_context),
        ("add_session_state_to_context", "SessionState", &fields.add_session_state_to_context),
    ];
    let replaced = |key: &str, at: &dyn quote::ToTokens, errors: &mut Errors| {
        if fields.system_message.is_some() && key != "system_message" {
            let message = format_args!(
                "`system_message` replaces the whole prompt, so this has no effect: keep one of them"
            );
            errors.at(at, message);
        }
    };
    let mut entries = Vec::new();
    for (key, part, text) in texts {
        if let Some(text) = text {
            replaced(key, text, errors);
            entries.push(PromptEntry { part, text: of_expr(text, fields.state.is_some(), errors) });
        }
    }
    for (key, part, flag) in known {
        if let Some(flag @ LitBool { value: true, .. }) = flag {
            replaced(key, flag, errors);
            entries.push(PromptEntry { part, text: PartText::Known });
        }
    }
    entries
}

fn of_expr<'a>(text: &'a Expr, has_state: bool, errors: &mut Errors) -> PartText<'a> {
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
        TextPiece::Place(path) if path.starts_with(SESSION_STATE) => Some(Piece::Key(path)),
        TextPiece::Place(path) => {
            let fields = path.split('.').map(|part| field(part, span)).collect::<Option<_>>();
            if fields.is_none() {
                let message = format_args!(
                    "no type has a field of the name `{path}`: name a field of the state, or write `{{{{{path}}}}}` for the text `{{{path}}}`"
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
