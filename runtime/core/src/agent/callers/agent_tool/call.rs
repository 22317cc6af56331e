//! One call of an agent that is a tool.

use std::sync::{Arc, OnceLock};

use futures_util::future::BoxFuture;
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::ToolDefinition;
use onionskin_definitions::error::{ErrorKind, Exit, ToolError, ToolResult};
use onionskin_definitions::json;
use onionskin_definitions::schema::Problem;
use onionskin_tools::context::{AbortCause, CallStages, RunSeed, ToolContext};
use onionskin_tools::deadline::Deadline;
use onionskin_tools::event::Events;
use onionskin_tools::session::{Chosen, NoThread, NoTurn, Owner, Session, Wait};
use onionskin_tools::tool::DynTool;

use crate::agent::callers::built::Built;
use crate::agent::callers::child_tool;
use crate::agent::callers::drive::{child_seed, drive, never_began, scope, store_on_drop};
use crate::agent::error::run_error::RunError;
use crate::agent::parts::settings::DISPLAY_INSTANCES;
use crate::agent::running::run::AgentRun;

use super::{Choice, THREAD, Wrapped};

/// The tool, with values that are derived from its settings once.
pub(super) struct AgentCall {
    tool: Arc<Wrapped>,
    definition: ToolDefinition,
}

/// One run of the agent.
struct CallInput<'a> {
    name: Arc<str>,
    deadline: Option<Deadline>,
    input: String,
    /// A description of a run without an answer.
    did: &'a OnceLock<String>,
}

impl AgentCall {
    pub(super) fn new(tool: Arc<Wrapped>, definition: ToolDefinition) -> Self {
        Self { tool, definition }
    }

    /// Returns the input for the agent, and the thread that the model chose.
    fn read(&self, args: &Args) -> ToolResult<(String, Option<String>)> {
        let refuse = |problems: &[Problem]| Exit::Tool(self.definition.refuse(problems));
        let mut arguments = self.definition.fit(args).map_err(|problems| refuse(&problems))?;
        let thread = if self.tool.thread_argument { json::remove(&mut arguments, THREAD) } else { None };
        // The schema accepts the values. The type may still reject them.
        let input = (self.tool.input.read)(arguments)
            .map_err(|error| refuse(&[Problem::from_reader(error.to_string())]))?;
        Ok((input, thread.and_then(|name| name.as_str().map(str::to_owned))))
    }

    /// The thread in which the call continues.
    fn thread(&self, cx: &ToolContext, by_model: Option<String>) -> ToolResult<Option<Session>> {
        let (chosen, name) = match (by_model, &self.tool.thread) {
            (Some(name), _) => (Chosen::ByModel, name),
            (None, Choice::Fresh) => return Ok(None),
            (None, Choice::Session(session)) if session.log().is_some() => {
                return Err(Exit::tool(
                    "the thread of this tool is a stored session, which only runs of its own can use: use a session of \
                     `AgentHandle::session`, or let `AgentTool::thread_by` name the thread",
                ));
            }
            (None, Choice::Session(session)) => return Ok(Some(session.clone())),
            (None, Choice::Named(choose)) => match choose(cx) {
                Some(name) => (Chosen::ByCode, name),
                None => return Ok(None),
            },
        };
        // A caller outside a run is unknown, so a named thread would be open to every caller.
        let Some(session) = cx.run().session() else {
            let text = match chosen {
                Chosen::ByModel => {
                    "a `thread` lives in the session of the run that calls, and this call belongs to no run: leave \
                     `thread` out"
                }
                Chosen::ByCode => {
                    "the thread of this call lives in the session of the run that calls, and this call belongs to no \
                     run: use `AgentTool::thread` with a session outside of a run"
                }
            };
            return Err(Exit::tool(text));
        };
        if session.log().is_some() && cx.run().hide_text(&*name) != *name {
            return Err(Exit::tool(
                "the name of the thread contains a secret, and a stored session stores the names of threads: use another name",
            ));
        }
        let owner = Owner {
            caller: cx.agent_name().into(),
            tool: cx.tool_name().into(),
            user: cx.run().user_id(),
            chosen,
        };
        let agent = &self.tool.agent;
        let instance = Arc::clone(&agent.0.instance) as _;
        let thread = session.threads().open(&instance, owner, &name, || agent.session());
        thread.map(Some).map_err(|problem| {
            if let NoThread::Unreadable(error) = problem {
                return Exit::from(error);
            }
            let most = chosen.most();
            let text = match chosen {
                Chosen::ByModel => {
                    format!("there are {most} threads, which is the most: continue one of them, or omit `thread`")
                }
                Chosen::ByCode => format!(
                    "`{}` cannot begin another conversation: the program has named {most} in this session, which is \
                     the most; let `AgentTool::thread_by` give names again, or begin a new session",
                    cx.tool_name()
                ),
            };
            Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Limit))
        })
    }

    async fn ask(&self, cx: &ToolContext, session: Session, input: String) -> ToolResult {
        let instance = &self.tool.agent.0.instance;
        let name = match cx.number() {
            // Only the calls of a run are numbered.
            0 => Arc::clone(&instance.name),
            number => format!("{}[{number}]", instance.name).into(),
        };
        let events = cx.run().events().relayed(scope(cx), session.state().clone());
        let caller = Deadline::for_caller(self.tool.timeout, cx.run().deadline());
        let deadline = Deadline::sooner(instance.limits().time, caller);
        let wait = Wait { deadline: deadline.clone(), token: &cx.cancellation() };
        let did = OnceLock::new();
        let request = CallInput { name: Arc::clone(&name), deadline, input, did: &did };
        let run = self.run(cx, &session, &events, request);
        let answer = if is_going_on(&session, cx) {
            Err(NoTurn::WaitsForItself)
        } else {
            session.in_turn(wait, run).await
        };
        let no_turn = |no_turn| Err(RunError::from_no_turn(no_turn, &instance.name, &session));
        let answer = answer.unwrap_or_else(no_turn);
        let outside = events.for_agent(Arc::clone(&name));
        let answer =
            answer.inspect_err(|error| never_began(instance, &outside, scope(cx), error, None)).flatten();
        match (answer, &self.tool.output, &self.tool.on_error) {
            (Err(error), ..) if child_tool::leaves_call_open(cx, &error) => cx.wait_with_child().await,
            (Ok(text), None, _) => child_tool::output(instance, text),
            (Ok(_), Some(extract), _) => extract(events.output()),
            (Err(error), _, Some(recover)) if error.as_abort().is_none() => {
                cx.stages(CallStages::exclude_from_caches);
                recover(cx, error).await
            }
            (Err(error), ..) => {
                let did = did.get().map_or("", String::as_str);
                Err(child_tool::failed(cx, error, &name, self.tool.timeout, did))
            }
        }
    }

    /// Runs the agent in its own session until it answers. The outer error means that the run did not begin.
    async fn run(
        &self,
        cx: &ToolContext,
        session: &Session,
        events: &Events,
        request: CallInput<'_>,
    ) -> Result<Result<String, RunError>, RunError> {
        let CallInput { name, deadline, input, did } = request;
        let Built { instance, run: answer, shared } = &self.tool.agent.0;
        session.state().concealed().add(&shared.secrets);
        // Secrets of the caller's session must not reach a model here either.
        session.state().concealed().learn(cx.run().concealed());
        let history = session.history();
        let start = history.len();
        let mut seed = child_seed(cx, instance, session, name, events, deadline)?;
        seed.people.approver = shared.approver.clone().or(seed.people.approver);
        seed.people.answerer = shared.answerer.clone().or(seed.people.answerer);
        seed.services = instance.services.for_call(cx.run().services())?;
        seed.journal = shared.journal.clone().or(seed.journal);
        let budgets = shared.budgets.for_run(&seed, &[], !matches!(self.tool.thread, Choice::Fresh));
        seed.budgets = budgets.map_err(|error| {
            // A mistake of the program, which no model can handle.
            cx.abort_for(AbortCause::Budget(error.clone()));
            RunError::budget(&instance.name, error)
        })?;
        let mut run = AgentRun::new(RunSeed { history, ..seed }, Arc::clone(instance), session.clone());
        run.shown = is_shown(cx);
        let _kept = store_on_drop(&run, start);
        let answer = drive(&run, *answer, input).await;
        let _ = did.set(child_tool::did(&run, start, &answer));
        Ok(answer)
    }
}

impl DynTool for AgentCall {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn run_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let (input, by_model) = self.read(args)?;
            let input = if cx.has_sender() {
                let fits = |text: &str| (self.tool.input.fits)(text);
                let agent = &self.tool.agent.0.instance.name;
                Box::pin(child_tool::sent(cx, agent, input, !is_shown(cx), fits)).await?
            } else {
                input
            };
            let thread = self.thread(cx, by_model)?;
            self.ask(cx, thread.unwrap_or_else(|| self.tool.agent.session()), input).await
        })
    }

    /// Does nothing: `run_dyn` reads and checks the arguments in one step.
    fn fit_args_dyn(&self, _: &ToolContext, _: &mut Args) -> ToolResult<()> {
        Ok(())
    }

    fn check_args_dyn(&self, _: &ToolContext, args: &Args) -> ToolResult<()> {
        self.read(args).map(drop)
    }
}

/// Whether the run of the call is shown to people.
fn is_shown(cx: &ToolContext) -> bool {
    usize::try_from(cx.number()).unwrap_or(usize::MAX) <= DISPLAY_INSTANCES
}

/// Whether the call comes from a run in this thread, and so would wait for itself.
fn is_going_on(thread: &Session, cx: &ToolContext) -> bool {
    let mut run = Some(cx.run());
    while let Some(this) = run {
        if this.session().is_some_and(|session| session.is(thread)) {
            return true;
        }
        run = this.parent();
    }
    false
}
