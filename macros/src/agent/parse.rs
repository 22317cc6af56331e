//! From tokens to the tree. A field that does not parse is reported and passed over; the others still count.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    Attribute, Expr, ExprLit, Lit, LitStr, Path, Token, Visibility, braced, bracketed, parenthesized, token,
};

use super::ast::{Agent, Entry, Fields, Filter, HookEntry, HookItem, Number, RuntimeTool, Target, Word};
use crate::diag::Errors;
use crate::suggest;

/// The fields that an agent can have.
pub(crate) const KEYS: &[&str] = &[
    "name",
    "description",
    "instruction",
    "servers",
    "tools",
    "function_tools",
    "agents",
    "tool_hooks",
    "runtime",
    "default",
    "model",
    "request_params",
    "limits",
    "history_source",
    "history_merge_target",
    "max_parallel",
    "child_timeout_sec",
    "max_display_instances",
    "state",
    "crate",
];

/// All agents of one invocation.
pub(crate) fn agents(tokens: TokenStream, errors: &mut Errors) -> Vec<Agent> {
    // What was read before an error is kept.
    let mut read = Vec::new();
    let result = Parser::parse2(
        |input: ParseStream<'_>| {
            while !input.is_empty() {
                read.push(agent(input, errors)?);
                let _ = input.parse::<Option<Token![,]>>()?;
            }
            Ok(())
        },
        tokens,
    );
    errors.take(result);
    read
}

fn agent(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Agent> {
    let attrs = input.call(Attribute::parse_outer)?;
    let vis: Visibility = input.parse()?;
    if input.peek(Token![struct]) {
        return Err(input.error("an agent has no keyword: write `pub Name { .. }`"));
    }
    let ident = input.call(Ident::parse_any)?;
    let mut fields = Fields::default();
    if input.peek(token::Brace) {
        let content;
        braced!(content in input);
        read_fields(&content, &mut fields, errors)?;
    } else {
        errors
            .push(ident.span(), format_args!("the fields of the agent follow in braces: `{ident} {{ .. }}`"));
        fields.given.extend(KEYS.iter().map(ToString::to_string));
        // The rest belongs to nobody.
        input.step(|cursor| Ok(((), skip_all(*cursor))))?;
    }
    Ok(Agent { attrs, vis, ident, fields })
}

fn skip_all(mut cursor: syn::buffer::Cursor<'_>) -> syn::buffer::Cursor<'_> {
    while let Some((_, next)) = cursor.token_tree() {
        cursor = next;
    }
    cursor
}

fn read_fields(input: ParseStream<'_>, fields: &mut Fields, errors: &mut Errors) -> syn::Result<()> {
    while !input.is_empty() {
        if let Err(error) = field(input, fields, errors) {
            errors.add(error);
        }
        to_next_field(input)?;
    }
    Ok(())
}

/// Goes on behind the next comma.
fn to_next_field(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<TokenTree>()?;
    }
    input.parse::<Option<Token![,]>>().map(|_| ())
}

fn field(input: ParseStream<'_>, fields: &mut Fields, errors: &mut Errors) -> syn::Result<()> {
    let Ok(key) = input.call(Ident::parse_any) else {
        return Err(input.error("a field is wanted here, such as `instruction: \"..\"`"));
    };
    let name = key.unraw().to_string();
    if !KEYS.contains(&name.as_str()) {
        return Err(syn::Error::new(key.span(), suggest::unknown("field", &name, KEYS)));
    }
    if fields.given.contains(&name) {
        return Err(syn::Error::new(key.span(), format!("`{name}` is given twice; keep one of them")));
    }
    fields.given.push(name.clone());
    if !input.peek(Token![:]) {
        return Err(syn::Error::new(key.span(), format!("`{name}` needs a value: `{name}: ..`")));
    }
    input.parse::<Token![:]>()?;
    if input.is_empty() || input.peek(Token![,]) {
        return Err(syn::Error::new(key.span(), format!("`{name}` needs a value: `{name}: ..`")));
    }
    value(&name, &key, input, fields, errors)
}

fn value(
    name: &str,
    key: &Ident,
    input: ParseStream<'_>,
    fields: &mut Fields,
    errors: &mut Errors,
) -> syn::Result<()> {
    match name {
        "name" => fields.name = Some(string(input, "name")?),
        "description" => fields.description = Some(text(input, "description")?),
        "instruction" => fields.instruction = Some(text(input, "instruction")?),
        "servers" => fields.servers = list(input, key, "servers: [time]", errors, word)?,
        "tools" => fields.tools = tool_filters(input, key, errors)?,
        "function_tools" => {
            fields.function_tools = list(input, key, "function_tools: [add_one]", errors, |input| {
                entry(input, "function_tools", "add_one")
            })?;
        }
        "agents" => {
            fields.agents = list(input, key, "agents: [Researcher]", errors, |input| {
                entry(input, "agents", "Researcher")
            })?;
        }
        "tool_hooks" => fields.tool_hooks = list(input, key, "tool_hooks: [audit]", errors, hook_item)?,
        "runtime" => fields.runtime = list(input, key, "runtime: [shell.execute]", errors, runtime_tool)?,
        "default" => fields.default = Some(boolean(input)?),
        "model" => fields.model = Some(text(input, "model")?),
        "request_params" => fields.request_params = table(input, key, "{ temperature: 0.2 }", errors)?,
        "limits" => fields.limits = table(input, key, "{ turns: 10 }", errors)?,
        "history_source" => fields.history_source = Some(bare(input, "history_source: none")?),
        "history_merge_target" => {
            fields.history_merge_target = Some(bare(input, "history_merge_target: none")?);
        }
        "max_parallel" => fields.max_parallel = Some(number(input, "max_parallel: 4")?),
        "child_timeout_sec" => fields.child_timeout_sec = Some(number(input, "child_timeout_sec: 120")?),
        "max_display_instances" => {
            fields.max_display_instances = Some(number(input, "max_display_instances: 20")?);
        }
        "state" => fields.state = Some(input.parse()?),
        "crate" => fields.crate_path = Some(input.parse()?),
        _ => {}
    }
    Ok(())
}

/// An expression that may give text.
fn text(input: ParseStream<'_>, key: &str) -> syn::Result<Expr> {
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

fn string(input: ParseStream<'_>, key: &str) -> syn::Result<LitStr> {
    let expr: Expr = input.parse()?;
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(text),
        other => Err(syn::Error::new_spanned(other, format!("`{key}` is a string: `{key}: \"..\"`"))),
    }
}

fn boolean(input: ParseStream<'_>) -> syn::Result<syn::LitBool> {
    let expr: Expr = input.parse()?;
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Bool(value), .. }) => Ok(value),
        other => Err(syn::Error::new_spanned(other, "`default` is `true` or `false`")),
    }
}

fn number(input: ParseStream<'_>, example: &str) -> syn::Result<Number> {
    let expr: Expr = input.parse()?;
    let wrong = || syn::Error::new_spanned(&expr, format!("a number is wanted here: `{example}`"));
    let (negative, literal) = match &expr {
        Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Neg(_)) => (true, &*unary.expr),
        other => (false, other),
    };
    let Expr::Lit(literal) = literal else { return Err(wrong()) };
    let value: f64 = match &literal.lit {
        Lit::Int(int) => int.base10_parse().map_err(|_| wrong())?,
        Lit::Float(float) => float.base10_parse().map_err(|_| wrong())?,
        _ => return Err(wrong()),
    };
    Ok(Number { value: if negative { -value } else { value }, span: expr.span() })
}

fn bare(input: ParseStream<'_>, example: &str) -> syn::Result<Ident> {
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
fn list<T>(
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
                    errors.push(found.span(), format_args!("a comma is missing before this: `{example}`"));
                }
            }
            Err(error) => errors.add(error),
        }
        to_next_field(&content)?;
    }
    Ok(items)
}

fn word(input: ParseStream<'_>) -> syn::Result<Word> {
    if let Ok(ident) = input.call(Ident::parse_any) {
        return Ok(Word { text: ident.unraw().to_string(), span: ident.span() });
    }
    match input.parse::<LitStr>() {
        Ok(text) => Ok(Word { text: text.value(), span: text.span() }),
        Err(_) => {
            Err(input.error("a name is wanted here: bare, or as a string if it holds other characters"))
        }
    }
}

fn tool_filters(
    input: ParseStream<'_>,
    key: &Ident,
    errors: &mut Errors,
) -> syn::Result<Vec<(Word, Vec<Word>)>> {
    let example = "tools: { time: [get_time] }";
    if !input.peek(token::Brace) {
        let span = input.parse::<TokenTree>().map_or(key.span(), |found| found.span());
        return Err(syn::Error::new(
            span,
            format!(
                "`tools` chooses among the tools of MCP servers: `{example}`; functions stand in `function_tools`"
            ),
        ));
    }
    let content;
    braced!(content in input);
    let mut filters = Vec::new();
    while !content.is_empty() {
        let filter = (|| {
            let server = word(&content)?;
            if !content.peek(Token![:]) {
                return Err(syn::Error::new(
                    server.span,
                    format!("the tools of this server follow: `{example}`"),
                ));
            }
            content.parse::<Token![:]>()?;
            let at = Ident::new("tools", server.span);
            Ok((server, list(&content, &at, example, errors, word)?))
        })();
        match filter {
            Ok(filter) => filters.push(filter),
            Err(error) => errors.add(error),
        }
        to_next_field(&content)?;
    }
    Ok(filters)
}

fn cfgs(input: ParseStream<'_>) -> syn::Result<Vec<Attribute>> {
    let attrs = input.call(Attribute::parse_outer)?;
    if let Some(other) = attrs.iter().find(|attr| !attr.path().is_ident("cfg")) {
        return Err(syn::Error::new_spanned(other, "only `#[cfg(..)]` can stand here"));
    }
    Ok(attrs)
}

fn entry(input: ParseStream<'_>, key: &str, example: &str) -> syn::Result<Entry> {
    let cfgs = cfgs(input)?;
    if let Ok(text) = input.parse::<LitStr>() {
        let value = text.value();
        let name = value.rsplit([':', '.', '/']).next().unwrap_or_default();
        let path =
            syn::parse_str::<Ident>(name).map_or_else(|_| example.to_owned(), |ident| ident.to_string());
        return Err(syn::Error::new(
            text.span(),
            format!("`{key}` takes paths: write `{path}`, without quotes"),
        ));
    }
    Ok(Entry { cfgs, path: path(input)? })
}

fn path(input: ParseStream<'_>) -> syn::Result<Path> {
    input.call(Path::parse_mod_style).map_err(|error| syn::Error::new(error.span(), "a path is wanted here"))
}

fn hook_item(input: ParseStream<'_>) -> syn::Result<HookItem> {
    if input.peek(Token![..]) {
        let dots: Token![..] = input.parse()?;
        return Ok(HookItem::Rest(dots.span()));
    }
    let entry = entry(input, "tool_hooks", "audit")?;
    let mut config = Vec::new();
    if input.peek(token::Paren) {
        let content;
        parenthesized!(content in input);
        config = Punctuated::<Expr, Token![,]>::parse_terminated(&content)?.into_iter().collect();
    }
    let mut filter: Option<Filter> = None;
    while input.peek(Token![for]) || input.peek(syn::Ident) {
        let word = input.call(Ident::parse_any)?;
        let except = match word.to_string().as_str() {
            "for" => false,
            "except" => true,
            other => {
                return Err(syn::Error::new(
                    word.span(),
                    suggest::unknown("word", other, &["for", "except"]),
                ));
            }
        };
        if filter.is_some() {
            return Err(syn::Error::new(word.span(), "a hook takes one of `for [..]` and `except [..]`"));
        }
        if !input.peek(token::Bracket) {
            return Err(syn::Error::new(
                word.span(),
                format!("a list follows: `{word} [add_one, server(time)]`"),
            ));
        }
        let content;
        bracketed!(content in input);
        let targets = Punctuated::<Target, Token![,]>::parse_terminated(&content)?.into_iter().collect();
        filter = Some(Filter { except, targets });
    }
    Ok(HookItem::Hook(Box::new(HookEntry { entry, config, filter })))
}

impl Parse for Target {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek2(Token![.]) {
            return Ok(Self::Runtime(runtime_tool(input)?));
        }
        let path = path(input)?;
        if !input.peek(token::Paren) {
            return Ok(Self::Path(path));
        }
        let content;
        parenthesized!(content in input);
        let inner = word(&content)?;
        if path.is_ident("server") {
            Ok(Self::Server(inner))
        } else if path.is_ident("source") {
            Ok(Self::Source(inner))
        } else {
            Err(syn::Error::new_spanned(path, "a filter names tools, `server(time)` or `source(mcp)`"))
        }
    }
}

fn runtime_tool(input: ParseStream<'_>) -> syn::Result<RuntimeTool> {
    let first = word(input)?;
    let mut name = first.text;
    let mut span = first.span;
    while input.peek(Token![.]) {
        input.parse::<Token![.]>()?;
        let next = word(input)?;
        name = format!("{name}.{}", next.text);
        span = span.join(next.span).unwrap_or(span);
    }
    Ok(RuntimeTool { name, span })
}

/// `{ key: value, .. }`.
fn table(
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
