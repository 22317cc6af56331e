//! Readers of the values of an agent's fields. Each error says what to write.

use onionskin_vocabulary::agent::Setting;
use onionskin_vocabulary::{Word as _, messages};
use proc_macro2::{Ident, Span, TokenTree};
use quote::ToTokens as _;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Expr, ExprLit, ExprPath, Lit, LitStr, Path, Token, Type, braced, bracketed, token};

use super::ast::Word;
use crate::diag::Errors;
use crate::number;

/// An expression that may give text.
pub(super) fn text(input: ParseStream<'_>, key: &str) -> syn::Result<Expr> {
    let expr: Expr = input.parse()?;
    let literal = match &expr {
        Expr::Lit(ExprLit { lit, .. }) => !matches!(lit, Lit::Str(_)),
        other => matches!(other, Expr::Array(_) | Expr::Tuple(_) | Expr::Unary(_)),
    };
    if literal {
        let file = if key == "model" { "" } else { ", `include_str!(\"..\")`" };
        let write = format!("`{key}` must be text: write a string{file}, or an expression that gives one");
        return Err(syn::Error::new_spanned(expr, write));
    }
    Ok(expr)
}

/// A name: that of a model.
pub(super) fn model(input: ParseStream<'_>, setting: Setting) -> syn::Result<Expr> {
    let name = text(input, setting.word())?;
    match &name {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if text.value().trim().is_empty() => {
            Err(syn::Error::new_spanned(&name, messages::empty_name(setting)))
        }
        _ => Ok(name),
    }
}

pub(super) fn string(input: ParseStream<'_>, key: &str) -> syn::Result<LitStr> {
    let expr: Expr = input.parse()?;
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(text),
        other => Err(syn::Error::new_spanned(other, format!("`{key}` must be a string: `{key}: \"..\"`"))),
    }
}

pub(super) fn boolean(input: ParseStream<'_>, key: &str) -> syn::Result<syn::LitBool> {
    let expr: Expr = input.parse()?;
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Bool(value), .. }) => Ok(value),
        other => Err(syn::Error::new_spanned(other, messages::expected_boolean(key))),
    }
}

/// A number, and how it was written.
pub(super) fn number(input: ParseStream<'_>, example: &str) -> syn::Result<(Expr, f64)> {
    let expr: Expr = input.parse()?;
    // `30ms` is a literal of which only the digits would be read.
    if let Some(unit) = number::digits(&expr).and_then(number::unit) {
        let message = format!("{}: `{example}`", number::without(unit));
        return Err(syn::Error::new_spanned(&expr, message));
    }
    let wrong = || syn::Error::new_spanned(&expr, format!("expected a number: `{example}`"));
    let value = number::literal(&expr).ok_or_else(wrong)?;
    Ok((expr, value))
}

/// The path of the function that runs an agent.
pub(super) fn function(input: ParseStream<'_>) -> syn::Result<ExprPath> {
    let expr: Expr = input.parse()?;
    match expr {
        Expr::Path(path) => Ok(path),
        other => {
            let write = "`run` must be the path of a function: write `run: strategy`, and \
                         `async fn strategy(run: &AgentRun, input: String) -> Result<String, RunError>`";
            Err(syn::Error::new_spanned(other, write))
        }
    }
}

pub(super) fn bare(input: ParseStream<'_>, example: &str) -> syn::Result<Ident> {
    if let Ok(ident) = input.call(Ident::parse_any) {
        return Ok(ident);
    }
    // Users of agent cards write strings here.
    let expr: Expr = input.parse()?;
    let word = match &expr {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => text.parse::<Ident>().ok(),
        _ => None,
    };
    let write = match word {
        Some(word) => format!("write `{word}`, without quotes"),
        None => format!("`{example}`"),
    };
    Err(syn::Error::new_spanned(expr, format!("expected a bare word: {write}")))
}

/// A bracketed list. An item that does not parse is reported and passed over.
pub(super) fn list<T>(
    input: ParseStream<'_>,
    key: &Ident,
    example: &str,
    errors: &mut Errors,
    item: impl Fn(ParseStream<'_>) -> syn::Result<T>,
) -> syn::Result<Vec<T>> {
    if !input.peek(token::Bracket) {
        let span = input.parse::<TokenTree>().map_or(key.span(), |found| found.span());
        return Err(syn::Error::new(span, format!("expected a list: `{example}`")));
    }
    let content;
    bracketed!(content in input);
    entries(&content, errors, |content, errors| {
        let item = item(content)?;
        if !content.is_empty() && !content.peek(Token![,]) {
            let found: TokenTree = content.parse()?;
            let message = match found {
                TokenTree::Group(_) => "write the name alone, without this",
                _ => "a comma is missing before this",
            };
            errors.push(found.span(), format_args!("{message}: `{example}`"));
        }
        Ok(item)
    })
}

/// The entries of a group that can be read.
pub(super) fn entries<T>(
    content: ParseStream<'_>,
    errors: &mut Errors,
    read: impl Fn(ParseStream<'_>, &mut Errors) -> syn::Result<T>,
) -> syn::Result<Vec<T>> {
    let mut entries = Vec::new();
    while !content.is_empty() {
        let entry = read(content, errors);
        entries.extend(errors.take(entry));
        to_next_field(content)?;
    }
    Ok(entries)
}

pub(super) fn word(input: ParseStream<'_>) -> syn::Result<Word> {
    if let Ok(ident) = input.call(Ident::parse_any) {
        return Ok(Word { text: ident.unraw().to_string(), span: ident.span() });
    }
    if input.peek(LitStr) {
        let text: LitStr = input.parse()?;
        return Ok(Word { text: text.value(), span: text.span() });
    }
    Err(input
        .error("expected a name; write it as a string if it contains anything but letters, digits and `_`"))
}

/// The value of a header: a literal with places.
pub(super) fn header(input: ParseStream<'_>) -> syn::Result<LitStr> {
    let expr: Expr = input.parse()?;
    let write = match &expr {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => return Ok(text.clone()),
        Expr::Path(_) | Expr::Field(_) => expr.to_token_stream().to_string().replace(' ', ""),
        _ => "user.token".to_owned(),
    };
    let message =
        format!("the value of a header is text with a place for a secret of the state: `\"{{{write}}}\"`");
    Err(syn::Error::new_spanned(expr, message))
}

/// The type of the state, which the builder gives its first value.
pub(super) fn state(input: ParseStream<'_>) -> syn::Result<Type> {
    let written = type_alone(input, "state: Ledger")?;
    match written {
        // What lives as long as the program can be shared by all runs.
        Type::Reference(reference) if reference.lifetime.is_none() => {
            Err(syn::Error::new_spanned(reference, "the agent owns its state: write the type without `&`"))
        }
        written => Ok(written),
    }
}

/// A type, and not a value of it.
fn type_alone(input: ParseStream<'_>, example: &str) -> syn::Result<Type> {
    let wrong = |error: &syn::Error| syn::Error::new(error.span(), format!("expected a type: `{example}`"));
    let written: Type = input.parse().map_err(|error| wrong(&error))?;
    if input.peek(token::Paren) || input.peek(token::Brace) {
        let message = format!("this is a value: write the name of its type alone: `{example}`");
        return Err(syn::Error::new_spanned(written, message));
    }
    Ok(written)
}

/// The type of an input or of an answer, which models write.
pub(super) fn typed(input: ParseStream<'_>, example: &str) -> syn::Result<Type> {
    let written = type_alone(input, example)?;
    let message = match &written {
        Type::Reference(_) => {
            "a value that a model writes cannot be borrowed: write an owned type, such as `String`"
        }
        Type::ImplTrait(_) | Type::TraitObject(_) => {
            "a model writes a value of one concrete type: name the type"
        }
        Type::Slice(slice) => {
            let element = slice.elem.to_token_stream().to_string().replace(' ', "");
            let message = format!("write a list that owns its elements: `Vec<{element}>`");
            return Err(syn::Error::new_spanned(written, message));
        }
        Type::Infer(_) => "expected a type: write its name in place of `_`",
        _ => return Ok(written),
    };
    Err(syn::Error::new_spanned(written, message))
}

pub(super) fn crate_path(input: ParseStream<'_>) -> syn::Result<Path> {
    let wrong = |error: &syn::Error| syn::Error::new(error.span(), "expected a path: `crate: my_onionskin`");
    input.call(Path::parse_mod_style).map_err(|error| wrong(&error))
}

/// `{ key: value, .. }`.
pub(super) fn table(
    input: ParseStream<'_>,
    key: &Ident,
    example: &str,
    errors: &mut Errors,
) -> syn::Result<Vec<(Ident, Expr)>> {
    if !input.peek(token::Brace) {
        let span: Span = input.parse::<TokenTree>().map_or(key.span(), |found| found.span());
        return Err(syn::Error::new(span, format!("expected fields in braces: `{key}: {example}`")));
    }
    let content;
    braced!(content in input);
    entries(&content, errors, |content, _| {
        let name = content.call(Ident::parse_any)?;
        if !content.peek(Token![:]) {
            return Err(syn::Error::new(name.span(), format!("`{name}` needs a value: `{name}: ..`")));
        }
        content.parse::<Token![:]>()?;
        Ok((name, content.parse()?))
    })
}
pub(super) fn skip_all(mut cursor: syn::buffer::Cursor<'_>) -> syn::buffer::Cursor<'_> {
    while let Some((_, next)) = cursor.token_tree() {
        cursor = next;
    }
    cursor
}

/// Passes over the rest of an item, which was reported.
pub(super) fn skip_item(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<TokenTree>()?;
    }
    Ok(())
}

/// Goes on behind the next comma.
pub(super) fn to_next_field(input: ParseStream<'_>) -> syn::Result<()> {
    skip_item(input)?;
    input.parse::<Option<Token![,]>>().map(|_| ())
}
