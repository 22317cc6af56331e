//! The fields of an agent that are parts of its system prompt.

use syn::{Expr, ExprLit, Lit, LitBool};

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
    let mut replaced = |key: &str, at: &dyn quote::ToTokens| {
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
            replaced(key, text);
            entries.push(PromptEntry { part, text: of_expr(text, fields.state.is_some()) });
        }
    }
    for (key, part, flag) in known {
        if let Some(flag @ LitBool { value: true, .. }) = flag {
            replaced(key, flag);
            entries.push(PromptEntry { part, text: PartText::Known });
        }
    }
    entries
}

fn of_expr(text: &Expr, has_state: bool) -> PartText<'_> {
    match text {
        // Without a state, the runtime looks for the places.
        Expr::Lit(ExprLit { lit: Lit::Str(literal), .. }) if has_state => {
            let pieces = pieces(&literal.value());
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

/// Splits a literal at its places, as `PromptText` of the runtime does.
fn pieces(text: &str) -> Vec<Piece> {
    let (mut pieces, mut words, mut rest) = (Vec::new(), String::new(), text);
    while let Some(at) = rest.find('{') {
        words.push_str(&rest[..at]);
        let behind = &rest[at..];
        if let Some(key) = place(behind, "{{", "}}") {
            words.extend(["{", key, "}"]);
            rest = &behind[key.len() + 4..];
        } else if let Some(key) = place(behind, "{", "}") {
            if !words.is_empty() {
                pieces.push(Piece::Words(std::mem::take(&mut words)));
            }
            pieces.push(match key.strip_prefix("session_state.") {
                Some(_) => Piece::Key(key.to_owned()),
                None => Piece::Field(key.split('.').map(str::to_owned).collect()),
            });
            rest = &behind[key.len() + 2..];
        } else {
            words.push('{');
            rest = &behind[1..];
        }
    }
    words.push_str(rest);
    if !words.is_empty() {
        pieces.push(Piece::Words(words));
    }
    pieces
}

/// The dotted name between these braces, if the text begins with such a place.
fn place<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let (key, _) = text.strip_prefix(open)?.split_once(close)?;
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_name = |part: &str| syn::parse_str::<syn::Ident>(part).is_ok();
    let mut parts = key.split('.').enumerate();
    parts.all(|(at, part)| is_name(part) || at > 0 && is_number(part)).then_some(key)
}
