//! Drives a run: from its seed to its answer.

use std::pin::pin;
use std::sync::{Arc, LazyLock};

use onionskin_definitions::boxed::boxed;
use onionskin_definitions::on_drop::OnDrop;
use onionskin_definitions::secret::Redact as _;
use onionskin_tools::budget::Budgets;
use onionskin_tools::context::{AbortCause, Acted, People, RunHooks, RunIdentity, RunSeed, ToolContext};
use onionskin_tools::deadline::Deadline;
use onionskin_tools::event::{EventKind, Events};
use onionskin_tools::journal::{StepId, StepKind, new_id};
use onionskin_tools::model::History;
use onionskin_tools::onion::{caught_async, reaching};
use onionskin_tools::services::Services;
use onionskin_tools::session::{Chain, Session};
use onionskin_tools::state::{StateCell, StateHandle};
use onionskin_tools::trace::TraceParent;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::agent::built::instance::Instance;
use crate::agent::declaration::RunFn;
use crate::agent::error::run_error::RunError;
use crate::agent::running::run::AgentRun;
use crate::agent::running::spans::RunSpan;

/// The seed of an outermost run of an agent in a session. The caller sets the parts that depend on the
/// request.
pub(super) fn seed(
    instance: &Instance,
    session: &Session,
    run_id: Arc<str>,
    events: Events,
    token: CancellationToken,
) -> Result<RunSeed, RunError> {
    Ok(RunSeed {
        identity: RunIdentity {
            agent: instance.info.clone(),
            instance: Arc::clone(&instance.name),
            correlation_id: Arc::clone(&run_id),
            run_id,
            scope: Arc::default(),
            user: None,
        },
        people: People::default(),
        hooks: RunHooks {
            core: Some(Arc::clone(&instance.core)),
            outer: None,
            children: reaching(None, &instance.reaches),
            // The hooks of the run, which are not known yet.
            sender: None,
        },
        begun_by: None,
        acted: None,
        state: state_of(instance, session)?,
        codec: instance.declaration.state_codec,
        session_state: session.state().clone(),
        session: Some(session.clone()),
        services: Services::default(),
        events,
        journal: None,
        budgets: Budgets::default(),
        deadline: None,
        token,
        stop: None,
        history: History::new(),
    })
}

/// The seed of the run that the call of `cx` starts, with the displayed name `name`. The journal, the
/// approver, the user and the services are the caller's. Outside a run it is an independent run.
pub(super) fn child_seed(
    cx: &ToolContext,
    instance: &Instance,
    session: &Session,
    name: Arc<str>,
    events: &Events,
    deadline: Option<Deadline>,
) -> Result<RunSeed, RunError> {
    let caller = cx.run();
    let parent = Some(caller).filter(|run| run.session().is_some());
    let run_id = parent.map_or_else(new_id, |parent| parent.run_id().into());
    let seed = seed(
        instance,
        session,
        run_id,
        events.for_agent(Arc::clone(&name)),
        cx.cancellation().child_token(),
    )?;
    let outer = caller.child_hooks().cloned();
    Ok(RunSeed {
        identity: RunIdentity {
            instance: name,
            correlation_id: parent
                .map_or(seed.identity.correlation_id, |parent| parent.correlation_id().into()),
            scope: scope(cx),
            user: caller.user_id(),
            ..seed.identity
        },
        people: caller.people().clone(),
        hooks: RunHooks { children: reaching(outer.clone(), &instance.reaches), outer, ..seed.hooks },
        begun_by: parent.map(|_| cx.begins()),
        acted: Some(Acted::for_child_of(caller.acted())),
        journal: caller.journal().cloned(),
        budgets: caller.shared_budgets().clone(),
        deadline: Deadline::sooner(instance.limits().time, deadline),
        services: caller.services().clone(),
        stop: caller.stop().cloned(),
        ..seed
    })
}

/// The scope of the run that a call starts.
pub(super) fn scope(cx: &ToolContext) -> Arc<str> {
    // Each start of the agent is a separate run, also if the tool's own hooks start it again.
    let id = cx.step_id(StepKind::Tool).in_attempt(cx.tries());
    id.to_string().into()
}

/// Runs an agent to its answer, or until its run is over, and reports its start and its end. A panic of a hand-written
/// agent is an error of its run.
pub(super) async fn drive(run: &AgentRun, answer: RunFn, input: String) -> Result<String, RunError> {
    let span = RunSpan::begin(run, &input);
    let answer = pin!(driven(run, answer, input));
    let answer = answer.instrument(span.span());
    let answer = match run.cx.journal() {
        None => answer.await,
        Some(_) => {
            let id = run.step(0, StepKind::Run).to_id();
            boxed(|| run.cx.around_strands(Some(&id), answer)).await
        }
    };
    let answer = match answer {
        Err(RunError::Paused(paused)) => Err(RunError::Paused(span.pause(paused))),
        answer => answer,
    };
    span.end(&answer);
    answer
}

async fn driven(run: &AgentRun, answer: RunFn, input: String) -> Result<String, RunError> {
    if run.context().events().are_kept() {
        run.event(0, EventKind::run_started(&input, run.shown));
    }
    // Reports the end of a run that is dropped before its end.
    let dropped = OnDrop(|| {
        let error = RunError::Cancelled { agent: Arc::clone(&run.instance.name) };
        run.event(0, EventKind::run_failed(&error));
    });
    let _running = run.context().running();
    // A panic can occur before the first await.
    // A call has no input and no answer of the agent.
    let is_agents = run.called.is_none();
    let has_hooks = is_agents && !run.instance.declaration.run_hooks.is_empty();
    let has_turn_hooks = is_agents && run.has_turn_hooks();
    let is_before_send = is_agents && run.is_before_send();
    let start = run.context().conversation().len();
    let work = pin!(async {
        // Boxed, so that a run without run hooks has no room for them.
        let input = if has_hooks { boxed(|| run.before_run(input)).await? } else { input };
        let input = if is_before_send { boxed(|| run.receive_input(input)).await? } else { input };
        run.check_attached()?;
        if let Some(listed) = run.list_tools() {
            listed.await?;
        }
        let answered = caught_async(async { answer(run, input).await }).await;
        if has_turn_hooks && matches!(answered, Ok(Ok(_))) {
            boxed(|| run.complete_turn()).await?;
        }
        let answered = match answered {
            Ok(Ok(text)) if is_before_send => Ok(Ok(boxed(|| run.send_answer(text)).await?)),
            answered => answered,
        };
        match answered {
            Ok(Ok(text)) if has_hooks => {
                // Otherwise the next input of the session could make the model repeat the answer, also if the
                // run is dropped meanwhile.
                let unchecked = OnDrop(|| run.withdraw_answer(start));
                let answer = boxed(|| run.after_run(text)).await;
                if answer.is_ok() {
                    std::mem::forget(unchecked);
                }
                Ok(Ok(answer.and_then(|text| run.fit_answer(text))))
            }
            Ok(Ok(text)) if is_agents => Ok(Ok(run.fit_answer(text))),
            answered => Ok(answered),
        }
    });
    let work = pin!(async {
        let work = run.unless_paused(work);
        // A journal that does not respond delays the run no longer than its limits allow.
        match run.cx.journal() {
            None => work.await,
            Some(_) => boxed(|| run.cx.strand(|| run.step(0, StepKind::Run).to_id(), work)).await,
        }
    });
    let done = match Chain::enter(&run.instance.name, run.limits().depth) {
        Ok(chain) => chain.around(run.until_over(work)).await,
        Err((chain, max)) => {
            let agent = Arc::clone(&run.instance.name);
            Err(RunError::Depth { agent, max, chain: chain.into() })
        }
    };
    let budgets = run.cx.shared_budgets();
    if !budgets.is_empty()
        && let Err(error) = boxed(|| budgets.write_ended()).await
    {
        run.cx.abort_for(AbortCause::Budget(error));
    }
    let answer = match done {
        Ok(Ok(answer)) => answer,
        Ok(Err(words)) => {
            let reason = format!("it panicked: {words}");
            Err(RunError::Agent { agent: Arc::clone(&run.instance.name), reason })
        }
        Err(over) => Err(over),
    };
    std::mem::forget(dropped);
    // A hand-written agent cannot turn an abort into an answer either.
    let answer = if run.is_paused() && answer.is_ok() { Err(run.paused()) } else { answer };
    let mut answer = RunError::from_abort(run.context()).map_or(answer, Err);
    if let Some(redactor) = run.context().concealed().redactor() {
        match &mut answer {
            Ok(text) => text.redact(&redactor),
            Err(error) => error.redact(&redactor),
        }
    }
    let end = match &answer {
        Ok(text) => EventKind::run_finished(text),
        Err(RunError::Paused(paused)) => {
            EventKind::run_paused(paused.questions().iter().map(onionskin_tools::question::Question::key))
        }
        Err(error) => EventKind::run_failed(error),
    };
    run.event(0, end);
    answer
}

/// Reports the end of a run that did not begin: the session lacks a state, or the run did not get its turn.
/// `paused` is the trace parent of the paused run that it continues.
pub(super) fn never_began(
    instance: &Instance,
    events: &Events,
    scope: Arc<str>,
    error: &RunError,
    paused: Option<&TraceParent>,
) {
    RunSpan::never_began(instance, error, paused);
    let step = StepId::new(StepKind::Run, "").in_scope(scope);
    events.push(step.as_step(), EventKind::run_failed(error));
}

/// Stores the messages of a run in its session when the run ends, also if it is dropped before its end,
/// because its tools may have acted. `start` is the number of messages that the session had before.
pub(super) fn store_on_drop(run: &AgentRun, start: usize) -> OnDrop<impl FnMut() + '_> {
    OnDrop(move || {
        if !run.is_paused() {
            run.session.append(&run.closed_messages(), start);
        }
    })
}

/// The state of agents that declare no state.
static NO_STATE: LazyLock<StateHandle> = LazyLock::new(|| StateCell::handle((), None));

/// The agent's state in a session that may also contain states of its children.
fn state_of(instance: &Instance, session: &Session) -> Result<StateHandle, RunError> {
    for (agent, state) in &instance.needs {
        match session.state_handle(state.id()) {
            Some(Ok(_)) => {}
            Some(Err(panic)) => {
                let reason = format!("its state `{}` panicked when it was copied: {panic}", state.name());
                return Err(RunError::Agent { agent: Arc::clone(agent), reason });
            }
            None => return Err(RunError::NoState { agent: Arc::clone(agent), state: state.name() }),
        }
    }
    let own = session.state_handle(instance.state.id()).and_then(Result::ok);
    Ok(own.unwrap_or_else(|| Arc::clone(&NO_STATE)))
}
