//! The options of a run, and how a run begins with them.

use std::pin::pin;
use std::sync::Arc;

use onionskin_definitions::boxed::boxed;
use onionskin_definitions::content::ContentBlock;
use onionskin_definitions::definition::Asks;
use onionskin_definitions::secret::Redact as _;
use onionskin_tools::approval::DynApprover;
use onionskin_tools::budget::Budget;
use onionskin_tools::context::{People, RunSeed};
use onionskin_tools::deadline::Deadline;
use onionskin_tools::event::{Events, Queue};
use onionskin_tools::journal::new_id;
use onionskin_tools::model::BoxModel;
use onionskin_tools::onion::caught;
use onionskin_tools::question::{DynAnswerer, Paused, Recording, Resumption, Use};
use onionskin_tools::services::Services;
use onionskin_tools::session::{Checkpoint, LoggedRun, RunLease, Session, Wait};
use tokio_util::sync::CancellationToken;

use crate::agent::built::instance::Instance;
use crate::agent::built::run_ids::NamedRun;
use crate::agent::built::shared::Shared;
use crate::agent::declaration::RunFn;
use crate::agent::error::build_error::BuildError;
use crate::agent::error::run_error::RunError;
use crate::agent::form::answer_form::AnswerForm;
use crate::agent::limits::Limits;
use crate::agent::running::called_tool::CalledTool;
use crate::agent::running::run::{AgentRun, OwnSettings};
use crate::prompt::Prompt;
use crate::run_hook::RunInput;

use super::built::Built;
use super::drive::{drive, never_began, seed, store_on_drop};
use super::ending::{Ending, InPlace, begin_stored, still_waits};
use super::stream::RunStream;

/// The options of a run.
#[derive(Debug, Default)]
pub(super) struct Options {
    pub(super) session: Option<Session>,
    pub(super) run_id: Option<Arc<str>>,
    pub(super) correlation_id: Option<Arc<str>>,
    pub(super) user: Option<Arc<str>>,
    pub(super) approver: Option<Arc<dyn DynApprover>>,
    pub(super) answerer: Option<Arc<dyn DynAnswerer>>,
    /// The answerer if there is no other.
    pub(super) default_answerer: Option<Arc<dyn DynAnswerer>>,
    pub(super) resumption: Resumption,
    pub(super) services: Services,
    /// Services that only count if they are taken.
    pub(super) offered: Services,
    pub(super) prompt: Prompt,
    pub(super) model: Option<BoxModel>,
    pub(super) limits: Option<Box<Limits>>,
    pub(super) budgets: Vec<Arc<Budget>>,
    /// Creates the form of the answer, if it has a type.
    pub(super) answer: Option<fn() -> AnswerForm>,
    pub(super) cancellation: Option<CancellationToken>,
    /// Ends the run before its next turn.
    pub(super) stop: Option<CancellationToken>,
    /// The call, if the run is a single call.
    pub(super) called: Option<Arc<CalledTool>>,
}

impl Options {
    pub(super) async fn system_prompt(self, built: Built) -> Result<Option<String>, RunError> {
        let session = self.session.unwrap_or_else(|| built.session());
        let Built { instance, shared, .. } = built;
        let own = own_settings(&instance, self.prompt, self.model, self.limits)?;
        let services = instance.services_of(&self.services, &self.offered)?;
        session.state().concealed().add(&shared.secrets);
        let run_id = self.run_id.unwrap_or_else(new_id);
        let events = Events::new(Arc::default(), Arc::clone(&instance.name), session.state().clone());
        let seed = seed(&instance, &session, run_id, events, CancellationToken::new())?;
        let identity = seed.identity.requested(self.correlation_id, self.user);
        let seed = RunSeed { identity, services, history: session.history(), ..seed };
        let answer = answer_form(&instance, self.answer)?;
        let mut run = AgentRun::new(seed, instance, session);
        run.own = own;
        run.answer = answer.or(run.answer);
        if let Some(listed) = run.list_tools() {
            listed.await?;
        }
        let text = run.first_system().await?;
        Ok(text.map(|text| run.context().hide_text(&*text).into_owned()))
    }

    pub(super) fn stream(self, built: Built, input: RunInput) -> RunStream {
        let queue = Arc::new(Queue::default());
        let in_session = self.session.is_some();
        let session = self.session.clone().unwrap_or_else(|| built.session());
        let Built { instance, run: answer, shared } = built;
        let answer: RunFn = match self.called {
            Some(_) => |run, arguments| Box::pin(run.call_for_program(arguments)),
            None => answer,
        };
        let token =
            self.cancellation.as_ref().map_or_else(CancellationToken::new, CancellationToken::child_token);
        let limits = self.limits.as_deref().unwrap_or_else(|| instance.limits());
        let deadline = Deadline::sooner(limits.time, None);
        let events = Events::new(Arc::clone(&queue), Arc::clone(&instance.name), session.state().clone());
        let run = async move {
            // A task that a tool spawned with the run's token ends with the run.
            let _ends = token.clone().drop_guard();
            let paused = self.resumption.paused.clone();
            let wait = Wait { deadline: deadline.clone(), token: &token };
            let place = Place {
                instance: &instance,
                shared: &shared,
                session: &session,
                events: &events,
                in_session,
            };
            let work = boxed(|| self.run_in_turn(place, answer, input, wait.clone()));
            let answer = session.in_turn(wait.clone(), InPlace(pin!(Some(work)))).await;
            let answer = answer
                .unwrap_or_else(|no_turn| Err(RunError::from_no_turn(no_turn, &instance.name, &session)));
            answer
                .inspect_err(|error| {
                    let parent = paused.as_ref().and_then(Paused::traceparent);
                    never_began(&instance, &events, "".into(), error, parent);
                })?
                .map(drop)
        };
        RunStream::new(Box::pin(run), queue)
    }

    /// Runs an agent whose session has its turn. The answer of the turn is an error if the run did not begin.
    async fn run_in_turn(
        self,
        place: Place<'_>,
        answer: RunFn,
        input: RunInput,
        wait: Wait<'_>,
    ) -> Result<Result<String, RunError>, RunError> {
        let in_session = place.in_session;
        let begun = boxed(|| self.begin(place, &input, wait)).await?;
        let Begun { named: _named, run, start, lease, checkpoint, is_resumed, used } = begun;
        let store = store_on_drop(&run, start);
        let answer = boxed(|| drive(&run, answer, input.into_text())).await;
        let still_waits = still_waits(&run, lease.as_ref().filter(|_| is_resumed), &answer).await;
        drop(store);
        drop(used);
        let ending = Ending { run: &run, start, lease, checkpoint, is_resumed, in_session };
        Ok(boxed(|| ending.end(still_waits, answer)).await)
    }

    /// Begins a run whose session has its turn. A future of its own, whose locals take up no stack of nested runs.
    async fn begin(self, place: Place<'_>, input: &RunInput, wait: Wait<'_>) -> Result<Begun, RunError> {
        let Place { instance, shared, session, events, in_session } = place;
        let (deadline, token) = (wait.deadline.clone(), wait.token.clone());
        let own = own_settings(instance, self.prompt, self.model, self.limits)?;
        let answer_form = answer_form(instance, self.answer)?;
        let services = instance.services_of(&self.services, &self.offered)?;
        // The session may come from another agent.
        session.state().concealed().add(&shared.secrets);
        let named = named_run(shared, instance, self.run_id.as_ref())?;
        let run_id = self.run_id.unwrap_or_else(new_id);
        let approver = self.approver.or_else(|| shared.approver.clone());
        let mut resumption = self.resumption;
        let is_resumed = resumption.paused.is_some();
        let logged = LoggedRun {
            run_id: Arc::clone(&run_id),
            agent: Arc::clone(&instance.name),
            user: self.user.clone(),
            is_replayable: shared.journal.is_some(),
        };
        let lease = begin_stored(session, logged, &mut resumption, wait).await?;
        // What others appended to a stored session is in it now.
        let history = session.history();
        let start = history.len();
        let may_pause = match instance.asks {
            Asks::More => true,
            Asks::Approval => approver.is_none(),
            Asks::Nothing => false,
        };
        let journal = shared.journal.as_ref();
        let recording = resumption.recording(&instance.name, journal, &run_id, may_pause, in_session).await;
        let wrong = |source| RunError::Answer { agent: Arc::clone(&instance.name), source };
        let recording = recording.map_err(wrong)?;
        let records = recording.own();
        let Recording { mut journal, questions, used } = recording;
        if let (Some(lease), Some(records)) = (&lease, records) {
            journal = Some(lease.journal(records).await);
        }
        let checkpoint = questions.as_ref().map(|questions| {
            let (text, parts) = shown(input, session);
            questions.keep_input(text, parts);
            session.checkpoint()
        });
        let answerer = self.answerer.or_else(|| shared.answerer.clone()).or(self.default_answerer);
        let people = People { approver, answerer, questions };
        let seed = seed(instance, session, run_id, events.clone(), token)?;
        let identity = seed.identity.requested(self.correlation_id, self.user);
        let stop = self.stop;
        let seed = RunSeed { identity, people, journal, deadline, services, stop, history, ..seed };
        let budgets = shared.budgets.for_run(&seed, &self.budgets, in_session);
        let budgets = budgets.map_err(|error| RunError::budget(&instance.name, error))?;
        let seed = RunSeed { budgets, ..seed };
        let mut run = Box::new(AgentRun::new(seed, Arc::clone(instance), session.clone()));
        run.own = own;
        run.answer = answer_form.or(run.answer.take());
        run.called = self.called;
        run.keep_attached(input);
        Ok(Begun { run, start, lease, checkpoint, is_resumed, used, named })
    }
}

/// Where a run begins.
#[derive(Clone, Copy)]
struct Place<'p> {
    instance: &'p Arc<Instance>,
    shared: &'p Shared,
    session: &'p Session,
    events: &'p Events,
    /// Whether the program gave it the session.
    in_session: bool,
}

/// A run that has begun in its session, and what its end needs.
struct Begun {
    /// In a box, which moves with less room on the stack of nested runs.
    run: Box<AgentRun>,
    /// The number of messages that the session had before.
    start: usize,
    lease: Option<RunLease>,
    /// The session before the run, if the run can pause.
    checkpoint: Option<Checkpoint>,
    is_resumed: bool,
    /// The use of the paused value that it continues.
    used: Option<Use>,
    /// Its id is in use until its end.
    named: Option<NamedRun>,
}

/// Registers the id of a request; `None` if it has none.
fn named_run(
    shared: &Shared,
    instance: &Instance,
    id: Option<&Arc<str>>,
) -> Result<Option<NamedRun>, RunError> {
    let Some(id) = id else { return Ok(None) };
    let in_use = || RunError::RunIdInUse { agent: Arc::clone(&instance.name), run_id: Arc::clone(id) };
    shared.run_ids.begin(id).ok_or_else(in_use).map(Some)
}

/// The input without the secrets of the session, as the model gets it.
fn shown(input: &RunInput, session: &Session) -> (String, Vec<ContentBlock>) {
    let (mut text, mut parts) = (input.text().to_owned(), input.clone().into_parts());
    if let Some(redactor) = session.state().concealed().redactor() {
        text.redact(&redactor);
        for part in &mut parts {
            part.redact(&redactor);
        }
    }
    (text, parts)
}

/// The type of the answer of a request. Its schema comes from code of the type.
fn answer_form(
    instance: &Instance,
    make: Option<fn() -> AnswerForm>,
) -> Result<Option<Arc<AnswerForm>>, RunError> {
    let made = make.map(|make| caught(make).map(Arc::new)).transpose();
    made.map_err(|reason| {
        let reason = format!("the schema of its answer panicked: {reason}");
        RunError::Agent { agent: Arc::clone(&instance.name), reason }
    })
}

/// The settings of a request in place of the agent's; `None` if it has none.
fn own_settings(
    instance: &Instance,
    provided: Prompt,
    model: Option<BoxModel>,
    limits: Option<Box<Limits>>,
) -> Result<Option<Box<OwnSettings>>, RunError> {
    if provided.is_empty() && model.is_none() && limits.is_none() {
        return Ok(None);
    }
    let prompt = (!provided.is_empty() || model.is_some()).then(|| {
        // The texts of the model come from its own code.
        let made = caught(|| instance.tools.prompt().for_request(provided, model.as_ref()));
        let panicked = |reason| RunError::Agent { agent: Arc::clone(&instance.name), reason };
        made.map_err(panicked)?.map_err(|error| RunError::WrongPrompt(Arc::new(error)))
    });
    if let Some(limits) = &limits
        && let Some((setting, mistake)) = limits.zeros().into_iter().next()
    {
        let agent = instance.name.to_string();
        return Err(RunError::WrongLimits(Arc::new(BuildError::ZeroSetting { agent, setting, mistake })));
    }
    let limits = limits.map(|limits| *limits);
    Ok(Some(Box::new(OwnSettings { prompt: prompt.transpose()?, model, limits })))
}
