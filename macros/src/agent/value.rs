//! The values of an agent's fields, each read alone. What is wrong is said with what to write.

use proc_macro2::{Ident, Span, TokenTree};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Path, Token, Type, braced, bracketed, token};

use super::ast::{Entry, Number, RuntimeTool, ToolboxEntry, Word};
use crate::diag::Errors;

/// An expression that may give text.
pub(super) fn text(input: ParseStream<'_>, key: &str) -> syn::Result<Expr> {
    let expr: Expr = input.parse()?;
    let literal = match &expr {
        Expr::Lit(ExprLit { lit, .. }) => !matches!(lit, Lit::Str(_)),
        other => matches!(other, Expr::Array(_) | Expr::Tuple(_) | Expr::Unary(_)),
    };
    if literal {
        let file = if key == "model" { "" } else { ", `include_str!(\"..\")`" };
        let write = format!("`{key}` is text: write a string{file}, or an expression that gives one");
        return Err(syn::Error::new_spanned(expr, write));
    }
    Ok(expr)
}

pub(super) fn string(input: ParseStream<'_>, key: &str) -> syn::Result<LitStr> {
    let expr: Expr = input.parse()?;
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(text),
        other => Err(syn::Error::new_spanned(other, format!("`{key}` is a string: `{key}: \"..\"`"))),
    }
}

pub(super) fn boolean(input: ParseStream<'_>) -> syn::Result<syn::LitBool> {
    let expr: Expr = input.parse()?;
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Bool(value), .. }) => Ok(value),
        other => Err(syn::Error::new_spanned(other, "`default` is `true` or `false`")),
    }
}

pub(super) fn number(input: ParseStream<'_>, example: &str) -> syn::Result<Number> {
    let expr: Expr = input.parse()?;
    let wrong = || syn::Error::new_spanned(&expr, format!("a number is wanted here: `{example}`"));
    let (negative, literal) = match &expr {
        Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Neg(_)) => (true, &*unary.expr),
        other => (false, other),
    };
    let Expr::Lit(literal) = literal else { return Err(wrong()) };
    let suffix = match &literal.lit {
        Lit::Int(int) => int.suffix(),
        Lit::Float(float) => float.suffix(),
        _ => "",
    };
    // `30ms` is a literal of which only the digits would be read.
    if !suffix.is_empty() {
        let message = format!("a plain number is wanted here, without `{suffix}`: `{example}`");
        return Err(syn::Error::new_spanned(&expr, message));
    }
    let value: f64 = match &literal.lit {
        Lit::Int(int) => int.base10_parse().map_err(|_| wrong())?,
        Lit::Float(float) => float.base10_parse().map_err(|_| wrong())?,
        _ => return Err(wrong()),
    };
    Ok(Number { value: if negative { -value } else { value }, span: expr.span() })
}

pub(super) fn bare(input: ParseStream<'_>, example: &str) -> syn::Result<Ident> {
    if let Ok(ident) = input.call(Ident::parse_any) {
        return Ok(ident);
    }
    // A string is what somebody writes who knows the cards.
    let expr: Expr = input.parse()?;
    let word = match &expr {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => text.parse::<Ident>().ok(),
        _ => None,
    };
    let write = match word {
        Some(word) => format!("write `{word}`, without quotes"),
        None => format!("`{example}`"),
    };
    Err(syn::Error::new_spanned(expr, format!("a bare word is wanted here: {write}")))
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
        return Err(syn::Error::new(span, format!("a list is wanted here: `{example}`")));
    }
    let content;
    bracketed!(content in input);
    let mut items = Vec::new();
    while !content.is_empty() {
        match item(&content) {
            Ok(item) => {
                items.push(item);
                if !content.is_empty() && !content.peek(Token![,]) {
                    let found: TokenTree = content.parse()?;
                    let message = match found {
                        TokenTree::Group(_) => "a name stands alone here, without this",
                        _ => "a comma is missing before this",
                    };
                    errors.push(found.span(), format_args!("{message}: `{example}`"));
                }
            }
            Err(error) => errors.add(error),
        }
        to_next_field(&content)?;
    }
    Ok(items)
}

pub(super) fn word(input: ParseStream<'_>) -> syn::Result<Word> {
    if let Ok(ident) = input.call(Ident::parse_any) {
        return Ok(Word { text: ident.unraw().to_string(), span: ident.span() });
    }
    if input.peek(LitStr) {
        let text: LitStr = input.parse()?;
        return Ok(Word { text: text.value(), span: text.span() });
    }
    Err(input.error("a name is wanted here: bare, or as a string if it holds other characters"))
}

/// A server, by its name alone.
pub(super) fn server(input: ParseStream<'_>) -> syn::Result<Word> {
    let name = word(input)?;
    let is_command = input.peek(Token![:])
        || input.peek(Token![=])
        || input.peek(token::Brace)
        || input.peek(token::Paren);
    if is_command {
        let error = input.error(format_args!(
            "name the server only: its command belongs in `.mcp.json`, or in `.server(\"{}\", ..)` on the builder",
            name.text
        ));
        skip_item(input)?;
        return Err(error);
    }
    Ok(name)
}

/// A child, by its name alone.
pub(super) fn child(input: ParseStream<'_>) -> syn::Result<Entry> {
    let entry = entry(input, "agents", "Researcher")?;
    if input.peek(token::Brace) {
        let name = entry.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        let error = input.error(format_args!(
            "name the child only: declare it as an agent of its own, beside this one, and write \
             `agents: [{name}]`"
        ));
        skip_item(input)?;
        return Err(error);
    }
    Ok(entry)
}

/// A glob over the tools of a server: `get_time`, `get_*`, or a string.
pub(super) fn pattern(input: ParseStream<'_>) -> syn::Result<Word> {
    if input.peek(LitStr) {
        return word(input);
    }
    let mut pattern = Word { text: String::new(), span: input.span() };
    let mut last = None;
    while !input.is_empty() && !input.peek(Token![,]) {
        // Two words are two patterns.
        if last.is_some_and(|last| !touch(last, input.span())) {
            break;
        }
        let part = match input.fork().parse::<TokenTree>()? {
            TokenTree::Ident(ident) => ident.unraw().to_string(),
            TokenTree::Punct(punct) if matches!(punct.as_char(), '*' | '?' | '-' | '.') => punct.to_string(),
            TokenTree::Literal(literal) if !input.peek(LitStr) => literal.to_string(),
            other => {
                return Err(syn::Error::new(
                    other.span(),
                    "a tool's name is wanted here, which may hold `*` and `?`; write it as a string if it holds other \
                     characters",
                ));
            }
        };
        last = Some(input.parse::<TokenTree>()?.span());
        pattern.text.push_str(&part);
    }
    Ok(pattern)
}

/// Whether nothing stands between two tokens. Outside of the compiler there are no places to compare.
fn touch(first: Span, second: Span) -> bool {
    if !proc_macro::is_available() {
        return true;
    }
    let (end, start) = (first.unwrap().end(), second.unwrap().start());
    (end.line(), end.column()) == (start.line(), start.column())
}

pub(super) fn cfgs(input: ParseStream<'_>) -> syn::Result<Vec<Attribute>> {
    let attrs = input.call(Attribute::parse_outer)?;
    if let Some(other) = attrs.iter().find(|attr| !attr.path().is_ident("cfg")) {
        return Err(syn::Error::new_spanned(other, "only `#[cfg(..)]` can stand here"));
    }
    Ok(attrs)
}

pub(super) fn entry(input: ParseStream<'_>, key: &str, example: &str) -> syn::Result<Entry> {
    let cfgs = cfgs(input)?;
    if input.peek(LitStr) {
        let text: LitStr = input.parse()?;
        let value = text.value();
        let name = value.rsplit([':', '.', '/']).next().unwrap_or_default();
        let path =
            syn::parse_str::<Ident>(name).map_or_else(|_| example.to_owned(), |ident| ident.to_string());
        return Err(syn::Error::new(
            text.span(),
            format!("`{key}` takes paths: write `{path}`, without quotes"),
        ));
    }
    let path = input.call(Path::parse_mod_style);
    let path = path.map_err(|error| {
        syn::Error::new(error.span(), format!("a name or its path is wanted here: `{example}`"))
    })?;
    if key == "function_tools"
        && let Some(of) = path.segments.iter().rev().nth(1).map(|of| of.ident.to_string())
        && of.starts_with(char::is_uppercase)
    {
        return Err(syn::Error::new_spanned(
            path,
            format!("a method is a tool of its toolbox, whose type is named: `toolboxes: [{of}]`"),
        ));
    }
    Ok(Entry { cfgs, path })
}

/// `Kb`, or `archive: Kb`.
pub(super) fn toolbox(input: ParseStream<'_>) -> syn::Result<ToolboxEntry> {
    let cfgs = cfgs(input)?;
    let prefix = if input.peek(syn::Ident) && input.peek2(Token![:]) && !input.peek2(Token![::]) {
        let prefix = input.parse()?;
        input.parse::<Token![:]>()?;
        Some(prefix)
    } else {
        None
    };
    let mut entry = entry(input, "toolboxes", "Kb")?;
    entry.cfgs.splice(0..0, cfgs);
    Ok(ToolboxEntry { entry, prefix })
}

pub(super) fn state(input: ParseStream<'_>) -> syn::Result<Type> {
    let wrong = |error: &syn::Error| syn::Error::new(error.span(), "a type is wanted here: `state: Ledger`");
    input.parse().map_err(|error| wrong(&error))
}

pub(super) fn crate_path(input: ParseStream<'_>) -> syn::Result<Path> {
    let wrong =
        |error: &syn::Error| syn::Error::new(error.span(), "a path is wanted here: `crate: my_onionskin`");
    input.call(Path::parse_mod_style).map_err(|error| wrong(&error))
}

pub(super) fn runtime_tool(input: ParseStream<'_>) -> syn::Result<RuntimeTool> {
    let first = word(input)?;
    let mut name = first.text;
    let mut span = first.span;
    if input.peek(Token![::]) {
        let error = input.error("a built-in tool is written with a dot: `shell.execute`");
        while !input.is_empty() && !input.peek(Token![,]) {
            input.parse::<TokenTree>()?;
        }
        return Err(error);
    }
    while input.peek(Token![.]) {
        input.parse::<Token![.]>()?;
        let next = word(input)?;
        name = format!("{name}.{}", next.text);
        span = span.join(next.span).unwrap_or(span);
    }
    Ok(RuntimeTool { name, span })
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
        return Err(syn::Error::new(span, format!("fields in braces are wanted here: `{key}: {example}`")));
    }
    let content;
    braced!(content in input);
    let mut fields = Vec::new();
    while !content.is_empty() {
        let field = (|| {
            let name = content.call(Ident::parse_any)?;
            if !content.peek(Token![:]) {
                return Err(syn::Error::new(name.span(), format!("`{name}` needs a value: `{name}: ..`")));
            }
            content.parse::<Token![:]>()?;
            Ok((name, content.parse()?))
        })();
        match field {
            Ok(field) => fields.push(field),
            Err(error) => errors.add(error),
        }
        to_next_field(&content)?;
    }
    Ok(fields)
}
pub(super) fn skip_all(mut cursor: syn::buffer::Cursor<'_>) -> syn::buffer::Cursor<'_> {
    while let Some((_, next)) = cursor.token_tree() {
        cursor = next;
    }
    cursor
}

/// Passes over the rest of an item, which was reported.
fn skip_item(input: ParseStream<'_>) -> syn::Result<()> {
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
