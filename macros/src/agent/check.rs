//! Checks an agent without knowing any type, and makes its model.

use onionskin_vocabulary::agent::{Setting, TextField};
use onionskin_vocabulary::server_data::{PatternField, pattern_twice};
use onionskin_vocabulary::{self as words, agent_name_mistake, messages};
use proc_macro2::Span;
use quote::{ToTokens as _, quote};
use syn::ext::IdentExt;
use syn::spanned::Spanned as _;

use super::ast::{self, ApprovalEntry, ApprovalRule, HookEntry, HookItem, Target, ToolboxEntry, Word};
use super::cycles;
use super::fields::Fields;
use super::headers;
use super::list::{repeated, same, text};
#[cfg(any(test, feature = "mcp-snapshot"))]
use super::locked;
use super::model::{AgentModel, Approval, BuiltIn, Filter, Hook, Server};
use super::parse::Agent;
use super::prompt;
use super::settings::{self, SettingValue};
use super::target::{APPROVAL, resolve, undeclared};
use crate::diag::Errors;
use crate::item::{is_reserved, type_ident};
use crate::paths::Runtime;

/// Checks each agent alone, then all of them together.
pub(super) fn check<'a>(agents: &'a [Agent], errors: &mut Errors) -> Vec<AgentModel<'a>> {
    let models = agents.iter().map(|agent| resolve_agent(agent, errors)).collect();
    #[cfg(any(test, feature = "mcp-snapshot"))]
    let models = locked::checked(models, agents, errors);
    one_name_one_agent(agents, errors);
    one_default(agents, errors);
    cycles::check(agents, errors);
    models
}

fn resolve_agent<'a>(agent: &'a Agent, errors: &mut Errors) -> AgentModel<'a> {
    let fields = &agent.fields;
    let type_name = agent.ident.unraw().to_string();
    if is_reserved(&type_name) {
        errors.push(
            agent.ident.span(),
            format_args!("an agent cannot be called `{type_name}`; choose another name"),
        );
    }
    // What refers to a field that could not be read may be right.
    let mut unsure = Errors::default();
    let unless_read = if agent.is_whole { &mut *errors } else { &mut unsure };
    if !agent.given.iter().any(|key| key == "instruction" || key == "system_message") {
        let message = format!("the agent `{type_name}` has no instruction: add `instruction: \"..\"`");
        unless_read.push(agent.ident.span(), message);
    }
    let servers = servers(fields, unless_read);
    let headers = headers::resolved(fields, unless_read);
    let hooks = hooks(fields, unless_read);
    let [input_guardrails, output_guardrails] = [&fields.input_guardrails, &fields.output_guardrails]
        .map(|list| guardrails(list, fields, unless_read));
    let approval = fields.approval.iter().map(|entry| approval(entry, fields, unless_read)).collect();
    parser(fields, unless_read);
    agent_name(agent, errors);
    let request_params = settings::request_params(&fields.request_params, errors);
    let limits = settings::limits(&fields.limits, errors);
    entries(fields, errors);
    hooks_listed_twice(fields, errors);
    let built_in = built_in(&fields.built_in, errors);
    let name = fields.name.as_ref().map_or(type_name, syn::LitStr::value);
    let prompt = prompt::entries(fields, errors);
    AgentModel {
        attrs: &agent.attrs,
        vis: &agent.vis,
        fields,
        ty: type_ident(&agent.ident),
        uncached: prompt::uncached(&name, fields, &prompt),
        name,
        runtime: Runtime::new(fields.crate_path.clone()),
        description: fields.text(TextField::Description),
        prompt,
        state: fields.state.as_ref().map_or_else(|| quote!(()), |state| quote!(#state)),
        servers,
        headers,
        lock_file: None,
        workflow: &agent.workflow,
        built_in,
        hooks,
        input_guardrails,
        output_guardrails,
        approval,
        run_hooks: all(&fields.run_hooks, fields, errors),
        turn_hooks: all(&fields.turn_hooks, fields, errors),
        message_hooks: all(&fields.message_hooks, fields, errors),
        seam: seam(&fields.tool_hooks),
        request_params,
        limits,
    }
}

/// A `parser_model` reads an answer of a type.
fn parser(fields: &Fields, errors: &mut Errors) {
    let parser = fields.settings.iter().find_map(|(setting, value)| match (setting, value) {
        (Setting::ParserModel, SettingValue::Text(name)) => Some(name),
        _ => None,
    });
    if let Some(name) = parser
        && fields.output.is_none()
    {
        errors.at(name, messages::PARSER_WITHOUT_OUTPUT);
    }
}

fn one_name_one_agent(agents: &[Agent], errors: &mut Errors) {
    for (index, agent) in agents.iter().enumerate() {
        if let Some(first) = agents[..index].iter().find(|other| other.ident == agent.ident)
            // With a `#[cfg]`, one of them may be absent.
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
    let given = |agent: &&Agent| agent.fields.is_default().is_some_and(|default| default.value);
    let conditional = |agent: &&Agent| agent.attrs.iter().any(|attr| attr.path().is_ident("cfg"));
    let mut defaults = agents.iter().filter(given).filter(|agent| !conditional(agent));
    let Some(first) = defaults.next() else { return };
    for default in defaults.filter_map(|agent| agent.fields.is_default()) {
        errors.at(default, messages::second_default(&first.ident.to_string()));
    }
}

/// A parent calls a child as the tool `agent__` plus its name, so the name must suit providers.
fn agent_name(agent: &Agent, errors: &mut Errors) {
    let (name, span) = match &agent.fields.name {
        Some(name) => (name.value(), name.span()),
        None => (agent.ident.unraw().to_string(), agent.ident.span()),
    };
    if let Some(mistake) = agent_name_mistake(&name) {
        errors.push(span, mistake);
    }
}

fn servers<'a>(fields: &'a Fields, errors: &mut Errors) -> Vec<Server<'a>> {
    let names: Vec<_> = fields.servers.iter().map(|server| server.text.as_str()).collect();
    for server in repeated(&fields.servers, |a, b| a.text == b.text) {
        errors.push(server.span, format_args!("the server `{}` is named twice; keep one", server.text));
    }
    for field in PatternField::ALL {
        patterns_of(field, fields, &names, errors);
    }
    let patterns = |name: &Word| {
        let (_, patterns) = fields.tools.iter().find(|(server, _)| server.text == name.text)?;
        Some(&**patterns)
    };
    fields.servers.iter().map(|name| Server { name, patterns: patterns(name) }).collect()
}

/// What is wrong in the patterns of a field.
fn patterns_of(field: PatternField, fields: &Fields, servers: &[&str], errors: &mut Errors) {
    let source = |_: &str| {
        match field {
        PatternField::Tools => {
            "`tools` chooses among the tools of servers; name children in `agents` and built-in tools in `runtime`"
                .to_owned()
        }
        PatternField::Resources | PatternField::Prompts => field.other_form(),
    }
    };
    let entries = fields.patterns(field);
    for (server, patterns) in entries {
        undeclared(server, servers, source, errors);
        // An agent can use a server for its data alone.
        let is_for_data = PatternField::DATA.into_iter().any(|other| fields.names(other, &server.text));
        if patterns.is_empty() && !(field == PatternField::Tools && is_for_data) {
            errors.push(server.span, field.no_pattern(&server.text));
        }
        for pattern in repeated(patterns, |a, b| a.text == b.text) {
            errors.push(pattern.span, pattern_twice(&pattern.text));
        }
    }
    for (server, _) in repeated(entries, |(a, _), (b, _)| a.text == b.text) {
        errors.push(server.span, field.server_twice(&server.text));
    }
}

/// Lists that name something twice.
fn entries(fields: &Fields, errors: &mut Errors) {
    for (entries, what) in [(&fields.function_tools, "tool"), (&fields.agents, "agent")] {
        let named: Vec<_> = entries.iter().map(|entry| (text(&entry.path), &entry.path)).collect();
        for (_, path) in repeated(&named, |(a, _), (b, _)| a == b) {
            errors.at(path, format_args!("this {what} is in the list twice; keep one"));
        }
    }
    let is_same =
        |a: &ToolboxEntry, b: &ToolboxEntry| same(&a.entry.path, &b.entry.path) && a.prefix == b.prefix;
    for toolbox in repeated(&fields.toolboxes, is_same).filter(|toolbox| toolbox.entry.cfgs.is_empty()) {
        errors.at(
            &toolbox.entry.path,
            "this toolbox is named twice: keep one, or tell them apart by a prefix: `archive: Kb`",
        );
    }
}

/// Hooks that would run twice for a call.
fn hooks_listed_twice(fields: &Fields, errors: &mut Errors) {
    let tool_hooks = fields.tool_hooks.iter().filter_map(|item| match item {
        HookItem::Hook(hook) => Some(&**hook),
        HookItem::Rest(_) => None,
    });
    let lists = [
        &fields.run_hooks,
        &fields.turn_hooks,
        &fields.message_hooks,
        &fields.input_guardrails,
        &fields.output_guardrails,
    ];
    let lists = lists.into_iter().map(|hooks| hooks.iter().collect());
    let config = |hook: &HookEntry| {
        hook.config.iter().map(|value| value.to_token_stream().to_string()).collect::<Vec<_>>()
    };
    // With a filter at each, they can be about different calls.
    let is_same = |a: &&HookEntry, b: &&HookEntry| {
        (a.filter.is_none() || b.filter.is_none())
            && same(&a.entry.path, &b.entry.path)
            && config(a) == config(b)
            && [a, b].iter().all(|hook| hook.entry.cfgs.is_empty())
    };
    for list in lists.chain([tool_hooks.collect::<Vec<_>>()]) {
        for hook in repeated(&list, is_same) {
            errors.at(&hook.entry.path, messages::HOOK_TWICE);
        }
    }
}

fn built_in(tools: &[Word], errors: &mut Errors) -> Vec<BuiltIn> {
    let mut known = Vec::new();
    for Word { text: name, span } in tools {
        match words::BuiltIn::from_word(name) {
            Some(tool) => known.push(BuiltIn { tool, span: *span }),
            None => errors.push(*span, words::BuiltIn::unknown(name)),
        }
    }
    known
}

fn hooks<'a>(fields: &'a Fields, errors: &mut Errors) -> Vec<Hook<'a>> {
    let mut rest = false;
    let mut hooks = Vec::new();
    for item in &fields.tool_hooks {
        match item {
            HookItem::Rest(span) if rest => {
                errors.push(*span, messages::SECOND_REST);
            }
            HookItem::Rest(_) => rest = true,
            HookItem::Hook(hook) => hooks.push(resolved(hook, fields, errors)),
        }
    }
    hooks
}

fn guardrails<'a>(entries: &'a [HookEntry], fields: &'a Fields, errors: &mut Errors) -> Vec<Hook<'a>> {
    let guardrails = all(entries, fields, errors);
    for span in guardrails.iter().filter_map(|guardrail| guardrail.everywhere) {
        errors.push(
            span,
            "a guardrail checks the calls of its own agent: name it in each agent, without `for [everywhere]`",
        );
    }
    guardrails
}

fn all<'a>(entries: &'a [HookEntry], fields: &'a Fields, errors: &mut Errors) -> Vec<Hook<'a>> {
    entries.iter().map(|entry| resolved(entry, fields, errors)).collect()
}

fn resolved<'a>(entry: &'a HookEntry, fields: &'a Fields, errors: &mut Errors) -> Hook<'a> {
    let targets = || entry.filter.iter().flat_map(|filter| &filter.targets);
    let everywhere =
        targets().find_map(|target| if let Target::Everywhere(span) = target { Some(*span) } else { None });
    if let Some(span) = everywhere
        && (targets().count() > 1 || entry.filter.as_ref().is_some_and(|filter| filter.except))
    {
        errors
            .push(span, "`for [everywhere]` covers all calls, and those of the agents below: write it alone");
    }
    let filter = if everywhere.is_some() { None } else { filter(entry, fields, errors) };
    Hook { entry: &entry.entry, config: &entry.config, filter, everywhere }
}

fn filter<'a>(hook: &'a HookEntry, fields: &'a Fields, errors: &mut Errors) -> Option<Filter<'a>> {
    let filter = hook.filter.as_ref()?;
    Some(targets(filter, "for", hook.entry.path.span(), fields, errors))
}

/// A filter of the entry at `span`.
fn targets<'a>(
    filter: &'a ast::Filter,
    word: &str,
    span: Span,
    fields: &'a Fields,
    errors: &mut Errors,
) -> Filter<'a> {
    let word = if filter.except { "except" } else { word };
    if filter.targets.is_empty() {
        errors.push(span, format_args!("`{word} []` names nothing; name tools, or remove it"));
    }
    let targets = filter.targets.iter().filter_map(|target| resolve(target, word, fields, errors)).collect();
    Filter { except: filter.except, targets }
}

fn approval<'a>(entry: &'a ApprovalEntry, fields: &'a Fields, errors: &mut Errors) -> Approval<'a> {
    for target in &entry.filter.targets {
        if let Target::Everywhere(span) = target {
            errors.push(
                *span,
                "an agent asks for its own calls: name them in each agent, without `everywhere`",
            );
        }
    }
    let word = match entry.rule {
        ApprovalRule::Always => APPROVAL,
        ApprovalRule::Because(_) | ApprovalRule::Function(_) => "for",
    };
    let filter = targets(&entry.filter, word, entry.span, fields, errors);
    Approval { span: entry.span, rule: &entry.rule, filter }
}

/// The number of hooks outside of the dynamic ones.
fn seam(hooks: &[HookItem]) -> usize {
    let before = hooks.iter().take_while(|item| !matches!(item, HookItem::Rest(_))).count();
    if before == hooks.len() { 0 } else { before }
}
