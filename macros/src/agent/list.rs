//! The items of an agent's lists, each read alone.

use onionskin_vocabulary::server_data::PatternField;
use proc_macro2::{Ident, Span, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    Attribute, Expr, Lit, LitStr, Path, PathArguments, PathSegment, Token, bracketed, parenthesized, token,
};

use super::ast::{
    ApprovalEntry, ApprovalRule, Filter, HookEntry, HookItem, ListEntry, Target, ToolboxEntry, Word,
};
use super::value::{skip_all, skip_item, word};
use crate::{policy_entry, suggest};

/// A server, by its name alone.
pub(super) fn server(input: ParseStream<'_>) -> syn::Result<Word> {
    let name = word(input)?;
    let is_command = input.peek(Token![:])
        || input.peek(Token![=])
        || input.peek(token::Brace)
        || input.peek(token::Paren);
    let first = name.text.split_whitespace().next().unwrap_or_default();
    let message = format!(
        "name the server only: its command belongs in `.mcp.json`, or in `.server(\"{first}\", ..)` on the builder"
    );
    if is_command {
        let error = input.error(message);
        skip_item(input)?;
        return Err(error);
    }
    if first.len() < name.text.len() {
        return Err(syn::Error::new(name.span, message));
    }
    Ok(name)
}

/// A child, by its name alone.
pub(super) fn child(input: ParseStream<'_>, key: &str, example: &str) -> syn::Result<ListEntry> {
    let entry = entry(input, key, example)?;
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

/// A glob over what a server has: `get_time`, `get_*`, or a string.
pub(super) fn pattern(input: ParseStream<'_>, field: PatternField) -> syn::Result<Word> {
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
            other => return Err(syn::Error::new(other.span(), field.unquoted())),
        };
        last = Some(input.parse::<TokenTree>()?.span());
        pattern.text.push_str(&part);
    }
    Ok(pattern)
}

/// Returns whether two tokens touch. Outside of the compiler, tokens have no positions to compare.
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
        return Err(syn::Error::new_spanned(other, "only `#[cfg(..)]` is allowed here"));
    }
    Ok(attrs)
}

/// The path of an entry. A type can have arguments: `Shelf<Memory>`, or a path into it.
pub(super) fn entry(input: ParseStream<'_>, key: &str, example: &str) -> syn::Result<ListEntry> {
    let cfgs = cfgs(input)?;
    if input.peek(LitStr) {
        let text: LitStr = input.parse()?;
        let value = text.value();
        let name = value.rsplit([':', '.', '/']).next().unwrap_or_default();
        // The name that other agents call it by is often not that of its type.
        let name = if starts_upper(example) { type_name(name) } else { name.to_owned() };
        let path =
            syn::parse_str::<Ident>(&name).map_or_else(|_| example.to_owned(), |ident| ident.to_string());
        return Err(syn::Error::new(
            text.span(),
            format!("`{key}` takes paths: write `{path}`, without quotes"),
        ));
    }
    let is_closure = input.peek(Token![|]) || input.peek(Token![||]) || input.peek(Token![move]);
    let path = input.parse::<Path>().map_err(|error| {
        let message = if is_closure {
            format!("a list names functions: write the closure as a function with its attribute, and its name here: `{example}`")
        } else {
            format!("expected a name or a path: `{example}`")
        };
        syn::Error::new(error.span(), message)
    })?;
    match path_into_a_type(&path, key, input.peek(token::Paren)) {
        Some(error) => Err(error),
        None => Ok(ListEntry { cfgs, path }),
    }
}

/// The error in a tool, a toolbox or a child that is a path into a type: a value, or a method of a toolbox.
fn path_into_a_type(path: &Path, key: &str, is_called: bool) -> Option<syn::Error> {
    let last = path.segments.last()?.ident.unraw().to_string();
    let ty = path.segments.iter().nth_back(1).filter(|ty| starts_upper(&ty.ident.to_string()))?;
    let is_made = is_called || matches!(&*last, "new" | "default" | "builder");
    let ty = words([ty].into_iter());
    let message = match (key, is_made) {
        ("function_tools", true) => format!(
            "the list constructs the tool: write `{ty}`; pass a value that you construct to `.tool(..)` of the builder"
        ),
        ("function_tools", false) => {
            format!("a method is a tool of its toolbox: name the toolbox, `toolboxes: [{ty}]`")
        }
        ("toolboxes", true) => format!(
            "name the type alone, `toolboxes: [{ty}]`, and pass the object to `.toolbox(..)` of the builder"
        ),
        ("agents", true) => format!("name the agent alone: `agents: [{ty}]`"),
        _ => return None,
    };
    Some(syn::Error::new_spanned(path, message))
}

pub(super) fn starts_upper(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

/// A name as that of a type: `TicketDesk` for `ticket-desk`.
fn type_name(name: &str) -> String {
    let words = name.split(['-', '_']).map(|word| {
        let mut letters = word.chars();
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect::<String>()
    });
    words.collect()
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

/// A built-in tool.
pub(super) fn built_in(input: ParseStream<'_>) -> syn::Result<Word> {
    let mut name = word(input)?;
    if input.peek(Token![::]) {
        let error = input.error("a built-in tool is written with a dot: `shell.execute`");
        skip_item(input)?;
        return Err(error);
    }
    while input.peek(Token![.]) {
        input.parse::<Token![.]>()?;
        let next = word(input)?;
        name.text = format!("{}.{}", name.text, next.text);
        name.span = name.span.join(next.span).unwrap_or(name.span);
    }
    Ok(name)
}

/// A hook with its values and its filter, or the place of dynamic hooks.
pub(super) fn hook(input: ParseStream<'_>, key: &str, example: &str) -> syn::Result<HookItem> {
    if input.peek(Token![...]) || input.peek(Token![..=]) {
        return Err(
            input.error("expected two dots, `..`, for the place of the hooks that are added at run time")
        );
    }
    if input.peek(Token![..]) {
        let dots: Token![..] = input.parse()?;
        return Ok(HookItem::Rest(dots.span()));
    }
    Ok(HookItem::Hook(Box::new(filtered(input, key, example)?)))
}

/// A guardrail with its values and its filter.
pub(super) fn guardrail(input: ParseStream<'_>, key: &str, example: &str) -> syn::Result<HookEntry> {
    if input.peek(Token![..]) {
        return Err(input.error("guardrails that are added at run time come after these: remove the `..`"));
    }
    filtered(input, key, example)
}

/// A hook or a guardrail with its values and its filter.
fn filtered(input: ParseStream<'_>, key: &str, example: &str) -> syn::Result<HookEntry> {
    let (entry, config) = configured(input, key, example)?;
    let what = what(key);
    let filter = filter(input, what)?;
    Ok(HookEntry { entry, config, filter })
}

/// `for [..]` or `except [..]` after an entry; `what` is the word for the entry.
fn filter(input: ParseStream<'_>, what: &str) -> syn::Result<Option<Filter>> {
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
            return Err(syn::Error::new(
                word.span(),
                format!("a {what} takes `for [..]` or `except [..]`, not both"),
            ));
        }
        if !input.peek(token::Bracket) {
            return Err(syn::Error::new(
                word.span(),
                format!("expected a list: `{word} [add_one, server(time)]`"),
            ));
        }
        let content;
        bracketed!(content in input);
        filter = Some(Filter { except, targets: separated(&content)? });
    }
    Ok(filter)
}

/// Calls that need approval: a target alone, or a rule or a reason with a filter.
pub(super) fn approval(input: ParseStream<'_>) -> syn::Result<ApprovalEntry> {
    const EXAMPLE: &str = "write the calls that it concerns";
    let span = input.span();
    if input.peek(LitStr) {
        let reason: LitStr = input.parse()?;
        return match filter(input, "reason")? {
            Some(filter) => Ok(ApprovalEntry { span, rule: ApprovalRule::Because(reason), filter }),
            None => Err(syn::Error::new(
                reason.span(),
                format!("a text is a reason: {EXAMPLE}, `{} for [add_one]`", reason.to_token_stream()),
            )),
        };
    }
    let target: Target = input.parse()?;
    if input.peek(Token![:]) || input.peek(Token![if]) || input.peek(Token![=>]) {
        return Err(input.error("write the rule before its calls: `is_large for [add_one]`"));
    }
    match (filter(input, "rule")?, target) {
        (None, target) => {
            let filter = Filter { except: false, targets: vec![target] };
            Ok(ApprovalEntry { span, rule: ApprovalRule::Always, filter })
        }
        (Some(filter), Target::Path(rule)) => {
            Ok(ApprovalEntry { span, rule: ApprovalRule::Function(rule), filter })
        }
        (
            Some(_),
            Target::Server(_)
            | Target::Source(_)
            | Target::Tool(_)
            | Target::Builtin(_)
            | Target::Everywhere(_),
        ) => Err(syn::Error::new(
            span,
            "only a rule or a reason has a filter: name the calls alone, or write a function of the arguments, `is_large for [add_one]`",
        )),
    }
}

/// What the list of this key holds.
fn what(key: &str) -> &'static str {
    if key.ends_with("_guardrails") { "guardrail" } else { "hook" }
}

/// A hook around runs or turns, or on messages. `sees` is what it gets, for the error about a filter.
pub(super) fn hook_around(
    input: ParseStream<'_>,
    key: &str,
    example: &str,
    sees: &str,
) -> syn::Result<HookEntry> {
    if input.peek(Token![..]) {
        return Err(input.error("hooks that are added at run time come after these: remove the `..`"));
    }
    let (entry, config) = configured(input, key, example)?;
    if input.peek(Token![for]) || input.peek(syn::Ident) && input.fork().call(Ident::parse_any)? == "except" {
        return Err(input.error(format_args!(
            "a {sees}: remove the filter; a hook on some calls belongs in `tool_hooks`"
        )));
    }
    Ok(HookEntry { entry, config, filter: None })
}

/// A hook with its values.
fn configured(input: ParseStream<'_>, key: &str, example: &str) -> syn::Result<(ListEntry, Vec<Expr>)> {
    let entry = entry(input, key, example)?;
    let mut config = Vec::new();
    if input.peek(token::Paren) {
        let content;
        parenthesized!(content in input);
        config = separated(&content).map_err(|error| policy_entry::unread(&error).unwrap_or(error))?;
    } else if input.peek(Lit) {
        let (name, value) = (last_word(&entry.path), input.fork().parse::<Lit>()?);
        let value = value.to_token_stream();
        let what = what(key);
        return Err(input.error(format!("write the values of a {what} in parentheses: `{name}({value})`")));
    }
    if let Some((at, message)) = policy_entry::wrong(what(key), &entry.path, &config) {
        return Err(syn::Error::new_spanned(at, message));
    }
    Ok((entry, config))
}

/// The items of a group, separated by commas. After an error, the rest of the group is passed over.
fn separated<T: Parse>(content: ParseStream<'_>) -> syn::Result<Vec<T>> {
    match Punctuated::<T, Token![,]>::parse_terminated(content) {
        Ok(items) => Ok(items.into_iter().collect()),
        Err(error) => {
            content.step(|cursor| Ok(((), skip_all(*cursor))))?;
            Err(error)
        }
    }
}

pub(super) fn last_word(path: &Path) -> String {
    path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default()
}

/// The items that are the same as an earlier one.
pub(super) fn repeated<T>(items: &[T], is_same: impl Fn(&T, &T) -> bool) -> impl Iterator<Item = &T> {
    let is_repeated =
        move |(index, item): &(usize, &T)| items[..*index].iter().any(|earlier| is_same(earlier, item));
    items.iter().enumerate().filter(is_repeated).map(|(_, item)| item)
}

/// Returns whether two paths have the same words.
pub(super) fn same(a: &Path, b: &Path) -> bool {
    text(a) == text(b)
}

pub(super) fn text(path: &Path) -> String {
    words(path.segments.iter())
}

/// Parts of a path in the user's words, including the paths of type arguments.
pub(super) fn words<'p>(segments: impl Iterator<Item = &'p PathSegment>) -> String {
    let word = |PathSegment { ident, arguments }: &PathSegment| match arguments {
        PathArguments::AngleBracketed(given) => {
            format!(
                "{ident}<{}>",
                given.args.to_token_stream().to_string().replace(' ', "").replace(',', ", ")
            )
        }
        _ => ident.to_string(),
    };
    segments.map(word).collect::<Vec<_>>().join("::")
}
