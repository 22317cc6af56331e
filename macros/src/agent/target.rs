//! What the filter of a hook names: read, looked up among what the agent has, and made a test of a call.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::{Path, Token, parenthesized, token};

use super::ast::{Entry, Fields, Filter, HookItem, Target, ToolboxEntry, Word};
use super::check::{same, text, undeclared};
use super::expand::{child_alias, entry_span, toolbox_alias};
use super::parse::last_word;
use super::value::{entry, runtime_tool, word};
use crate::diag::Errors;
use crate::suggest;

const SOURCES: &[&str] = &["mcp", "function", "agent", "runtime"];

impl Parse for Target {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek2(Token![.]) {
            return Ok(Self::Runtime(runtime_tool(input)?));
        }
        let path = entry(input, "for [..]", "add_one")?.path;
        if !input.peek(token::Paren) {
            return Ok(Self::Path(path));
        }
        let of: fn(Word) -> Self = match last_word(&path).as_str() {
            "server" => Self::Server,
            "source" => Self::Source,
            "tool" => Self::Tool,
            _ => {
                let message = "a filter names tools (`add_one`), `server(time)`, `source(mcp)`, or `tool(lookup)` for a tool that \
                     is added when the agent is built";
                return Err(syn::Error::new_spanned(path, message));
            }
        };
        let content;
        parenthesized!(content in input);
        Ok(of(word(&content)?))
    }
}

/// What of an agent a path names.
enum Found<'a> {
    /// The function of this slot.
    Function(usize),
    /// The child of this number.
    Child(usize),
    /// All tools of toolboxes of one type.
    Toolboxes(Vec<(usize, &'a ToolboxEntry)>),
    /// A method of toolboxes of one type.
    Method(Vec<(usize, &'a ToolboxEntry)>, &'a Ident),
    /// A tool of an MCP server.
    Remote(String),
}

fn find<'a>(path: &'a Path, fields: &'a Fields) -> Option<Found<'a>> {
    let position = |entries: &[Entry]| entries.iter().position(|entry| same(&entry.path, path));
    if let Some(slot) = position(&fields.function_tools) {
        return Some(Found::Function(slot));
    }
    if let Some(child) = position(&fields.agents) {
        return Some(Found::Child(child));
    }
    let toolboxes = |wanted: &str| -> Vec<_> {
        fields.toolboxes.iter().enumerate().filter(|(_, each)| text(&each.entry.path) == wanted).collect()
    };
    let of_type = toolboxes(&text(path));
    if !of_type.is_empty() {
        return Some(Found::Toolboxes(of_type));
    }
    if let Some((of, method)) = method(path) {
        let of_type = toolboxes(&of);
        if !of_type.is_empty() {
            return Some(Found::Method(of_type, method));
        }
    }
    let name = path.get_ident()?.to_string();
    let is_remote = fields.servers.iter().any(|server| {
        name.strip_prefix(&server.text)
            .and_then(|rest| rest.strip_prefix("__"))
            .is_some_and(|tool| !tool.is_empty())
    });
    is_remote.then_some(Found::Remote(name))
}

/// The path before the last word, and that word.
fn method(path: &Path) -> Option<(String, &Ident)> {
    let mut segments: Vec<_> = path.segments.iter().collect();
    let method = &segments.pop()?.ident;
    if segments.is_empty() {
        return None;
    }
    let of: Vec<_> = segments.iter().map(|segment| segment.ident.to_string()).collect();
    Some((of.join("::"), method))
}

impl Target {
    /// Whether the agent has what is named; what only types can show is [`checks`]' to say.
    pub(super) fn check(&self, fields: &Fields, errors: &mut Errors) {
        match self {
            Self::Path(path) => {
                if find(path, fields).is_none() {
                    errors.at(path, unknown(path, fields));
                }
            }
            Self::Server(server) => {
                let names: Vec<_> = fields.servers.iter().map(|server| server.text.as_str()).collect();
                undeclared(server, &names, errors);
            }
            Self::Source(source) => {
                if !SOURCES.contains(&source.text.as_str()) {
                    errors.push(source.span, suggest::unknown("source", &source.text, SOURCES));
                }
            }
            // Which tools are added is known when the agent is built.
            Self::Tool(_) => {}
            Self::Runtime(tool) => {
                if !fields.runtime.iter().any(|each| each.name == tool.name) {
                    errors.push(
                        tool.span,
                        format_args!(
                            "`{0}` is not a tool of this agent; add it: `runtime: [{0}]`",
                            tool.name
                        ),
                    );
                }
            }
        }
    }
}

fn unknown(path: &Path, fields: &Fields) -> String {
    let name = text(path);
    let entries = fields.function_tools.iter().chain(&fields.agents);
    let entries = entries.chain(fields.toolboxes.iter().map(|toolbox| &toolbox.entry));
    let names: Vec<_> = entries.map(|entry| text(&entry.path)).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let hint = match (method(path), suggest::nearest(&name, &names), name.split_once("__")) {
        (Some((of, method)), ..) if of.rsplit("::").next().is_some_and(starts_upper) => {
            match suggest::nearest(&of, &names) {
                Some(near) => format!("did you mean `{near}::{method}`?"),
                None => format!("add the toolbox: `toolboxes: [{of}]`"),
            }
        }
        (_, Some(near), _) => format!("did you mean `{near}`?"),
        (_, None, Some((server, _))) if !server.is_empty() => {
            format!("for a tool of the server `{server}`, add the server: `servers: [{server}]`")
        }
        _ => format!(
            "write it as in `function_tools`, `agents` or `toolboxes`; write `tool({})` for a tool that is added when \
             the agent is built",
            last_word(path)
        ),
    };
    format!("`{name}` is not a tool of this agent; {hint}")
}

fn starts_upper(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

/// The filters of an agent, with the words that stand before them.
fn filters(fields: &Fields) -> impl Iterator<Item = (&Path, &Filter)> {
    fields.tool_hooks.iter().filter_map(|item| match item {
        HookItem::Hook(hook) => Some((&hook.entry.path, hook.filter.as_ref()?)),
        HookItem::Rest(_) => None,
    })
}

/// That the methods that filters name are tools, which the toolboxes' types show.
pub(super) fn checks(fields: &Fields) -> TokenStream {
    let targets = filters(fields).flat_map(|(_, filter)| &filter.targets);
    let checks = targets.filter_map(|target| {
        let Target::Path(path) = target else { return None };
        let Found::Method(toolboxes, method) = find(path, fields)? else { return None };
        let (index, toolbox) = toolboxes.first()?;
        let (name, span, cfgs) = (method_name(method), entry_span(path), &toolbox.entry.cfgs);
        let alias = toolbox_alias(*index, &toolbox.entry.path);
        let alias = Ident::new(&alias.to_string(), span);
        Some(quote_spanned! {span=>
            #(#cfgs)*
            const _: bool = <#alias as __rt::HasToolMethod<{ __rt::tool_of_method::<#alias>(#name).is_some() }>>::HOLDS;
        })
    });
    quote!(#(#checks)*)
}

fn method_name(method: &Ident) -> String {
    syn::ext::IdentExt::unraw(method).to_string()
}

/// The names in filters that only a built agent can have, each with its hook.
pub(super) fn named_at_run_time(fields: &Fields) -> impl Iterator<Item = (String, String)> {
    filters(fields).flat_map(|(hook, filter)| {
        let names = filter.targets.iter().filter_map(|target| match target {
            Target::Tool(name) => Some(name.text.clone()),
            Target::Path(path) => match find(path, fields)? {
                Found::Remote(name) => Some(name),
                _ => None,
            },
            _ => None,
        });
        names.map(|name| (last_word(hook), name))
    })
}

/// The test whether a filtered hook concerns a call.
pub(super) fn concerned(fields: &Fields, filter: &Filter) -> TokenStream {
    let tests = filter.targets.iter().map(|target| match target {
        Target::Path(path) => of_path(path, fields),
        Target::Server(server) => {
            let name = &server.text;
            quote! {
                (__cx.source() == __rt::ToolSource::Mcp
                    && __cx.server_name() == ::core::option::Option::Some(#name))
            }
        }
        Target::Source(source) => {
            let mut letters = source.text.chars();
            let variant: String =
                letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
            let variant = format_ident!("{variant}");
            quote!(__cx.source() == __rt::ToolSource::#variant)
        }
        Target::Tool(name) => {
            let name = &name.text;
            quote!(__cx.tool_name() == #name)
        }
        Target::Runtime(tool) => {
            let name = &tool.name;
            quote!(__cx.tool_name() == #name)
        }
    });
    let any = quote!((#(#tests)||*));
    if filter.except { quote!(!#any) } else { any }
}

fn of_path(path: &Path, fields: &Fields) -> TokenStream {
    match find(path, fields) {
        Some(Found::Function(slot)) => quote!(__cx.slot() == #slot),
        Some(Found::Child(child)) => {
            let alias = child_alias(child, path);
            quote!(__rt::is_child(__cx, <#alias as __rt::Agent>::NAME))
        }
        Some(Found::Toolboxes(toolboxes)) => {
            let tests = toolboxes.iter().map(|(index, toolbox)| {
                let (alias, prefix) = (toolbox_alias(*index, path), toolbox.prefix());
                test(toolbox, &quote!(__rt::is_of_toolbox::<#alias>(__cx, #prefix)))
            });
            quote!((#(#tests)||*))
        }
        Some(Found::Method(toolboxes, method)) => {
            let name = method_name(method);
            let tests = toolboxes.iter().map(|(index, toolbox)| {
                let (alias, prefix) = (toolbox_alias(*index, path), toolbox.prefix());
                test(
                    toolbox,
                    &quote!(__rt::is_method(__cx, #prefix, const { __rt::tool_of_method::<#alias>(#name) })),
                )
            });
            quote!((#(#tests)||*))
        }
        Some(Found::Remote(name)) => {
            quote!((__cx.source() == __rt::ToolSource::Mcp && __cx.tool_name() == #name))
        }
        None => quote!(false),
    }
}

/// A test that is there only where the toolbox is.
fn test(toolbox: &ToolboxEntry, test: &TokenStream) -> TokenStream {
    let cfgs = &toolbox.entry.cfgs;
    if cfgs.is_empty() {
        return test.clone();
    }
    quote!({
        #[allow(unused_mut, unused_assignments)]
        let mut __is = false;
        #(#cfgs)*
        {
            __is = #test;
        }
        __is
    })
}
