//! Reads the filter of a hook, and looks up its targets in the agent.

use onionskin_vocabulary::agent::{Calls, ToolSource};
use onionskin_vocabulary::{AGENT_TOOL, BuiltIn, Word as _};
use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Path, Token, parenthesized, token};

use super::ast::{ListEntry, Target, Word};
use super::fields::Fields;
use super::list::{built_in, entry, last_word, same, starts_upper, text, words};
use super::model;
use super::value::word;
use crate::diag::Errors;
use crate::suggest;

/// The word for all calls, including the calls of the agents below.
const EVERYWHERE: &str = "everywhere";

impl Parse for Target {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek2(Token![.]) && input.peek3(Token![*]) {
            let family = word(input)?;
            input.parse::<Token![.]>()?;
            input.parse::<Token![*]>()?;
            return Ok(Self::Builtin(Word { text: format!("{}.*", family.text), ..family }));
        }
        if input.peek2(Token![.]) {
            return Ok(Self::Builtin(built_in(input)?));
        }
        let path = entry(input, "for [..]", "add_one")?.path;
        if !input.peek(token::Paren) {
            return Ok(match path.get_ident() {
                Some(word) if word == EVERYWHERE => Self::Everywhere(word.span()),
                _ => Self::Path(path),
            });
        }
        let Some(calls) = Calls::from_word(&last_word(&path)) else {
            let message = "a filter names tools (`add_one`), `server(time)`, `source(mcp)`, or `tool(lookup)` for a tool that \
                 is added when the agent is built";
            return Err(syn::Error::new_spanned(path, message));
        };
        let content;
        parenthesized!(content in input);
        let word = word(&content)?;
        Ok(match calls {
            Calls::Server => Self::Server(word),
            Calls::Source => Self::Source(word),
            Calls::Tool => Self::Tool(word),
        })
    }
}

/// The word before the targets of `approval` that have no rule and no reason.
pub(super) const APPROVAL: &str = "approval:";

/// The calls that a target names, in a list after the word `for` or `except`. Reports a target that the agent does not
/// have. The expansion checks what needs types.
pub(super) fn resolve<'a>(
    target: &'a Target,
    word: &str,
    fields: &'a Fields,
    errors: &mut Errors,
) -> Option<model::Target<'a>> {
    match target {
        Target::Path(path) => {
            let found = find(path, fields);
            if found.is_none() {
                errors.once_at(path, &unknown(path, word, fields));
            }
            found
        }
        Target::Server(server) => {
            let names: Vec<_> = fields.servers.iter().map(|server| server.text.as_str()).collect();
            let source = |name: &str| format!("for the calls of this source write `{word} [source({name})]`");
            undeclared(server, &names, source, errors);
            Some(model::Target::Server(&server.text))
        }
        Target::Source(source) => {
            let known = ToolSource::from_word(&source.text);
            if known.is_none() {
                errors.push(source.span, suggest::unknown("source", &source.text, ToolSource::WORDS));
            }
            known.map(|known| model::Target::Source(known, source.span))
        }
        // The builder knows the added tools, the macro does not.
        Target::Tool(name) => Some(model::Target::Added(name)),
        // The list as a whole is read before its targets.
        Target::Everywhere(_) => None,
        Target::Builtin(tool) => {
            if !fields.built_in.iter().any(|each| BuiltIn::is_named(&each.text, &tool.text)) {
                let message = match BuiltIn::first_named(&tool.text) {
                    Some(known) => {
                        format!(
                            "`{}` is not a tool of this agent; add it: `runtime: [{}]`",
                            tool.text,
                            known.word()
                        )
                    }
                    None => BuiltIn::unknown(&tool.text),
                };
                errors.push(tool.span, message);
            }
            Some(model::Target::Builtin(&tool.text))
        }
    }
}

fn find<'a>(path: &'a Path, fields: &'a Fields) -> Option<model::Target<'a>> {
    let position = |entries: &[ListEntry]| entries.iter().position(|entry| same(&entry.path, path));
    if let Some(index) = position(&fields.function_tools) {
        return Some(model::Target::Function(index));
    }
    if let Some(child) = position(&fields.agents) {
        return Some(model::Target::Child(child, path));
    }
    let toolboxes = |wanted: &str| -> Vec<usize> {
        let all = fields.toolboxes.iter().enumerate();
        all.filter(|(_, each)| text(&each.entry.path) == wanted).map(|(index, _)| index).collect()
    };
    let same_type = toolboxes(&text(path));
    if !same_type.is_empty() {
        return Some(model::Target::Toolboxes(same_type, path));
    }
    if let Some((toolbox, method)) = method(path) {
        let same_type = toolboxes(&toolbox);
        if !same_type.is_empty() {
            return Some(model::Target::Method(same_type, path, method.unraw().to_string()));
        }
    }
    let word = path.get_ident()?;
    let name = word.to_string();
    let is_remote = fields.servers.iter().any(|server| {
        name.strip_prefix(&server.text)
            .and_then(|rest| rest.strip_prefix("__"))
            .is_some_and(|tool| !tool.is_empty())
    });
    is_remote.then_some(model::Target::Remote(word))
}

/// The path before the last word, and that word.
fn method(path: &Path) -> Option<(String, &Ident)> {
    let mut segments: Vec<_> = path.segments.iter().collect();
    let method = &segments.pop()?.ident;
    if segments.is_empty() {
        return None;
    }
    Some((words(segments.into_iter()), method))
}

fn unknown(path: &Path, word: &str, fields: &Fields) -> String {
    let name = text(path);
    if let Some(child) = name.strip_prefix(AGENT_TOOL) {
        return child_advice(&name, child, word, fields);
    }
    let entries = fields.function_tools.iter().chain(&fields.agents);
    let entries = entries.chain(fields.toolboxes.iter().map(|toolbox| &toolbox.entry));
    let names: Vec<_> = entries.map(|entry| text(&entry.path)).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let likely = names.iter().copied().chain((word == "for").then_some(EVERYWHERE));
    let hint = match (method(path), suggest::nearest(&name, likely), name.split_once("__")) {
        (Some((toolbox, method)), ..) if toolbox.rsplit("::").next().is_some_and(starts_upper) => {
            match suggest::nearest(&toolbox, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}::{method}`?"),
                None => format!("add the toolbox: `toolboxes: [{toolbox}]`"),
            }
        }
        (_, Some(near), _) => format!("did you mean `{near}`?"),
        (_, None, Some((server, _))) if !server.is_empty() => {
            format!("for a tool of the server `{server}`, add the server: `servers: [{server}]`")
        }
        _ => {
            let last = last_word(path);
            let rule = if word == APPROVAL {
                format!(
                    "for a rule, name its calls too: `{name} for [{}]`; for a tool, ",
                    names.first().unwrap_or(&"add_one")
                )
            } else {
                String::new()
            };
            format!(
                "{rule}write it as in `function_tools`, `agents` or `toolboxes`; write `tool({last})` for a tool that is added \
                 when the agent is built"
            )
        }
    };
    format!("`{name}` is not a tool of this agent; {hint}")
}

/// The words for `agent__Name`, which is how the model calls a child. A filter names the child's type.
fn child_advice(tool: &str, child: &str, word: &str, fields: &Fields) -> String {
    let children: Vec<_> =
        fields.agents.iter().map(|child| (last_word(&child.path), text(&child.path))).collect();
    if let Some((_, path)) = children.iter().find(|(ident, _)| ident == child) {
        return format!("`{tool}` is the child `{path}`; write `{word} [{path}]`");
    }
    let near = suggest::nearest(child, children.iter().map(|(ident, _)| ident.as_str()));
    let hint = match children.iter().find(|(ident, _)| Some(ident.as_str()) == near) {
        Some((_, path)) => format!("did you mean the child `{path}`? Write `{word} [{path}]`"),
        None if children.is_empty() => {
            format!("for the child `{child}` write `agents: [{child}]`, and `{word} [{child}]` here")
        }
        None => {
            let paths: Vec<_> = children.iter().map(|(_, path)| format!("`{path}`")).collect();
            format!("a child is written as in `agents`: {}", paths.join(", "))
        }
    };
    format!("`{tool}` is not a tool of this agent; {hint}")
}

/// Reports a server that the agent does not name. `source` is the advice for the word of a source, such as `agent`.
pub(super) fn undeclared(
    server: &Word,
    names: &[&str],
    source: impl FnOnce(&str) -> String,
    errors: &mut Errors,
) {
    let name = server.text.as_str();
    if names.contains(&name) {
        return;
    }
    let hint = match suggest::nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if ToolSource::from_word(name).is_some() => source(name),
        None => format!("add it: `servers: [{name}]`"),
    };
    errors.push(server.span, format_args!("`{name}` is not among this agent's `servers`; {hint}"));
}
