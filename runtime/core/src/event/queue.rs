//! Where a run writes its events, and where they are read.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};

use super::{Event, EventKind, RunOutput};
use crate::journal::StepId;
use crate::secret::Redact as _;
use crate::state::SessionState;

/// Deltas join the last one of their kind when so many events wait to be read.
const CAPACITY: usize = 1024;

/// Where a run writes its events; all runs beneath an outermost run share one.
#[derive(Clone)]
pub(crate) struct Events {
    queue: Option<Arc<Queue>>,
    agent: Arc<str>,
    /// Knows the secrets that no event may show.
    session: SessionState,
}

#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    /// Where its events go instead of waiting here.
    relay: Option<Relay>,
    /// Whether events are added up only, so that those that add nothing need not be made.
    adds_up: AtomicBool,
}

/// Gives the events of one run on to another's, and adds them up.
struct Relay {
    /// The run's scope.
    scope: Arc<str>,
    output: Mutex<RunOutput>,
    onto: Events,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Event>,
    seq: u64,
    reader: Option<Waker>,
    /// What the events add up to, once only that is wanted of them: they are not kept then.
    sum: Option<RunOutput>,
}

impl Events {
    pub(crate) fn none() -> Self {
        Self { queue: None, agent: Arc::from(""), session: SessionState::default() }
    }

    pub(crate) fn new(queue: Arc<Queue>, agent: Arc<str>, session: SessionState) -> Self {
        Self { queue: Some(queue), agent, session }
    }

    /// Whether they go anywhere.
    #[inline]
    pub(crate) fn are_read(&self) -> bool {
        self.queue.is_some()
    }

    /// Whether anything beside their sum is wanted of them.
    pub(crate) fn are_kept(&self) -> bool {
        match self.queue.as_deref() {
            Some(Queue { relay: Some(relay), .. }) => relay.onto.are_kept(),
            Some(queue) => !queue.adds_up.load(Ordering::Relaxed),
            None => false,
        }
    }

    /// The same queue for a child.
    pub(crate) fn for_agent(&self, agent: Arc<str>) -> Self {
        Self { queue: self.queue.clone(), agent, session: self.session.clone() }
    }

    /// Never blocks and never drops: only deltas are held to a bound, by joining them.
    pub(crate) fn push(&self, step: impl FnOnce() -> StepId, mut kind: EventKind) {
        let Some(queue) = &self.queue else { return };
        if let Some(redactor) = self.session.concealed().redactor() {
            kind.redact(&redactor);
        }
        match &queue.relay {
            None => queue.append(&self.agent, step, kind),
            Some(relay) => relay.add(Event { step: step(), seq: 0, agent: Arc::clone(&self.agent), kind }),
        }
    }

    /// For a run in this scope with a session of its own: its events are added up on their way here.
    pub(crate) fn relayed(&self, scope: Arc<str>, session: SessionState) -> Self {
        let relay = Relay { scope, output: Mutex::default(), onto: self.clone() };
        let queue = Queue { relay: Some(relay), ..Queue::default() };
        Self { queue: Some(Arc::new(queue)), agent: Arc::clone(&self.agent), session }
    }

    /// Pushes an event of another run, whose secrets are out of it.
    fn pass(&self, mut event: Event) {
        let Some(queue) = &self.queue else { return };
        if let Some(redactor) = self.session.concealed().redactor() {
            event.kind.redact(&redactor);
        }
        match &queue.relay {
            None => queue.append(&event.agent, || event.step, event.kind),
            Some(relay) => relay.add(event),
        }
    }

    /// What the events of [`Self::relayed`] added up to.
    pub(crate) fn output(&self) -> RunOutput {
        let relay = self.queue.as_ref().and_then(|queue| queue.relay.as_ref());
        let output = relay.map(|relay| relay.output.lock().unwrap_or_else(PoisonError::into_inner).clone());
        output.unwrap_or_default()
    }
}

impl Relay {
    fn add(&self, event: Event) {
        self.output.lock().unwrap_or_else(PoisonError::into_inner).add_in(&self.scope, &event);
        self.onto.pass(event);
    }
}

/// Appends a delta to the last event, if that is a delta of the same kind and agent.
fn join(waiting: &mut VecDeque<Event>, agent: &str, kind: &EventKind) -> bool {
    let Some(last) = waiting.iter_mut().rev().find(|event| &*event.agent == agent) else { return false };
    match (&mut last.kind, kind) {
        (EventKind::TextDelta { text }, EventKind::TextDelta { text: more })
        | (EventKind::ReasoningDelta { text }, EventKind::ReasoningDelta { text: more }) => {
            text.push_str(more);
            true
        }
        _ => false,
    }
}

impl Queue {
    fn append(&self, agent: &Arc<str>, step: impl FnOnce() -> StepId, kind: EventKind) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sum) = &mut state.sum {
            if kind.adds_up() {
                sum.take_in("", Event { step: step(), seq: 0, agent: Arc::clone(agent), kind });
            }
            return;
        }
        if state.waiting.len() >= CAPACITY && join(&mut state.waiting, agent, &kind) {
            return;
        }
        state.seq += 1;
        let event = Event { step: step(), seq: state.seq, agent: Arc::clone(agent), kind };
        state.waiting.push_back(event);
        let reader = state.reader.take();
        // A waker is foreign code: it may well read at once.
        drop(state);
        if let Some(reader) = reader {
            reader.wake();
        }
    }

    pub(crate) fn poll_next(&self, waker: &Waker) -> Poll<Event> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(event) = state.waiting.pop_front() {
            return Poll::Ready(event);
        }
        state.reader = Some(waker.clone());
        Poll::Pending
    }

    /// Keeps no event from now on, but what they add up to, beginning with this.
    pub(crate) fn add_up(&self, mut sum: RunOutput) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        for event in std::mem::take(&mut state.waiting) {
            sum.take_in("", event);
        }
        state.sum = Some(sum);
        self.adds_up.store(true, Ordering::Relaxed);
    }

    /// What the events added up to since [`Self::add_up`].
    pub(crate) fn sum(&self) -> RunOutput {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.sum.take().unwrap_or_default()
    }

    pub(crate) fn pop(&self) -> Option<Event> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).waiting.pop_front()
    }
}
