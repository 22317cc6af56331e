//! The queue between the writers and the reader of a run's events. A channel would not do: the queue joins
//! deltas when the reader is slow.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};

use super::{Event, EventKind, RunOutput};
use crate::journal::StepRef;
use crate::state::SessionState;
use onionskin_definitions::lock::lock;
use onionskin_definitions::secret::Redact as _;

/// The number of queued events from which deltas are joined and progress is replaced. It is also how many
/// events back a delta to join is searched.
const CAPACITY: usize = 1024;

/// The writing end of a queue for events. An outermost run and its child runs share the queue.
#[derive(Clone)]
pub struct Events {
    queue: Option<Arc<Queue>>,
    agent: Arc<str>,
    /// The session, with the secrets to redact.
    session: SessionState,
}

/// The unread events of a run.
#[derive(Default)]
pub struct Queue {
    state: Mutex<State>,
    /// The queue of another run, to which the events are passed on.
    relay: Option<Relay>,
    /// Whether events are only added up, so that other events need not be created.
    adds_up: AtomicBool,
}

/// Adds the events of one run up, and passes them on to another run's queue.
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
    /// The sum of the events, if only the sum is needed; the events are dropped then.
    sum: Option<RunOutput>,
    /// Whether the reader is gone. Work that outlives the run may still write.
    closed: bool,
}

impl Events {
    pub(crate) fn none() -> Self {
        Self { queue: None, agent: Arc::from(""), session: SessionState::default() }
    }

    /// The events of an agent's run.
    pub fn new(queue: Arc<Queue>, agent: Arc<str>, session: SessionState) -> Self {
        Self { queue: Some(queue), agent, session }
    }

    /// Whether the events have a reader or a sum.
    #[inline]
    pub(crate) fn are_read(&self) -> bool {
        self.queue.is_some()
    }

    /// Whether the events themselves are needed, and not only their sum.
    pub fn are_kept(&self) -> bool {
        match self.queue.as_deref() {
            Some(Queue { relay: Some(relay), .. }) => relay.onto.are_kept(),
            Some(queue) => !queue.adds_up.load(Ordering::Relaxed),
            None => false,
        }
    }

    /// Waits until the reader, if there is one, has taken all events so far.
    ///
    /// Cancel safety: nothing has to be undone.
    pub(crate) async fn read(&self) {
        poll_fn(|context| {
            if self.are_waiting() {
                // The reader polls the run again when it has taken the events.
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            Poll::Ready(())
        })
        .await;
    }

    fn are_waiting(&self) -> bool {
        match self.queue.as_deref() {
            Some(Queue { relay: Some(relay), .. }) => relay.onto.are_waiting(),
            Some(queue) => !lock(&queue.state).waiting.is_empty(),
            None => false,
        }
    }

    /// The same queue for another agent.
    #[must_use]
    pub fn for_agent(&self, agent: Arc<str>) -> Self {
        Self { queue: self.queue.clone(), agent, session: self.session.clone() }
    }

    /// Appends an event. It never blocks, and drops no event while there is a reader. Only deltas and
    /// progress are bounded, because they can be joined.
    pub fn push(&self, step: StepRef<'_>, kind: EventKind) {
        self.push_for(&self.agent, step, kind);
    }

    fn push_for(&self, agent: &Arc<str>, step: StepRef<'_>, mut kind: EventKind) {
        let Some(queue) = &self.queue else { return };
        if let Some(redactor) = self.session.concealed().redactor() {
            kind.redact(&redactor);
        }
        match &queue.relay {
            None => queue.append(agent, step, kind),
            Some(relay) => relay.add(Event { step: step.to_id(), seq: 0, agent: Arc::clone(agent), kind }),
        }
    }

    /// A queue for a run in this scope with its own session, which adds the run's events up and passes them
    /// on to this queue.
    #[must_use]
    pub fn relayed(&self, scope: Arc<str>, session: SessionState) -> Self {
        let relay = Relay { scope, output: Mutex::default(), onto: self.clone() };
        let queue = Queue { relay: Some(relay), ..Queue::default() };
        Self { queue: Some(Arc::new(queue)), agent: Arc::clone(&self.agent), session }
    }

    /// The sum of the events of [`Self::relayed`].
    pub fn output(&self) -> RunOutput {
        let relay = self.queue.as_ref().and_then(|queue| queue.relay.as_ref());
        let output = relay.map(|relay| lock(&relay.output).clone());
        output.unwrap_or_default()
    }
}

impl Relay {
    fn add(&self, event: Event) {
        lock(&self.output).add_in(&self.scope, &event);
        // The secrets of the other run are redacted already.
        self.onto.push_for(&event.agent, event.step.as_step(), event.kind);
    }
}

/// Appends a delta to the last delta of the same kind and call, if the run has written only other deltas
/// since. Replaces the last progress of a call, if the call has emitted nothing since. Returns whether it
/// did. A run is an agent in a scope, because calls of other runs can have the same ids.
fn join(waiting: &mut VecDeque<Event>, agent: &str, scope: &str, kind: &EventKind) -> bool {
    let is_of_run = |event: &&mut Event| &*event.agent == agent && event.step.scope() == scope;
    if let EventKind::Progress { call_id, .. } = kind {
        let is_of_call = |event: &&mut Event| {
            matches!(
                &event.kind,
                EventKind::Progress { call_id: other, .. } | EventKind::User { call_id: other, .. }
                    if other == call_id
            )
        };
        let last = waiting.iter_mut().rev().filter(is_of_run).find(is_of_call);
        let progress =
            last.map(|event| &mut event.kind).filter(|kind| matches!(kind, EventKind::Progress { .. }));
        return progress.map(|last| *last = kind.clone()).is_some();
    }
    let recent = waiting.iter_mut().rev().take(CAPACITY);
    for event in recent.filter(is_of_run) {
        let (text, more) = match (&mut event.kind, kind) {
            (EventKind::TextDelta { text }, EventKind::TextDelta { text: more })
            | (EventKind::ReasoningDelta { text }, EventKind::ReasoningDelta { text: more }) => (text, more),
            (
                EventKind::ToolCallDelta { call_id: other, arguments, .. },
                EventKind::ToolCallDelta { call_id, arguments: more, .. },
            ) if other == call_id => (arguments, more),
            (other, _) if other.is_delta() => continue,
            _ => return false,
        };
        text.push_str(more);
        return true;
    }
    false
}

impl Queue {
    fn append(&self, agent: &Arc<str>, step: StepRef<'_>, kind: EventKind) {
        let mut state = lock(&self.state);
        if state.closed {
            return;
        }
        if let Some(sum) = &mut state.sum {
            sum.add_owned("", agent, step, kind);
            return;
        }
        if state.waiting.len() >= CAPACITY && join(&mut state.waiting, agent, step.scope, &kind) {
            return;
        }
        state.seq += 1;
        let event = Event { step: step.to_id(), seq: state.seq, agent: Arc::clone(agent), kind };
        state.waiting.push_back(event);
        let reader = state.reader.take();
        // A waker is foreign code and may read from the queue at once.
        drop(state);
        if let Some(reader) = reader {
            reader.wake();
        }
    }

    /// Polls the next event.
    pub fn poll_next(&self, waker: &Waker) -> Poll<Event> {
        let mut state = lock(&self.state);
        if let Some(event) = state.waiting.pop_front() {
            return Poll::Ready(event);
        }
        state.reader = Some(waker.clone());
        Poll::Pending
    }

    /// Adds events to this sum from now on, and drops them.
    pub fn add_up(&self, mut sum: RunOutput) {
        let mut state = lock(&self.state);
        for event in std::mem::take(&mut state.waiting) {
            sum.add_owned("", &event.agent, event.step.as_step(), event.kind);
        }
        state.sum = Some(sum);
        self.adds_up.store(true, Ordering::Relaxed);
    }

    /// The sum of the events since [`Self::add_up`]. Later events are dropped.
    pub fn sum(&self) -> RunOutput {
        let mut state = lock(&self.state);
        state.closed = true;
        state.sum.take().unwrap_or_default()
    }

    /// Drops all unread and later events.
    pub fn close(&self) {
        let mut state = lock(&self.state);
        state.closed = true;
        let waiting = std::mem::take(&mut state.waiting);
        // The events can contain user values, so they are dropped outside the lock.
        drop(state);
        drop(waiting);
    }

    /// The next event, if there is one.
    pub fn pop(&self) -> Option<Event> {
        lock(&self.state).waiting.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::{CAPACITY, Events, Queue};
    use crate::event::{EventKind, RunOutput};
    use crate::journal::{StepId, StepKind};
    use crate::state::SessionState;
    use onionskin_definitions::lock::lock;

    /// What a thread writes that outlives its run.
    fn write(queue: &Arc<Queue>) -> usize {
        let events = Events::new(Arc::clone(queue), "clerk".into(), SessionState::default());
        let step = StepId::new(StepKind::Tool, "count");
        for number in 0..3 {
            events.push(step.as_step(), EventKind::User { call_id: None, value: number.into() });
        }
        lock(&queue.state).waiting.len()
    }

    #[test]
    fn a8_events_after_the_reader_left_are_dropped() {
        let queue = Arc::new(Queue::default());
        assert_eq!(write(&queue), 3);
        queue.close();
        assert_eq!(write(&queue), 0);
    }

    fn write_in(events: &Events, scope: &str, kind: EventKind) {
        let step = StepId { scope: scope.into(), ..StepId::new(StepKind::Model, "") };
        events.push(step.as_step(), kind);
    }

    /// Writes a piece of a call of this run.
    fn write_piece(events: &Events, scope: &str, call_id: &str, text: &str) {
        let kind = EventKind::ToolCallDelta {
            call_id: call_id.into(),
            tool: "count".into(),
            arguments: text.to_owned(),
            is_answer: false,
        };
        write_in(events, scope, kind);
    }

    /// The pieces that wait, added up by scope and call.
    fn pieces(queue: &Queue) -> BTreeMap<(String, String), String> {
        let mut sums = BTreeMap::<_, String>::new();
        for event in &lock(&queue.state).waiting {
            let (call, text) = match &event.kind {
                EventKind::ToolCallDelta { call_id, arguments, .. } => (&**call_id, arguments),
                EventKind::TextDelta { text } => ("", text),
                _ => continue,
            };
            sums.entry((event.step.scope().to_owned(), call.to_owned())).or_default().push_str(text);
        }
        sums
    }

    fn queue() -> (Arc<Queue>, Events) {
        let queue = Arc::new(Queue::default());
        let events = Events::new(Arc::clone(&queue), "clerk".into(), SessionState::default());
        (queue, events)
    }

    #[test]
    fn a8_pieces_of_calls_by_turns_are_joined_before_a_slow_reader() {
        let (queue, events) = queue();
        let count = 3 * CAPACITY;
        for number in 0..count {
            write_piece(&events, "", if number % 2 == 0 { "one" } else { "two" }, "1");
            if number % 3 == 0 {
                write_in(&events, "", EventKind::TextDelta { text: "a".to_owned() });
            }
        }
        assert_eq!(lock(&queue.state).waiting.len(), CAPACITY);
        let sums: Vec<_> = pieces(&queue).into_values().map(|text| text.len()).collect();
        assert_eq!(sums, [count / 3, count / 2, count / 2]);
    }

    #[test]
    fn a8_pieces_are_not_joined_past_another_event() {
        let (queue, events) = queue();
        write_piece(&events, "", "one", "1");
        write(&queue);
        (0..CAPACITY).for_each(|_| write_piece(&events, "", "two", "2"));
        write(&queue);
        write_piece(&events, "", "two", "2");
        let waiting = &lock(&queue.state).waiting;
        // The second three events, and the piece behind them.
        assert_eq!(waiting.len(), CAPACITY + 4);
        assert!(
            matches!(&waiting.back().unwrap().kind, EventKind::ToolCallDelta { arguments, .. } if arguments == "2")
        );
    }

    #[test]
    fn a8_pieces_of_two_runs_of_one_agent_are_not_joined() {
        let (queue, events) = queue();
        let count = 2 * CAPACITY;
        for number in 0..count {
            let (scope, text) = if number % 2 == 0 { ("a", "A") } else { ("b", "B") };
            write_piece(&events, scope, "call_1", text);
            write_in(&events, scope, EventKind::TextDelta { text: text.to_owned() });
        }
        assert_eq!(lock(&queue.state).waiting.len(), CAPACITY);
        let half = count / 2;
        for ((scope, call), text) in pieces(&queue) {
            assert_eq!(text, scope.to_uppercase().repeat(half), "{scope} {call}");
        }
        assert_eq!(pieces(&queue).len(), 4);
    }

    #[test]
    fn a8_events_after_the_sum_was_taken_are_dropped() {
        let queue = Arc::new(Queue::default());
        queue.add_up(RunOutput::default());
        queue.sum();
        assert_eq!(write(&queue), 0);
        assert!(lock(&queue.state).sum.is_none());
    }
}
