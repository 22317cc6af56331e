//! What of a session is in its log, and the changes that are not.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::model::{History, Message, ToolResultMessage, redact_message};
use crate::session::saved::no_values;
use crate::session::{SavedSessionError, Session};
use crate::session_store::{Change, ThreadKey};
use crate::state::StateHandle;
use onionskin_definitions::lock::lock;
use onionskin_definitions::secret::{Redact as _, Redactor};

/// What a session has and its log does not.
#[derive(Default)]
pub(super) struct Changes {
    pub(super) changes: Vec<Change>,
    /// The first state that cannot be written.
    pub(super) problem: Option<SavedSessionError>,
}

impl Changes {
    pub(super) fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.problem.is_none()
    }
}

/// The parts of a session that are in its log.
#[derive(Clone, Default)]
pub(super) struct Snapshot {
    own: PartSnapshot,
    threads: BTreeMap<ThreadKey, PartSnapshot>,
}

impl Snapshot {
    /// All of a session that was just read from its log.
    pub(super) fn all(session: &Session) -> Self {
        Self { own: PartSnapshot::all(session), threads: BTreeMap::new() }
    }

    /// Notes as written what differs from the log, and returns the changes. `history` is the conversation, and
    /// `results` are those of its newest message's calls that are not part of it yet.
    pub(super) fn changes(
        &mut self,
        session: &Session,
        history: &History,
        results: &[ToolResultMessage],
    ) -> Changes {
        let redactor = session.state().concealed().redactor();
        let mut all = self.own.changes(session, history, results, redactor.as_deref());
        for (mut key, thread, begun) in session.threads().with_keys() {
            if let Some(redactor) = &redactor {
                // As in the arguments of the call that chose it.
                key.name = redactor.redact(&*key.name).into();
            }
            let part = self.threads.entry(key.clone()).or_insert_with(|| begun.unwrap_or_default());
            let redactor = thread.state().concealed().redactor();
            let Changes { changes, problem } =
                part.changes(&thread, &thread.history(), &[], redactor.as_deref());
            all.changes.extend(changes.into_iter().map(|change| {
                let (thread, change) = (key.clone(), Box::new(change));
                Change::Thread { thread, change }
            }));
            all.problem = all.problem.or(problem);
        }
        all
    }
}

/// The parts of one conversation that are in the log.
#[derive(Clone, Default)]
pub(in crate::session) struct PartSnapshot {
    history: History,
    /// The results by their calls that are in the log, and not in the history.
    results: HashMap<Arc<str>, ToolResultMessage>,
    children: HashMap<Arc<str>, History>,
    values: Arc<Value>,
    /// The states by the names of their types. They are other ones after each change.
    states: HashMap<&'static str, StateHandle>,
}

impl PartSnapshot {
    /// All of a conversation that was just read from the log.
    pub(in crate::session) fn all(session: &Session) -> Self {
        let states = session.stored_states().into_iter().map(|state| (state.name, state.newest));
        Self {
            history: session.history(),
            results: HashMap::new(),
            children: lock(&session.0.children).clone(),
            values: session.state().shared_values(),
            states: states.collect(),
        }
    }

    fn changes(
        &mut self,
        session: &Session,
        history: &History,
        results: &[ToolResultMessage],
        redactor: Option<&Redactor>,
    ) -> Changes {
        let mut changes = Vec::new();
        self.messages(history, results, &mut changes);
        self.children(session, &mut changes);
        let problem = self.values(session, &mut changes).and(self.states(session, &mut changes)).err();
        if let Some(redactor) = redactor {
            for change in &mut changes {
                redact(change, redactor);
            }
        }
        Changes { changes, problem }
    }

    fn messages(&mut self, history: &History, results: &[ToolResultMessage], changes: &mut Vec<Change>) {
        let same = self.history.same_as(history);
        if same < self.history.len() {
            changes.push(Change::Cut { messages: same });
            self.results.clear();
        }
        for message in history.since(same) {
            match &*message {
                Message::Tool { results } => {
                    self.results(results, changes);
                    self.results.clear();
                }
                Message::User { .. } | Message::Assistant { .. } => {
                    changes.push(Change::Message { message: Message::clone(&message) });
                }
            }
        }
        self.results(results, changes);
        self.history = history.clone();
    }

    /// Adds the results that are not in the log.
    fn results(&mut self, results: &[ToolResultMessage], changes: &mut Vec<Change>) {
        let is_new = |result: &&ToolResultMessage| self.results.get(&result.call_id) != Some(*result);
        let new: Vec<_> = results.iter().filter(is_new).cloned().collect();
        if !new.is_empty() {
            self.results.extend(new.iter().map(|result| (Arc::clone(&result.call_id), result.clone())));
            changes.push(Change::Results { results: new });
        }
    }

    fn children(&mut self, session: &Session, changes: &mut Vec<Change>) {
        let children: BTreeMap<_, _> = lock(&session.0.children)
            .iter()
            .map(|(child, history)| (child.clone(), history.clone()))
            .collect();
        for (child, history) in children {
            let written = self.children.entry(Arc::clone(&child)).or_default();
            let from = written.same_as(&history);
            if from < written.len().max(history.len()) {
                let messages = history.since(from).map(|message| Message::clone(&message)).collect();
                changes.push(Change::Child { child, from, messages });
                *written = history;
            }
        }
    }

    /// # Errors
    /// Returns an error if the values are not an object.
    fn values(&mut self, session: &Session, changes: &mut Vec<Change>) -> Result<(), SavedSessionError> {
        let values = session.state().shared_values();
        if Arc::ptr_eq(&values, &self.values) {
            return Ok(());
        }
        let none = Map::new();
        let before = self.values.as_object().unwrap_or(&none);
        let after = match &*values {
            Value::Null => &none,
            values => values.as_object().ok_or_else(no_values)?,
        };
        for (key, value) in after {
            if before.get(key) != Some(value) {
                changes.push(Change::Value { key: key.clone(), value: Some(value.clone()) });
            }
        }
        for key in before.keys().filter(|key| !after.contains_key(*key)) {
            changes.push(Change::Value { key: key.clone(), value: None });
        }
        self.values = values;
        Ok(())
    }

    /// # Errors
    /// Returns the error of the first state that cannot be written. The others are.
    fn states(&mut self, session: &Session, changes: &mut Vec<Change>) -> Result<(), SavedSessionError> {
        let mut problem = Ok(());
        for state in session.stored_states() {
            let written = self.states.get(state.name);
            if written.is_some_and(|written| Arc::ptr_eq(written, &state.newest)) {
                continue;
            }
            match state.to_json() {
                Ok(value) => {
                    changes.push(Change::State { name: state.name.into(), value });
                    self.states.insert(state.name, state.newest);
                }
                Err(error) => problem = problem.and(Err(error)),
            }
        }
        problem
    }
}

/// Redacts all but the data of providers and the answers of people.
fn redact(change: &mut Change, redactor: &Redactor) {
    match change {
        Change::Message { message } => redact_message(message, redactor, |_| false),
        Change::Results { results } => {
            let mut message = Message::tool(std::mem::take(results));
            redact_message(&mut message, redactor, |_| false);
            if let Message::Tool { results: redacted } = message {
                *results = redacted;
            }
        }
        Change::Child { messages, .. } => {
            for message in messages {
                redact_message(message, redactor, |_| false);
            }
        }
        Change::Value { key, value } => {
            key.redact(redactor);
            if let Some(value) = value {
                value.redact(redactor);
            }
        }
        Change::State { value, .. } => value.redact(redactor),
        Change::Thread { change, .. } => redact(change, redactor),
        // They contain no text of the session, or were redacted when they were made.
        Change::Cut { .. }
        | Change::Began { .. }
        | Change::Usage { .. }
        | Change::Paused { .. }
        | Change::Answered { .. }
        | Change::Step { .. }
        | Change::Resolved { .. }
        | Change::Rewound { .. } => {}
    }
}
