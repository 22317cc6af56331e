//! From tokens to the tree. A field that does not parse is reported and passed over; the others still count.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Lit, LitStr, Path, Token, Visibility, braced, bracketed, parenthesized, token};

use super::ast::{Agent, Fields, Filter, HookEntry, HookItem, Word};
use super::check::{LIMITS, REQUEST_PARAMS};
use super::value::{
    bare, boolean, child, crate_path, entry, list, number, pattern, runtime_tool, server, skip_all, state,
    string, table, text, to_next_field, toolbox, word,
};
use crate::diag::Errors;
use crate::{suggest, written};

/// The fields that an agent can have.
pub(crate) const KEYS: &[&str] = &[
    "name",
    "description",
    "instruction",
    "servers",
    "tools",
    "function_tools",
    "toolboxes",
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
    "effect",
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
                let one = agent(input, read.last(), errors)?;
                read.push(one);
                let _ = input.parse::<Option<Token![,]>>()?;
                if let Some(semicolon) = input.parse::<Option<Token![;]>>()? {
                    errors.at(semicolon, "agents stand one after the other, with nothing between them");
                }
            }
            Ok(())
        },
        tokens,
    );
    errors.take(result);
    read
}

fn agent(input: ParseStream<'_>, before: Option<&Agent>, errors: &mut Errors) -> syn::Result<Agent> {
    let attrs = input.call(Attribute::parse_outer)?;
    let vis: Visibility = input.parse()?;
    // Keywords are no `Ident` here.
    if !input.peek(syn::Ident) && input.peek2(syn::Ident) {
        let keyword: TokenTree = input.parse()?;
        errors.at(keyword, "an agent has no keyword: write `Name { .. }`, or `pub Name { .. }`");
    }
    let ident = input.call(Ident::parse_any)?;
    let mut fields = Fields::default();
    if input.peek(Token![:]) && !input.peek(Token![::]) {
        let error = outside_of_braces(&ident, input, before);
        input.step(|cursor| Ok(((), skip_all(*cursor))))?;
        return Err(error);
    }
    if input.peek(Token![<]) {
        errors.push(input.span(), format_args!("an agent has no parameters: write `{ident} {{ .. }}`"));
        while !input.is_empty() && !input.peek(token::Brace) {
            input.parse::<TokenTree>()?;
        }
    }
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

/// `word:` where an agent's name and its braces are wanted.
fn outside_of_braces(word: &Ident, input: ParseStream<'_>, before: Option<&Agent>) -> syn::Error {
    let message = if input.peek2(token::Brace) && !KEYS.contains(&word.unraw().to_string().as_str()) {
        format!("write an agent's name without a colon: `{word} {{ .. }}`")
    } else if let Some(before) = before {
        let agent = &before.ident;
        format!("`{word}` is behind the closing brace of the agent `{agent}`: move it before the brace")
    } else {
        "the fields of an agent belong in braces, after its name: `Helper { .. }`".to_owned()
    };
    syn::Error::new(word.span(), message)
}

fn read_fields(input: ParseStream<'_>, fields: &mut Fields, errors: &mut Errors) -> syn::Result<()> {
    while !input.is_empty() {
        match field(input, fields, errors) {
            Ok(()) if !input.is_empty() && !input.peek(Token![,]) => {
                let message = if input.peek(Token![;]) {
                    "a field ends with a comma: write `,` instead of this"
                } else {
                    "a comma is missing before this, after the field"
                };
                errors.push(input.span(), message);
            }
            Ok(()) => {}
            Err(error) => errors.add(error),
        }
        to_next_field(input)?;
    }
    Ok(())
}

fn field(input: ParseStream<'_>, fields: &mut Fields, errors: &mut Errors) -> syn::Result<()> {
    if input.peek(LitStr) {
        let quoted: LitStr = input.parse()?;
        let name = quoted.value();
        let message = format!("a field's name stands without quotes: write `{name}`");
        fields.given.push(name);
        return Err(syn::Error::new(quoted.span(), message));
    }
    let Ok(key) = input.call(Ident::parse_any) else {
        return Err(input.error("a field is wanted here, such as `instruction: \"..\"`"));
    };
    let name = key.unraw().to_string();
    if !KEYS.contains(&name.as_str()) {
        return Err(syn::Error::new(key.span(), unknown_field(&name, fields)));
    }
    if fields.given.contains(&name) {
        return Err(syn::Error::new(key.span(), format!("`{name}` is given twice; keep one of them")));
    }
    fields.given.push(name.clone());
    if !input.is_empty() && !input.peek(Token![,]) && !input.peek(Token![:]) {
        let message = if input.peek(Token![=]) {
            format!("a field has a colon: write `{name}: ..`")
        } else {
            format!("a colon is missing before this: `{name}: ..`")
        };
        return Err(syn::Error::new(input.span(), message));
    }
    let colon = input.parse::<Option<Token![:]>>()?;
    if colon.is_none() || input.is_empty() || input.peek(Token![,]) {
        return Err(syn::Error::new(key.span(), format!("`{name}` needs a value: `{name}: ..`")));
    }
    value(&name, &key, input, fields, errors)
}

/// What other frameworks call a field of an agent, and what it is called here.
const SYNONYMS: &[(&str, &str)] = &[
    ("hooks", "tool_hooks"),
    ("middleware", "tool_hooks"),
    ("prompt", "instruction"),
    ("system_prompt", "instruction"),
    ("system_message", "instruction"),
    ("functions", "function_tools"),
    ("mcp", "servers"),
    ("mcp_servers", "servers"),
    ("children", "agents"),
    ("subagents", "agents"),
    ("sub_agents", "agents"),
    ("handoffs", "agents"),
    ("builtins", "runtime"),
    ("timeout", "child_timeout_sec"),
    ("child_timeout", "child_timeout_sec"),
];

/// What is said of a field that there is not; what was meant is noted, so that it is not missing as well.
fn unknown_field(name: &str, fields: &mut Fields) -> String {
    let in_table = |table: &str| format!("`{name}` belongs in `{table}`: `{table}: {{ {name}: .. }}`");
    match name {
        "guardrails" | "input_guardrails" | "output_guardrails" => {
            return "guardrails stand at tools: `#[tool(input_guardrails = [..])]`, or in the tool's `ToolSpec`"
                .to_owned();
        }
        _ if REQUEST_PARAMS.contains(&name) => return in_table("request_params"),
        _ if LIMITS.contains(&name) => return in_table("limits"),
        "max_turns" => return "the limit is called `turns`: `limits: { turns: .. }`".to_owned(),
        _ => {}
    }
    let synonym = SYNONYMS.iter().find(|(theirs, _)| *theirs == name).map(|(_, ours)| *ours);
    let meant = synonym.or_else(|| suggest::nearest(name, KEYS));
    fields.given.extend(meant.map(str::to_owned));
    match synonym {
        Some(ours) => format!("there is no field `{name}`: it is called `{ours}`"),
        None => suggest::unknown("field", name, KEYS),
    }
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
        "servers" => fields.servers = list(input, key, "servers: [time]", errors, server)?,
        "tools" => fields.tools = tool_filters(input, key, errors)?,
        "function_tools" => {
            fields.function_tools = list(input, key, "function_tools: [add_one]", errors, |input| {
                entry(input, "function_tools", "add_one")
            })?;
        }
        "toolboxes" => fields.toolboxes = list(input, key, "toolboxes: [Kb]", errors, toolbox)?,
        "agents" => {
            fields.agents = list(input, key, "agents: [Researcher]", errors, child)?;
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
        "effect" => fields.effect = Some(bare(input, "effect: once")?),
        "state" => fields.state = Some(state(input)?),
        "crate" => fields.crate_path = Some(crate_path(input)?),
        _ => {}
    }
    Ok(())
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
            let is_empty = content.fork().parse::<Group>().is_ok_and(|list| list.stream().is_empty());
            let patterns = list(&content, &at, example, errors, pattern)?;
            if is_empty {
                let name = &server.text;
                errors.push(
                    server.span,
                    format_args!(
                        "no tool of `{name}` is let through; name some, or take `{name}` off `servers`"
                    ),
                );
            }
            Ok((server, patterns))
        })();
        match filter {
            Ok(filter) => filters.push(filter),
            Err(error) => errors.add(error),
        }
        to_next_field(&content)?;
    }
    Ok(filters)
}

fn hook_item(input: ParseStream<'_>) -> syn::Result<HookItem> {
    if input.peek(Token![...]) || input.peek(Token![..=]) {
        return Err(input.error("run-time hooks stand where two dots are: `..`"));
    }
    if input.peek(Token![..]) {
        let dots: Token![..] = input.parse()?;
        return Ok(HookItem::Rest(dots.span()));
    }
    let entry = entry(input, "tool_hooks", "audit")?;
    let mut config = Vec::new();
    if input.peek(token::Paren) {
        let content;
        parenthesized!(content in input);
        config = separated(&content).map_err(|error| written::unread(&error).unwrap_or(error))?;
    } else if input.peek(Lit) {
        let (name, value) = (last_word(&entry.path), input.fork().parse::<Lit>()?);
        let value = value.to_token_stream();
        return Err(input.error(format!("a hook's values stand in parentheses: `{name}({value})`")));
    }
    if let Some(error) = written::wrong("hook", &entry.path, &config) {
        return Err(error);
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
        filter = Some(Filter { except, targets: separated(&content)? });
    }
    Ok(HookItem::Hook(Box::new(HookEntry { entry, config, filter })))
}

/// What stands in a group, separated by commas. After an error the rest of it belongs to nobody.
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
