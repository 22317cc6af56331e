//! Agents as tools: a parent calls a child as it calls any other tool.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::{Param, StaticTool, ToolDefinition};
use onionskin_definitions::error::{ErrorKind, Exit, ToolError, ToolResult};
use onionskin_definitions::on_drop::OnDrop;
use onionskin_definitions::output::ToolOutput;
use onionskin_definitions::schema::{Problem, problem_lines};
use onionskin_definitions::secret::Redact as _;
use onionskin_definitions::text::short;
use onionskin_tools::context::{RunSeed, ToolContext};
use onionskin_tools::deadline::Deadline;
use onionskin_tools::model::{History, Message};
use onionskin_tools::session::Transcript;
use onionskin_tools::tool::DynTool;
use onionskin_vocabulary::agent_tool;

use crate::agent::built::instance::Instance;
use crate::agent::declaration::RunFn;
use crate::agent::error::run_error::RunError;
use crate::agent::limits::Limit;
use crate::agent::parts::settings::{HistorySource, Settings};
use crate::agent::running::run::AgentRun;

use super::drive::{child_seed, drive};

/// A child agent as a tool of its parent. Each call runs a fresh instance.
pub(crate) struct ChildTool {
    pub(in crate::agent) child: Arc<Instance>,
    run: RunFn,
    settings: Settings,
    definition: ToolDefinition,
}

/// The maximum number of bytes shown of the last text of a run without an answer.
const MAX_SAID_CHARS: usize = 300;

static INPUT: [Param; 1] =
    [Param { description: "What the agent is asked.", ..Param::new::<String>("input") }];

impl ChildTool {
    /// Creates the tool; `settings` are the parent's.
    pub(in crate::agent) fn new(child: Arc<Instance>, run: RunFn, settings: Settings) -> Self {
        let definition = definition(&child);
        Self { child, run, settings, definition }
    }

    fn history(&self, cx: &ToolContext) -> History {
        match self.settings.history_source {
            HistorySource::None => History::new(),
            HistorySource::Messages => self.child.messages.clone(),
            HistorySource::Child => {
                cx.run().session().map(|session| session.child_history(&self.child.name)).unwrap_or_default()
            }
            HistorySource::Orchestrator => {
                let mut messages = cx.run().messages();
                // The parent's last message contains the running calls, which have no results yet.
                if matches!(messages.last(), Some(Message::Assistant { tool_calls, .. }) if !tool_calls.is_empty())
                {
                    messages.pop();
                }
                messages
            }
        }
    }

    async fn ask(&self, cx: &ToolContext, input: String) -> ToolResult {
        let session = cx.run().session().cloned().ok_or_else(|| {
            Exit::Tool(ToolError::new("an agent can be called in a run only, and this call belongs to none"))
        })?;
        let number = cx.number();
        let history = self.history(cx);
        let start = history.len();
        let name: Arc<str> = format!("{}[{number}]", self.child.name).into();
        let timeout = self.settings.child_timeout;
        let (events, deadline) = (cx.run().events(), Deadline::for_caller(timeout, cx.run().deadline()));
        let seed = child_seed(cx, &self.child, &session, Arc::clone(&name), events, deadline)
            .map_err(|error| failed(cx, error, &name, timeout, ""))?;
        let mut run = AgentRun::new(RunSeed { history, ..seed }, Arc::clone(&self.child), session);
        run.shown = self.settings.shows(number);
        // The child's deadline includes the timeout, so that its own calls see it and the child can finish cleanly.
        // The transcript is stored also if the run is dropped before its end, because its tools may have acted.
        let left = OnDrop(|| {
            if !run.is_paused() {
                let messages = run.closed_messages().since(start).collect();
                cx.keep_transcript(Transcript { child: Arc::clone(&self.child.name), messages });
            }
        });
        let answer = drive(&run, self.run, input).await;
        drop(left);
        let did = did(&run, start, &answer);
        if answer.as_ref().is_err_and(|error| leaves_call_open(cx, error)) {
            return cx.wait_with_child().await;
        }
        output(&self.child, answer.map_err(|error| failed(cx, error, &name, timeout, &did))?)
    }
}

/// Whether the call that began a run has no result, because a later run continues it: it is paused, or was stopped between two turns.
pub(super) fn leaves_call_open(cx: &ToolContext, error: &RunError) -> bool {
    let is_stopped = || cx.run().is_stopped() && !cx.cancellation().is_cancelled();
    matches!(error, RunError::Paused(_)) || matches!(error, RunError::Cancelled { .. }) && is_stopped()
}

/// The input of an agent that a call starts, after the caller's message hooks. `fits` checks a changed text
/// against the agent's input type.
pub(super) async fn sent(
    cx: &ToolContext,
    agent: &Arc<str>,
    input: String,
    silent: bool,
    fits: impl FnOnce(&str) -> Result<String, Vec<Problem>>,
) -> ToolResult<String> {
    let Some(text) = cx.send(agent, input.clone(), silent).await else {
        let text = format!(
            "the message to the agent {agent} was dropped by a message hook, so the agent did not run"
        );
        return Err(Exit::tool(text));
    };
    if text == input {
        return Ok(input);
    }
    fits(&text).map_err(|problems| {
        let problems = problem_lines(&problems);
        Exit::tool(format!(
            "a message hook changed the input of the agent {agent}, which does not fit now:\n- {problems}"
        ))
    })
}

/// The result of an agent as a tool.
pub(super) fn output(agent: &Instance, answer: String) -> ToolResult {
    match &agent.answer {
        Some(_) => Ok(ToolOutput::from_json(answer)?),
        None => Ok(ToolOutput::text(answer)),
    }
}

/// The definition of an agent as a tool of its parent.
pub(super) fn definition(agent: &Instance) -> ToolDefinition {
    let mut definition = StaticTool { params: &INPUT, ..StaticTool::EMPTY }.define();
    definition.name = tool_name(agent).into();
    definition.description = description(agent).into();
    definition.effect = agent.declaration.settings.effect;
    definition.asks = agent.asks;
    if let Some(input) = &agent.input {
        definition = definition.with_input_schema(input.schema().clone());
    }
    if let Some(answer) = &agent.answer {
        definition = definition.with_output_schema(answer.output_schema().clone());
    }
    definition
}

/// The input of an agent in the arguments of a call.
pub(super) fn read_input(
    agent: &Instance,
    definition: &ToolDefinition,
    arguments: &Args,
) -> Result<String, ToolError> {
    match &agent.input {
        Some(form) => form.read(arguments).map_err(|problems| definition.refuse(&problems)),
        None => {
            let fitted = definition.fit(arguments).map_err(|problems| definition.refuse(&problems))?;
            Ok(fitted["input"].as_str().unwrap_or_default().to_owned())
        }
    }
}

/// The name of an agent as a tool.
pub(super) fn tool_name(agent: &Instance) -> String {
    agent_tool(&agent.name)
}

/// The description of an agent as a tool.
pub(super) fn description(agent: &Instance) -> String {
    match agent.info.description() {
        Some(description) => description.to_owned(),
        None => format!("Asks the agent {}.", agent.name),
    }
}

/// Describes a run without an answer for the waiting model: the calls that may have acted, and the last text.
/// `start` is the number of messages before the run's own.
pub(super) fn did(run: &AgentRun, start: usize, answer: &Result<String, RunError>) -> String {
    let Err(error) = answer else { return String::new() };
    let acted = run.cx.acted().and_then(|acted| acted.sentence());
    // Hooks may refuse or change texts of the agent, and this text did not pass them. The text of a cut
    // answer is in its error.
    let is_shown = run.instance.declaration.run_hooks.is_empty()
        && run.message_hooks.is_none()
        && !matches!(error, RunError::Unfinished { .. });
    let said = is_shown.then(|| last_text(run, start)).flatten();
    let said = said.map(|text| format!("It last said: {}", short(text.trim(), MAX_SAID_CHARS)));
    let sentences: Vec<_> = acted.into_iter().chain(said).collect();
    let mut did = if sentences.is_empty() { String::new() } else { format!(". {}", sentences.join(" ")) };
    // The session may have learned a secret after that text.
    if let Some(redactor) = run.cx.concealed().redactor() {
        did.redact(&redactor);
    }
    did
}

/// The last text of the agent in a run.
fn last_text(run: &AgentRun, start: usize) -> Option<String> {
    let messages: Vec<_> = run.messages().since(start).collect();
    messages.iter().rev().find_map(|message| match &**message {
        Message::Assistant { text, .. } if !text.trim().is_empty() => Some(text.clone()),
        Message::User { .. } | Message::Assistant { .. } | Message::Tool { .. } => None,
    })
}

/// The tool error for a run without an answer, for the caller that waited for `timeout`. `did` describes the
/// run.
pub(super) fn failed(
    cx: &ToolContext,
    error: RunError,
    name: &str,
    timeout: Option<Duration>,
    did: &str,
) -> Exit {
    let mut exit = failure(cx, error, name, timeout);
    if let Exit::Tool(error) = &mut exit {
        error.put_around("", did);
    }
    exit
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the parent's model reads every other error as it is")]
fn failure(cx: &ToolContext, error: RunError, name: &str, timeout: Option<Duration>) -> Exit {
    if let Some(abort) = error.as_abort() {
        return abort.into();
    }
    match error {
        RunError::Limit { limit: Limit::Time(limit), .. } if Some(limit) == timeout => {
            let effects = if cx.runs_on() {
                ". A tool that it called cannot be stopped: it may still take effect"
            } else {
                ""
            };
            let text = format!("the agent {name} did not answer within {limit:?}{effects}");
            Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Timeout))
        }
        RunError::Busy { .. } => {
            Exit::Tool(ToolError::new(error.to_string()).with_kind(ErrorKind::Timeout).with_source(error))
        }
        error => error.into(),
    }
}

impl DynTool for ChildTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn run_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let input = read_input(&self.child, &self.definition, args)?;
            let input = if cx.has_sender() {
                let fits = |text: &str| match &self.child.input {
                    Some(form) => form.read_text(text),
                    None => Ok(text.to_owned()),
                };
                let silent = !self.settings.shows(cx.number());
                Box::pin(sent(cx, &self.child.name, input, silent, fits)).await?
            } else {
                input
            };
            self.ask(cx, input).await
        })
    }
}
