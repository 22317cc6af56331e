//! The fields of an agent that are parts of its system prompt.

use onionskin_vocabulary::agent::{Field, Setting, TextField};
use onionskin_vocabulary::placeholders::{ForeignPlaceholder, SESSION_STATE, TextPiece, foreign, split};
use onionskin_vocabulary::prompt::{UncachedPrompt, changes_with_turns, flag_changes};
use onionskin_vocabulary::{Word as _, messages};
use proc_macro2::{Ident, Span};
use quote::ToTokens as _;
use syn::spanned::Spanned as _;
use syn::{Expr, ExprLit, ExprPath, Index, Lit, LitStr, Member};

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
    for (_, flag) in fields.flags.iter().filter(|(_, flag)| flag.value) {
        replaced(flag);
    }
    let texts = texts.into_iter().map(|(field, text)| PromptEntry {
        part: field.variant(),
        text: from_expr(field, text, fields.state.is_some(), errors),
    });
    let texts: Vec<_> = texts.collect();
    let flags = fields.flags.iter().map(|(flag, on)| PromptEntry {
        part: flag.variant(),
        text: if on.value { PartText::Known } else { PartText::LeftOut },
    });
    texts.into_iter().chain(flags).collect()
}

/// The warning about a part that changes with each turn and stands before one that does not, unless the agent says its order. The
/// place is that of the part that changes.
pub(super) fn uncached(agent: &str, fields: &Fields, prompt: &[PromptEntry<'_>]) -> Option<(Span, String)> {
    if fields.settings.iter().any(|(setting, _)| *setting == Setting::PromptOrder) {
        return None;
    }
    let text =
        |field: TextField| prompt.iter().find(|entry| entry.part == field.variant()).map(|entry| &entry.text);
    let has_flag = |flag| fields.flags.iter().find(|(known, value)| *known == flag && value.value);
    let warning = UncachedPrompt::find(agent, |field| match field {
        Field::Text(field) => changes(text(field)?, fields.state.is_some()),
        Field::Flag(flag) => has_flag(flag).and_then(|_| flag_changes(flag)),
        Field::Part(_) | Field::Setting(_) => None,
    })?;
    let span = match warning.changing {
        Field::Text(field) => fields.text(field)?.span(),
        Field::Flag(flag) => has_flag(flag)?.1.span(),
        Field::Part(_) | Field::Setting(_) => return None,
    };
    Some((span, warning.to_string()))
}

/// Whether a text changes with each turn; `None` if only the program knows it.
fn changes(text: &PartText<'_>, has_state: bool) -> Option<bool> {
    match text {
        PartText::Template(..) | PartText::Function(_) | PartText::Closure(_) => Some(true),
        PartText::Text(Expr::Lit(ExprLit { lit: Lit::Str(literal), .. })) => {
            Some(changes_with_turns(&literal.value(), has_state))
        }
        PartText::Text(_) | PartText::Known | PartText::LeftOut => None,
    }
}

fn from_expr<'a>(field: TextField, text: &'a Expr, has_state: bool, errors: &mut Errors) -> PartText<'a> {
    match text {
        // Without a state, the runtime looks for the places.
        Expr::Lit(ExprLit { lit: Lit::Str(literal), .. }) if has_state => {
            for placeholder in foreign(&literal.value()) {
                errors.at(literal, not_here(placeholder));
            }
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
        Expr::Path(path) if is_type(text) => {
            errors.at(path, no_text(field, path));
            PartText::Text(text)
        }
        Expr::Closure(_) => PartText::Closure(text),
        text => PartText::Text(text),
    }
}

/// Returns whether this is named as a type: with capital and small letters, where a constant has capital letters alone.
pub(super) fn is_type(text: &Expr) -> bool {
    let Expr::Path(path) = text else { return false };
    let name = path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase)
}

fn no_text(field: TextField, path: &ExprPath) -> String {
    let ty = path.to_token_stream().to_string().replace(' ', "");
    let name = field.word();
    if field == TextField::ExpectedOutput {
        return format!("`{name}` is text; for answers of a type write `output: {ty}`");
    }
    format!(
        "`{name}` is text, and `{ty}` is named as a type: write `{name}: \"..\"`, a constant or a function"
    )
}

fn is_function(name: &str) -> bool {
    name.trim_start_matches("r#").starts_with(|first: char| first == '_' || first.is_lowercase())
}

/// Says what to write in place of a placeholder of another language.
fn not_here(ForeignPlaceholder { text, inside, path }: ForeignPlaceholder<'_>) -> String {
    let instead = match path {
        Some(path) => format!("write `{{{path}}}` for the field, or"),
        None => "compute such a text with a function, or write".to_owned(),
    };
    format!(
        "`{text}` is not a place, which is the name of a field alone: {instead} `{{{{{inside}}}}}` for the text `{{{inside}}}`"
    )
}

/// Splits a literal at its places, as the runtime does.
pub(super) fn pieces(literal: &LitStr, errors: &mut Errors) -> Vec<Piece> {
    // With the span of the literal itself, rustc would suggest to replace all of it by a field's name.
    let span = Span::call_site().located_at(literal.span());
    let mut piece = |written| match written {
        TextPiece::Words(words) => Some(Piece::Words(words)),
        TextPiece::Placeholder(path) if path.starts_with(SESSION_STATE) => Some(Piece::Key(path)),
        TextPiece::Placeholder(path) => {
            let fields = path.split('.').map(|part| field(part, span)).collect::<Option<_>>();
            if fields.is_none() {
                let instead = match path.strip_prefix("self.") {
                    Some(path) => format!("write `{{{path}}}`, or"),
                    None => "name a field of the state, or write".to_owned(),
                };
                let message = format_args!(
                    "`{path}` cannot be the name of a field: {instead} `{{{{{path}}}}}` for the text `{{{path}}}`"
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
