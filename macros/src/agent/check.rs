//! What is wrong with an agent and can be seen without knowing any type.

use std::time::Duration;

use syn::ext::IdentExt;
use syn::{Expr, ExprLit, Lit, Path};

use super::ast::{Agent, Fields, HookItem, Number, ToolboxEntry, Word};
use crate::diag::Errors;
use crate::item::is_reserved;
use crate::suggest;

pub(crate) const REQUEST_PARAMS: &[&str] = &["temperature", "top_p", "max_tokens", "seed", "stop_sequences"];
pub(crate) const LIMITS: &[&str] = &[
    "turns",
    "tool_calls",
    "tokens",
    "time_sec",
    "depth",
    "max_retries",
    "model_timeout_sec",
    "model_retries",
];
pub(crate) const RUNTIME: &[&str] = &["shell.execute"];
const HISTORY_SOURCES: &[&str] = &["none", "child", "orchestrator", "messages"];
const EFFECTS: &[&str] = &["pure", "idempotent", "once"];
const MERGE_TARGETS: &[&str] = &["none", "child", "orchestrator"];

/// Checks each agent, then what only all of them together show.
pub(crate) fn check(agents: &[Agent], errors: &mut Errors) {
    for agent in agents {
        check_agent(agent, errors);
    }
    one_name_one_agent(agents, errors);
    one_default(agents, errors);
    cycles(agents, errors);
}

fn one_name_one_agent(agents: &[Agent], errors: &mut Errors) {
    for (index, agent) in agents.iter().enumerate() {
        if let Some(first) = agents[..index].iter().find(|other| other.ident == agent.ident)
            // Under conditions, one of them may be away.
            && ![agent, first].iter().any(|agent| agent.attrs.iter().any(|attr| attr.path().is_ident("cfg")))
        {
            let name = &agent.ident;
            errors.push(
                name.span(),
                format_args!("there is an agent `{name}` already; give this one another name"),
            );
        }
    }
}

/// An app has one entry.
fn one_default(agents: &[Agent], errors: &mut Errors) {
    let given = |agent: &&Agent| agent.fields.default.as_ref().is_some_and(|default| default.value);
    let conditional = |agent: &&Agent| agent.attrs.iter().any(|attr| attr.path().is_ident("cfg"));
    let mut defaults = agents.iter().filter(given).filter(|agent| !conditional(agent));
    let Some(first) = defaults.next() else { return };
    for default in defaults.filter_map(|agent| agent.fields.default.as_ref()) {
        errors.at(
            default,
            format_args!(
                "`{}` is the default agent already; an app has one entry, so take one of them off",
                first.ident
            ),
        );
    }
}

fn check_agent(agent: &Agent, errors: &mut Errors) {
    let fields = &agent.fields;
    let type_name = agent.ident.unraw().to_string();
    if is_reserved(&type_name) {
        errors.push(
            agent.ident.span(),
            format_args!("an agent cannot be called `{type_name}`; take another name"),
        );
    }
    if !fields.given.iter().any(|key| key == "instruction") {
        let message = format!("the agent `{type_name}` has no instruction: add `instruction: \"..\"`");
        errors.push(agent.ident.span(), message);
    }
    agent_name(agent, errors);
    servers(fields, errors);
    keys(&fields.request_params, "request parameter", REQUEST_PARAMS, errors);
    for (key, value) in &fields.request_params {
        if key == "stop_sequences" && matches!(value, Expr::Lit(_)) {
            errors.at(value, "a list is wanted here: `stop_sequences: [\"END\"]`");
        }
    }
    keys(&fields.limits, "limit", LIMITS, errors);
    numbers(&fields.request_params, &["max_tokens", "seed"], &["max_tokens"], errors);
    numbers(&fields.limits, LIMITS, &["turns", "tokens", "time_sec", "depth", "model_timeout_sec"], errors);
    choice(fields.history_source.as_ref(), HISTORY_SOURCES, errors);
    choice(fields.history_merge_target.as_ref(), MERGE_TARGETS, errors);
    choice(fields.effect.as_ref(), EFFECTS, errors);
    whole("max_parallel", fields.max_parallel, errors);
    whole("max_display_instances", fields.max_display_instances, errors);
    if let Some(number) = fields.child_timeout_sec {
        if is_zero_time(number.value) {
            errors.push(number.span, "`child_timeout_sec` is more than 0; leave it out for no limit");
        } else if is_beyond_time(number.value) {
            errors
                .push(number.span, "these are more seconds than a time can hold; leave it out for no limit");
        }
    }
    twice(fields.function_tools.iter().map(|entry| &entry.path), "tool", errors);
    for (index, toolbox) in fields.toolboxes.iter().enumerate() {
        let is_same = |other: &ToolboxEntry| {
            same(&other.entry.path, &toolbox.entry.path) && other.prefix == toolbox.prefix
        };
        if fields.toolboxes[..index].iter().any(is_same) && toolbox.entry.cfgs.is_empty() {
            errors.at(
                &toolbox.entry.path,
                "this toolbox is named twice: keep one, or tell them apart by a prefix: `archive: Kb`",
            );
        }
    }
    twice(fields.agents.iter().map(|entry| &entry.path), "agent", errors);
    for tool in &fields.runtime {
        if !RUNTIME.contains(&tool.name.as_str()) {
            errors.push(tool.span, suggest::unknown("built-in tool", &tool.name, RUNTIME));
        }
    }
    hooks(fields, errors);
}

/// A child is called as `agent__` and its name, in what providers take as a tool's name.
fn agent_name(agent: &Agent, errors: &mut Errors) {
    const MOST: usize = 64 - "agent__".len();
    let (name, span) = match &agent.fields.name {
        Some(name) => (name.value(), name.span()),
        None => (agent.ident.unraw().to_string(), agent.ident.span()),
    };
    if let Some(wrong) = name.chars().find(|c| !(c.is_ascii_alphanumeric() || *c == '_' || *c == '-')) {
        let found = if wrong == ' ' { "a space".to_owned() } else { format!("`{wrong}`") };
        errors.push(
            span,
            format_args!("an agent's name holds letters, digits, `_` and `-`, because other agents call it as a tool; this one holds {found}"),
        );
    } else if name.is_empty() || name.len() > MOST {
        errors.push(
            span,
            format_args!("an agent's name has 1 to {MOST} characters, because other agents call it as a tool; this one has {}", name.len()),
        );
    }
}

fn servers(fields: &Fields, errors: &mut Errors) {
    let names: Vec<_> = fields.servers.iter().map(|server| server.text.as_str()).collect();
    for (index, server) in fields.servers.iter().enumerate() {
        if names[..index].contains(&server.text.as_str()) {
            errors.push(server.span, format_args!("the server `{}` is named twice; keep one", server.text));
        }
    }
    let mut filtered: Vec<&str> = Vec::new();
    for (server, _) in &fields.tools {
        undeclared(server, &names, errors);
        if filtered.contains(&server.text.as_str()) {
            errors.push(
                server.span,
                format_args!("the tools of `{}` are chosen twice; join the lists", server.text),
            );
        }
        filtered.push(&server.text);
    }
}

pub(super) fn undeclared(server: &Word, names: &[&str], errors: &mut Errors) {
    let name = server.text.as_str();
    if names.contains(&name) {
        return;
    }
    let hint = match suggest::nearest(name, names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("add it: `servers: [{name}]`"),
    };
    errors.push(server.span, format_args!("`{name}` is not among this agent's `servers`; {hint}"));
}

fn keys(table: &[(proc_macro2::Ident, Expr)], what: &str, known: &[&str], errors: &mut Errors) {
    for (index, (key, _)) in table.iter().enumerate() {
        let name = key.to_string();
        if !known.contains(&name.as_str()) {
            errors.push(key.span(), suggest::unknown(what, &name, known));
        } else if table[..index].iter().any(|(earlier, _)| earlier == key) {
            errors.push(key.span(), format_args!("`{name}` is given twice; keep one of them"));
        }
    }
}

/// Numbers that are written down: none of these is negative, and some are more than 0.
fn numbers(table: &[(proc_macro2::Ident, Expr)], all: &[&str], more: &[&str], errors: &mut Errors) {
    for (key, value) in table {
        let name = key.to_string();
        let is_negative = matches!(value, Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Neg(_)));
        let number = match value {
            Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) => int.base10_parse::<f64>().ok(),
            Expr::Lit(ExprLit { lit: Lit::Float(float), .. }) => float.base10_parse().ok(),
            _ => None,
        };
        let is_time = name.ends_with("_sec");
        let is_zero = number.is_some_and(|number| number == 0.0 || (is_time && is_zero_time(number)));
        if is_negative && all.contains(&name.as_str()) {
            errors.at(value, format_args!("`{name}` cannot be less than 0"));
        } else if is_zero && more.contains(&name.as_str()) {
            errors.at(value, format_args!("`{name}` is more than 0; leave it out for the default"));
        } else if is_time && number.is_some_and(is_beyond_time) {
            errors.at(value, "these are more seconds than a time can hold; leave it out for the default");
        }
    }
}

/// Whether nothing of these seconds remains in a `Duration`, which counts nanoseconds.
fn is_zero_time(seconds: f64) -> bool {
    seconds <= 0.0 || Duration::try_from_secs_f64(seconds).is_ok_and(|time| time.is_zero())
}

fn is_beyond_time(seconds: f64) -> bool {
    Duration::try_from_secs_f64(seconds).is_err()
}

fn choice(word: Option<&proc_macro2::Ident>, known: &[&str], errors: &mut Errors) {
    if let Some(word) = word {
        let text = word.to_string();
        if !known.contains(&text.as_str()) {
            errors.push(word.span(), suggest::unknown("value", &text, known));
        }
    }
}

fn whole(key: &str, number: Option<Number>, errors: &mut Errors) {
    if let Some(number) = number
        && (number.value < 1.0 || number.value.fract() != 0.0)
    {
        errors.push(
            number.span,
            format_args!("`{key}` is a whole number from 1; leave it out for the default"),
        );
    }
}

fn twice<'p>(paths: impl Iterator<Item = &'p Path>, what: &str, errors: &mut Errors) {
    let mut seen: Vec<String> = Vec::new();
    for path in paths {
        let name = text(path);
        if seen.contains(&name) {
            errors.at(path, format_args!("this {what} stands in the list twice; keep one"));
        }
        seen.push(name);
    }
}

fn hooks(fields: &Fields, errors: &mut Errors) {
    let mut rest = false;
    for item in &fields.tool_hooks {
        match item {
            HookItem::Rest(span) if rest => {
                errors.push(*span, "run-time hooks have one place; `..` stands in the list already");
            }
            HookItem::Rest(_) => rest = true,
            HookItem::Hook(hook) => {
                let Some(filter) = &hook.filter else { continue };
                if filter.targets.is_empty() {
                    let word = if filter.except { "except" } else { "for" };
                    errors.at(
                        &hook.entry.path,
                        format_args!("`{word} []` names nothing; name tools, or leave it out"),
                    );
                }
                for target in &filter.targets {
                    target.check(fields, errors);
                }
            }
        }
    }
}

/// Whether two paths are written alike.
pub(crate) fn same(a: &Path, b: &Path) -> bool {
    text(a) == text(b)
}

pub(super) fn text(path: &Path) -> String {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect::<Vec<_>>().join("::")
}

/// Agents of one invocation that contain each other. Others are found where the constants are evaluated.
fn cycles(agents: &[Agent], errors: &mut Errors) {
    let child = |name: &syn::Ident| agents.iter().find(|agent| agent.ident == *name);
    for agent in agents {
        for entry in &agent.fields.agents {
            if entry.path.is_ident("Self") {
                errors.at(&entry.path, "an agent cannot contain itself: take `Self` off");
            }
            let Some(first) = entry.path.get_ident() else { continue };
            let mut path = vec![agent.ident.to_string()];
            let mut at = Some(first);
            // Each cycle is reported once, at the agent that stands first in the source.
            while let Some(ident) = at {
                let name = ident.to_string();
                if *ident == agent.ident {
                    path.push(name);
                    errors.at(
                        &entry.path,
                        format_args!("an agent cannot contain itself: {}", path.join(" > ")),
                    );
                    break;
                }
                if path.contains(&name) || position(agents, ident) < position(agents, &agent.ident) {
                    break;
                }
                path.push(name);
                at = child(ident).and_then(|agent| step_towards(agent, agents, &path));
            }
        }
    }
}

fn position(agents: &[Agent], ident: &syn::Ident) -> usize {
    agents.iter().position(|agent| agent.ident == *ident).unwrap_or(usize::MAX)
}

/// The child of `agent` from which the first agent of `path` can be reached.
fn step_towards<'a>(agent: &'a Agent, agents: &'a [Agent], path: &[String]) -> Option<&'a syn::Ident> {
    let goal = path.first()?;
    let children = || agent.fields.agents.iter().filter_map(|entry| entry.path.get_ident());
    children().find(|child| **child == *goal).or_else(|| {
        children().find(|child| {
            let mut seen = path.to_vec();
            reaches(child, goal, agents, &mut seen)
        })
    })
}

fn reaches(from: &syn::Ident, goal: &str, agents: &[Agent], seen: &mut Vec<String>) -> bool {
    if *from == *goal {
        return true;
    }
    let name = from.to_string();
    if seen.contains(&name) {
        return false;
    }
    seen.push(name);
    let Some(agent) = agents.iter().find(|agent| agent.ident == *from) else { return false };
    let mut children = agent.fields.agents.iter().filter_map(|entry| entry.path.get_ident());
    children.any(|child| reaches(child, goal, agents, seen))
}
