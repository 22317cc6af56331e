//! Checks of a program's setup against the declarations of its agents. [`problems`] checks all agents before anything
//! starts and reports all problems at once. The other functions check one agent while it is built, because they need the
//! definitions of its tools.

use std::borrow::Cow;
use std::collections::BTreeSet;

use onionskin_definitions::definition::NameProblem;
use onionskin_definitions::text::{list, nearest, short};
use onionskin_tools::budget::BudgetScope;
use onionskin_tools::context::{ToolEntry, ToolTable};
use onionskin_tools::model::{BoxModel, Model as _, RequestParams, check_messages};
use onionskin_tools::onion::{Undefined, caught};
use onionskin_tools::spec::ToolSpec;
use onionskin_tools::tool::ToolboxLink;
use onionskin_vocabulary::agent::Setting;
use onionskin_vocabulary::{agent_name_mistake, nearest_tool};

use crate::agent::built::shared::Shared;
use crate::agent::built::tool_checks::{self, other_than};
use crate::agent::built::tool_list::ToolList;
use crate::agent::declaration::DynAgent;
use crate::agent::error::build_error::BuildError;
use crate::agent::parts::settings::HistorySource;

use super::declared::Declared;
use super::setup::Setup;

/// Finds the problems that do not depend on servers.
pub(super) fn problems(setup: &Setup, declared: &[Declared]) -> Vec<BuildError> {
    let mut agents: Vec<_> = declared.iter().collect();
    agents.sort_by_key(|agent| agent.number);
    let mut problems = Vec::new();
    for agent in &agents {
        agent_name(agent, &mut problems);
        check_agent(setup, agent, &agents, &mut problems);
        no_messages(agent, &agents, &mut problems);
        if let Err(source) = check_messages(&agent.declaration.parts.messages) {
            problems.push(BuildError::Messages { agent: agent.agent.name().to_owned(), source });
        }
    }
    no_model(setup, &agents, &mut problems);
    models(setup, &agents, &mut problems);
    budgets(setup, &mut problems);
    problems.extend(setup.twice.iter().map(|call| BuildError::SetTwice { call: call.clone() }));
    if !setup.allows_unused {
        unused_states(setup, &agents, &mut problems);
    }
    unvisited_secrets(setup, &agents, &mut problems);
    unstored_states(setup, &mut problems);
    if !setup.allows_unused {
        unused_toolboxes(setup, &agents, &mut problems);
    }
    problems.extend(
        setup
            .shared
            .toolboxes
            .problems()
            .into_iter()
            .map(|(toolbox, problem)| BuildError::ToolboxLists { toolbox, problem: problem.to_owned() }),
    );
    unknown_agents(setup, &agents, &mut problems);
    problems
}

fn budgets(setup: &Setup, problems: &mut Vec<BuildError>) {
    let all = &setup.shared.budgets.all;
    problems.extend(all.iter().filter_map(|budget| budget.check().err()).map(BuildError::Budget));
    if setup.shared.sessions.is_some() && setup.shared.budgets.store.is_none() {
        let lasting = all.iter().filter(|budget| budget.scope() != BudgetScope::Run);
        problems.extend(lasting.map(|budget| BuildError::NoBudgetStore { budget: budget.name().to_owned() }));
    }
    for (index, budget) in all.iter().enumerate() {
        if all[..index].iter().any(|earlier| earlier.is_same(budget)) {
            let call = format!("`.budget(..)` with the name `{}` and one scope", budget.name());
            problems.push(BuildError::SetTwice { call });
        }
    }
}

/// Checks an agent's name, as `agent!` does.
fn agent_name(agent: &Declared, problems: &mut Vec<BuildError>) {
    let name = agent.agent.name();
    if let Some(mistake) = agent_name_mistake(name) {
        problems.push(BuildError::AgentName { agent: short(name, 100).into_owned(), mistake });
    }
}

/// Finds the missing or wrong parts of one agent.
fn check_agent(setup: &Setup, agent: &Declared, agents: &[&Declared], problems: &mut Vec<BuildError>) {
    let (name, declaration, state) = (agent.agent.name(), &agent.declaration.parts, agent.agent.state);
    let zero = |(setting, mistake)| BuildError::ZeroSetting { agent: name.to_owned(), setting, mistake };
    problems.extend(declaration.settings.zeros().into_iter().map(zero));
    let contradiction = |mistake: String| BuildError::Contradiction { agent: name.to_owned(), mistake };
    if declaration.output.is_some() && declaration.settings.request_params.response_schema.is_some() {
        problems.push(contradiction(format!(
            "the agent `{name}` has an `output` and a `response_schema` in `request_params`, and both set the schema of its answers: \
             remove one of them"
        )));
    }
    if declaration.output.is_some() && declaration.until.is_some() {
        problems.push(contradiction(format!(
            "the agent `{name}` has an `output`, and an answer of that type ends its run: remove `until`"
        )));
    }
    if declaration.output.is_none() && declaration.has_parser() {
        problems.push(contradiction(format!(
            "the agent `{name}` has a `parser_model`, which reads an answer of a type, and no such type: write `output: Type`, or remove \
             `parser_model`"
        )));
    }
    if !declaration.has_parser() && declaration.settings.parser_model_prompt.is_some() {
        problems.push(contradiction(format!(
            "the agent `{name}` has a `parser_model_prompt` without the model that reads it: write `parser_model: \"..\"`, or call \
             `.parser_model(..)` of its builder"
        )));
    }
    if declaration.until.as_deref().is_some_and(str::is_empty) {
        problems.push(contradiction(format!(
            "the text of `until` of the agent `{name}` is empty, and every answer contains an empty text: write a text, or remove `until`"
        )));
    }
    if declaration.worded.adds_nothing {
        problems.push(contradiction(format!(
            "the agent `{name}` calls `worded` with a function that adds no tool: add one, `.worded(words, |agent| agent.tool(..))`"
        )));
    }
    if !state.is_none() && !setup.shared.states.contains_key(&state.id()) {
        problems.push(BuildError::NoState { agent: name.to_owned(), state: state.name() });
    }
    let is_silent =
        |child: &&Declared| child.declaration.parts.description.as_deref().is_none_or(str::is_empty);
    problems.extend(children(agent, agents).filter(is_silent).map(|child| BuildError::NoDescription {
        agent: name.to_owned(),
        child: child.agent.name().to_owned(),
    }));
    for toolbox in &declaration.toolboxes {
        if setup.shared.toolboxes.get(toolbox).is_none() {
            problems.push(BuildError::NoToolbox {
                agent: name.to_owned(),
                toolbox: toolbox.name,
                call: toolbox.call(),
            });
        }
    }
    if let Some(what) = &declaration.guardrail_everywhere {
        problems.push(contradiction(format!(
            "{what} of the agent `{name}` has the filter `everywhere`, but it checks the calls of one agent: remove the filter, and \
             declare it in each agent"
        )));
    }
    // This applies with a filter too: a filter sees a call, and merged messages belong to none.
    let merges = declaration.settings.merges_into_own();
    if merges && let Some(guardrail) = declaration.output_guardrails.first() {
        let (guardrail, merge) = (guardrail.on_calls.guardrail.name(), Setting::HistoryMergeTarget);
        problems.push(contradiction(format!(
            "the agent `{name}` checks results with the guardrail `{guardrail}`, but `{merge}: orchestrator` adds the conversations of \
             its children to its own without this check: remove one of them, or merge into the child (`{merge}: child`)"
        )));
    }
    for (hook, states) in &declaration.reaching_states {
        if let Some(other) = states.iter().find(|state| !state.is_none()) {
            let takes = other.name();
            problems.push(contradiction(format!(
                "the hook `{hook}` of the agent `{name}` has the filter `everywhere` and takes `State<{takes}>`, but the agents below have \
                 other states: name the hook in each agent with this state"
            )));
        }
    }
    for (hook, states) in &declaration.hook_states {
        if let Some(other) = other_than(state, states) {
            problems.push(BuildError::HookState {
                agent: name.to_owned(),
                hook,
                takes: other.name(),
                state: state.name(),
            });
        }
    }
}

/// `history_source: messages`, where no child has messages.
fn no_messages(agent: &Declared, agents: &[&Declared], problems: &mut Vec<BuildError>) {
    let wants = agent.declaration.parts.settings.history_source == HistorySource::Messages;
    let has = |child: &Declared| !child.declaration.parts.messages.is_empty() || is_given_messages(child);
    if wants
        && let Some(first) = children(agent, agents).next()
        && !children(agent, agents).any(has)
    {
        problems.push(BuildError::NoMessages {
            agent: agent.agent.name().to_owned(),
            child: first.agent.name().to_owned(),
        });
    }
}

fn children<'d>(parent: &Declared, agents: &[&'d Declared]) -> impl Iterator<Item = &'d Declared> {
    let child = |link: &DynAgent| agents.iter().copied().find(|known| known.agent == *link);
    parent.declaration.children.iter().filter_map(child)
}

/// Whether the builder sets the messages that the agent begins with.
fn is_given_messages(agent: &Declared) -> bool {
    agent.declaration.parts.changed.as_ref().is_some_and(|changed| changed.messages)
}

/// Reports only the first agent without a model, because one model serves all agents.
fn no_model(setup: &Setup, agents: &[&Declared], problems: &mut Vec<BuildError>) {
    if setup.model.is_some() {
        return;
    }
    let without = |agent: &&&Declared| agent.declaration.parts.default_model.is_none();
    let Some(first) = agents.iter().find(without) else { return };
    let agent = first.agent.name().to_owned();
    problems.push(match &first.declaration.parts.settings.model {
        Some(model) => BuildError::NamedModel { agent, model: model.to_string() },
        None => BuildError::NoModel { agent },
    });
}

/// Checks that the models can be asked, and that no model of the builder takes the place of one that an agent names. Reports
/// only the first agent whose model has a problem.
fn models(setup: &Setup, agents: &[&Declared], problems: &mut Vec<BuildError>) {
    problems.extend(agents.iter().find_map(|agent| {
        let (parts, name) = (&agent.declaration.parts, agent.agent.name());
        let own = setup.model.as_ref().or(parts.default_model.as_ref())?;
        let parser = parts.has_parser().then(|| parts.parser.as_ref().unwrap_or(own));
        let parser = parser.map(|model| (model, parts.settings.parser_model.as_deref()));
        let models = [(own, parts.settings.model.as_deref())].into_iter().chain(parser);
        models.into_iter().find_map(|(model, named)| model_problem(name, model, named, setup.model_for_all))
    }));
}

/// The problem of a model that an agent asks under this name.
fn model_problem(
    name: &str,
    model: &BoxModel,
    named: Option<&str>,
    model_for_all: bool,
) -> Option<BuildError> {
    let checked = caught(|| {
        let asked = named.and_then(|named| model.identity(Some(named)).model().map(str::to_owned));
        (model.check(named), asked)
    });
    match (checked, named) {
        (Err(reason), _) => {
            let what = format!("`check` or `identity` of the model of the agent `{name}` panicked");
            Some(BuildError::panicked(name, what, reason))
        }
        (Ok((_, Some(model))), Some(named)) if model != named && !model_for_all => {
            let (agent, named) = (name.to_owned(), named.to_owned());
            Some(BuildError::OtherModel { agent, named, model })
        }
        (Ok((Err(source), _)), _) => {
            Some(BuildError::Model { agent: name.to_owned(), source: Box::new(source) })
        }
        (Ok((Ok(()), _)), _) => None,
    }
}

fn unused_states(setup: &Setup, agents: &[&Declared], problems: &mut Vec<BuildError>) {
    let mut unused: Vec<_> =
        setup.shared.states.values().filter(|maker| !maker.is_declared).map(|maker| maker.name).collect();
    unused.sort_unstable();
    let used = agents.iter().map(|agent| agent.agent.state).filter(|state| !state.is_none());
    let declared: BTreeSet<_> = used.map(|state| format!("`{}`", state.name())).collect();
    let declared = list(declared);
    problems.extend(
        unused.into_iter().map(|state| BuildError::UnusedState { state, declared: declared.clone() }),
    );
}

const VISIT: &str =
    "write `#[derive(onionskin::secret::VisitSecrets)]` on it, and on each type in it that holds a secret";
const VISIT_FIELD: &str = "write `#[derive(onionskin::secret::VisitSecrets)]` on the type of the field that holds it, and on each type \
     in between; a `VisitSecrets` written by hand passes on each secret. Or give the secret to `conceal` of the builder";
const VISIT_BY_HAND: &str = "write `#[derive(onionskin::secret::VisitSecrets)]` on it, and on each type in it that holds a secret, and call \
     `AgentDeclaration::visit_state` in `declare`";

/// Finds states with secrets that their types do not list. A state that panics when it is copied is reported
/// by its sessions.
fn unvisited_secrets(setup: &Setup, agents: &[&Declared], problems: &mut Vec<BuildError>) {
    let mut checked = BTreeSet::new();
    for agent in agents {
        let id = agent.agent.state.id();
        let Some(provided) = setup.shared.states.get(&id).filter(|_| checked.insert(id)) else { continue };
        if caught(|| provided.state.owns_unvisited(provided.visitor, &setup.shared.secrets)).unwrap_or(false)
        {
            let advice = match (provided.visitor, agent.declaration.parts.onion) {
                (Some(_), _) => VISIT_FIELD,
                (None, Some(_)) => VISIT,
                (None, None) => VISIT_BY_HAND,
            };
            let agent = agent.agent.name().to_owned();
            problems.push(BuildError::UnvisitedSecret { agent, state: provided.name, advice });
        }
    }
}

/// Finds states that sessions cannot store, and states that need not be left out of them.
fn unstored_states(setup: &Setup, problems: &mut Vec<BuildError>) {
    let Shared { states, sessions, .. } = &setup.shared;
    for (id, state) in &setup.unstored {
        let reason = match (sessions, states.contains_key(id)) {
            (None, _) => "there is no `.session_store(..)`",
            (_, false) => "there is no `.state(..)` of this type",
            (Some(_), true) => continue,
        };
        problems.push(BuildError::UnusedUnstored { state, reason });
    }
    if sessions.is_some() {
        let mut unstored: Vec<_> =
            states.values().filter(|state| state.codec.is_none() && !state.is_unstored).collect();
        unstored.sort_unstable_by_key(|state| state.name);
        problems.extend(unstored.into_iter().map(|state| BuildError::UnstorableState { state: state.name }));
    }
}

fn unused_toolboxes(setup: &Setup, agents: &[&Declared], problems: &mut Vec<BuildError>) {
    let declared: Vec<&ToolboxLink> =
        agents.iter().flat_map(|agent| &agent.declaration.parts.toolboxes).collect();
    let mut unused: Vec<_> = setup.shared.toolboxes.links().filter(|link| !declared.contains(link)).collect();
    unused.sort_unstable_by(|a, b| (a.name, &a.prefix).cmp(&(b.name, &b.prefix)));
    for link in unused {
        let meant = declared
            .iter()
            .find(|other| other.id == link.id)
            .map(|other| format!("; an agent declares `{}`: call `{}`", other.source(), other.call()));
        problems.push(BuildError::UnusedToolbox {
            toolbox: link.name,
            call: link.call(),
            advice: meant.unwrap_or_else(|| format!("; write `toolboxes: [{}]` in an agent", link.source())),
        });
    }
}

/// Finds settings for unknown or ambiguous agent names, and unused messages.
fn unknown_agents(setup: &Setup, agents: &[&Declared], problems: &mut Vec<BuildError>) {
    let names: BTreeSet<_> = agents.iter().map(|agent| agent.agent.name()).collect();
    for name in setup.changes.named.keys() {
        let mut called: Vec<_> = agents.iter().filter(|agent| agent.agent.name() == name).collect();
        match (called.pop(), called.is_empty()) {
            (None, _) => problems.push(BuildError::NoAgent {
                name: name.clone(),
                near: nearest(name, names.iter().copied())
                    .map_or_else(|| ".".to_owned(), |near| format!("; did you mean `{near}`?")),
                known: list(names.iter().map(|name| format!("`{name}`"))),
            }),
            (Some(_), false) => problems.push(BuildError::TwoAgents { name: name.clone() }),
            (Some(agent), true) => {
                if is_given_messages(agent) && !agent.is_entry && !agent.begins_with_messages {
                    problems.push(BuildError::UnusedMessages { agent: name.clone() });
                }
            }
        }
    }
}

/// The error for a tool that could not return its definition.
pub(super) fn undefined(agent: &str, problem: Undefined) -> BuildError {
    match problem {
        Undefined::Panicked { tool, reason } => BuildError::panicked(
            agent,
            format!("the schema of the tool `{tool}` of the agent `{agent}` panicked"),
            reason,
        ),
        Undefined::Misnamed { tool, defined } => tool_checks::mistake(
            agent,
            tool,
            format!(
                "the tool `{tool}` of the agent `{agent}` has another name in its definition, `{}`: write \
             `ToolDefinition::new(Self::NAME, ..)`",
                short(&defined, 100)
            ),
        ),
    }
}

/// Checks that providers accept the names of the program's own tools.
pub(super) fn names(agent: &str, declared: &[ToolEntry], values: &[ToolSpec]) -> Result<(), BuildError> {
    let declared = declared.iter().map(|tool| (&*tool.name, tool.source));
    for (name, source) in declared.chain(values.iter().map(|tool| (tool.name(), tool.source()))) {
        if let Some(problem) = NameProblem::unless_of_server(name, source.is_server()) {
            let tool = short(name, 100).into_owned();
            return Err(BuildError::ToolName { agent: agent.to_owned(), tool, problem });
        }
    }
    match values.iter().find_map(ToolSpec::misnamed) {
        None => Ok(()),
        Some(problem) => Err(undefined(agent, problem)),
    }
}

/// Checks that each name of a hook's filter is the name of one of the built agent's tools.
pub(super) fn filters(
    agent: &str,
    names: &[(&'static str, Cow<'static, str>)],
    table: &ToolTable,
    tools: &ToolList,
) -> Result<(), BuildError> {
    let known = || table.entries().iter().map(|entry| &*entry.name);
    let Some((hook, tool)) = names.iter().find(|(_, tool)| known().all(|name| name != tool)) else {
        return Ok(());
    };
    let agent = agent.to_owned();
    Err(match tools.left_out(tool)? {
        Some(reason) => BuildError::UnavailableTool {
            agent,
            names: format!("names `{tool}` in the filter of `{hook}`"),
            reason,
        },
        None => BuildError::FilterNamesNoTool {
            agent,
            hook,
            tool: tool.clone(),
            near: nearest_tool(tool, known())
                .map(|near| format!("; did you mean `{near}`?"))
                .unwrap_or_default(),
        },
    })
}

/// Checks the request parameters of an agent with this model and these tools. A tool that only some runs have
/// is checked in each run.
pub(super) fn request_params(
    agent: &str,
    params: &RequestParams,
    (model, requested): (&BoxModel, Option<&str>),
    table: &ToolTable,
    runs_differ: bool,
) -> Result<(), BuildError> {
    let supported = caught(|| params.check(model, requested)).map_err(|reason| {
        BuildError::panicked(
            agent,
            format!("`supports` of the model of the agent `{agent}` panicked"),
            reason,
        )
    })?;
    let checked = supported.and_then(|()| match params.tool_choice.clone().among(table.names()) {
        Err(error) if !runs_differ => Err(error.into()),
        _ => Ok(()),
    });
    checked.map_err(|error| BuildError::RequestParams { agent: agent.to_owned(), source: Box::new(error) })
}
