//! The dynamic state of a session: values and secrets under dotted keys.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::Value;

use super::RestoreState;
use super::edit::edits;
use super::reads::{Reads, Snapshot};
use super::recorder::{Address, Order, Recorder, StateChange, Which, changed, repeated, session_secret};
use onionskin_definitions::json;
use onionskin_definitions::lock::lock;
use onionskin_definitions::secret::{Concealed, Secret, Sensitive, VisitSecrets, texts};
use onionskin_definitions::text::short;

/// The dynamic state of a session: JSON values under dotted keys such as `config.api.key`.
///
/// ```
/// let state = onionskin::SessionState::default();
/// state.set("user.name", "Ada");
/// assert_eq!(state.get("user.name"), Some("Ada".into()));
/// assert_eq!(state.get("user.age"), None);
/// ```
///
/// Clones share the state. Secrets are stored separately, under the same kind of keys; see
/// [`Self::set_secret`].
#[derive(Clone, Default)]
pub struct SessionState(Arc<Shared>);

#[derive(Default)]
struct Shared {
    contents: Mutex<Contents>,
    /// The secrets to redact in runs of this session.
    concealed: Concealed,
    /// The order of the changes that journals record.
    order: Mutex<Order>,
}

#[derive(Clone, Default)]
struct Contents {
    values: Arc<Value>,
    secrets: BTreeMap<String, Arc<Secret<Value>>>,
}

/// An existing value that another one would replace.
pub(crate) struct ExistingValue {
    /// Its key; empty if it is the whole state.
    pub(crate) key: String,
    /// Its kind, without the value.
    pub(crate) by: &'static str,
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "a null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The maximum number of parts of a dotted key, because values are dropped, cloned and serialised
/// recursively.
pub(crate) const MAX_KEY_PARTS: usize = 64;

/// Checks a key, which a model may have written. Panics if it has too many parts.
fn checked(key: &str) -> &str {
    let parts = key.split('.').count();
    assert!(
        parts <= MAX_KEY_PARTS,
        "the key `{}` of a state has {parts} parts; it can have {MAX_KEY_PARTS} at most",
        short(key, 60)
    );
    key
}

/// Whether a dotted key is nested in another key.
fn is_nested(above: &str, key: &str) -> bool {
    key.strip_prefix(above).is_some_and(|rest| rest.starts_with('.'))
}

impl Contents {
    fn set(&mut self, key: &str, value: Value) {
        self.forget(key);
        let mut place = Arc::make_mut(&mut self.values);
        for part in key.split('.') {
            if !place.is_object() {
                *place = Value::Object(serde_json::Map::new());
            }
            place = &mut place[part];
        }
        *place = value;
    }

    /// Removes the secrets under a key and nested keys.
    fn forget(&mut self, key: &str) {
        self.secrets.retain(|other, _| other != key && !is_nested(key, other));
    }
}

impl SessionState {
    /// Creates a state from the values of a JSON object.
    pub fn new(values: impl Into<Value>) -> Self {
        let state = Self::default();
        state.replace(values);
        state
    }

    /// Replaces the whole state, secrets included, for all clones.
    pub fn replace(&self, values: impl Into<Value>) {
        let values = values.into();
        self.change(|contents| *contents = Contents { values: Arc::new(values), secrets: BTreeMap::new() });
    }

    /// Replaces the values for all clones. Secrets stay, apart from those under the key of a new value.
    pub(crate) fn replace_values(&self, values: Value) {
        self.change(|contents| {
            contents
                .secrets
                .retain(|key, _| values.pointer(&format!("/{}", key.replace('.', "/"))).is_none());
            contents.values = Arc::new(values);
        });
    }

    /// All current values, without secrets.
    pub fn to_value(&self) -> Value {
        Self::object(&self.observe())
    }

    fn object(values: &Value) -> Value {
        match values {
            Value::Null => Value::Object(serde_json::Map::new()),
            values => values.clone(),
        }
    }

    /// Creates an independent copy of the values and secrets (copy-on-write).
    #[must_use]
    pub fn fork(&self) -> Self {
        let contents = lock(&self.0.contents).clone();
        let concealed = self.0.concealed.clone();
        Self(Arc::new(Shared { contents: Mutex::new(contents), concealed, order: Mutex::default() }))
    }

    /// Captures the values and secrets, to restore them later.
    pub(crate) fn capture(&self) -> RestoreState {
        let (state, contents) = (self.clone(), lock(&self.0.contents).clone());
        Box::new(move || {
            *lock(&state.0.contents) = contents;
            *lock(&state.0.order) = Order::default();
        })
    }

    /// The value under a dotted key; `None` for a secret.
    pub fn get(&self, key: &str) -> Option<Value> {
        let values = self.observe();
        key.split('.').try_fold(&*values, |value, part| value.get(part)).cloned()
    }

    /// Whether there is a value or a secret under a dotted key.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.has_secret(key) || self.get(key).is_some()
    }

    /// The newest values for the code of a run: in a replay the recorded ones.
    fn observe(&self) -> Arc<Value> {
        let newest = || Arc::clone(&lock(&self.0.contents).values);
        let Some(reads) = Reads::for_state(Which::Session, self.address()) else { return newest() };
        reads.known(Which::Session).unwrap_or_else(|| {
            let newest = newest();
            reads.note(Snapshot::Session(Arc::clone(&newest)));
            newest
        })
    }

    /// Sets the value under a dotted key. An object replaces any other value at a parent key. Secrets under
    /// the key and nested keys are removed.
    ///
    /// # Panics
    /// Panics if the key has more than 64 parts.
    pub fn set(&self, key: &str, value: impl Into<Value>) {
        let (key, value) = (checked(key), value.into());
        self.change(|contents| contents.set(key, value));
    }

    /// Changes the values. In a replay, applies the recorded change.
    fn change(&self, change: impl FnOnce(&mut Contents)) {
        let reads = Reads::for_state(Which::Session, self.address());
        if let Some(reads) = &reads
            && let Some((_, recorded)) = reads.recorded_change(Which::Session)
        {
            let mut copy = lock(&self.0.contents).clone();
            change(&mut copy);
            let recorded = [recorded];
            match self.repeat(&recorded) {
                Ok(()) => repeated(&recorded, Address::NONE, self.address()),
                Err(problem) => reads.fail(problem),
            }
            lock(&self.0.contents).secrets = copy.secrets;
            return;
        }
        let mut contents = lock(&self.0.contents);
        // Keeping the old values forces the change to copy them, so this is done only for code of a run.
        let before = (reads.is_some() || Recorder::here().is_some()).then(|| Arc::clone(&contents.values));
        change(&mut contents);
        let Some(before) = before else {
            lock(&self.0.order).begin_anew();
            return;
        };
        let none = Value::Object(serde_json::Map::new());
        let old = if before.is_null() { &none } else { &*before };
        let edits = || Ok(edits(old, &contents.values));
        let change = changed(Which::Session, self.address(), reads.is_some(), &self.0.order, edits);
        if let (Some(reads), Some(Ok(change))) = (reads, change) {
            reads.note_change(Snapshot::Session(before), change);
        }
    }

    fn changed_contents(&self) -> MutexGuard<'_, Contents> {
        let contents = lock(&self.0.contents);
        lock(&self.0.order).begin_anew();
        contents
    }

    /// Repeats recorded changes of the values.
    ///
    /// # Errors
    /// Returns an error if the changes do not fit the values.
    pub(crate) fn repeat(&self, changes: &[StateChange]) -> Result<(), String> {
        let mut contents = lock(&self.0.contents);
        let before = || Ok(Value::clone(&contents.values));
        if let Some(after) = lock(&self.0.order).repeat_all(changes, Which::Session, before)? {
            // Setting a value over a secret removed the secret.
            contents.secrets.retain(|key, _| after.pointer(&format!("/{}", key.replace('.', "/"))).is_none());
            contents.values = Arc::new(after);
        }
        Ok(())
    }

    /// Notes that a step of a run registers a secret with the session.
    pub(crate) fn note_secret(&self) {
        session_secret(self.address());
    }

    pub(crate) fn address(&self) -> Address {
        Address::new(&*self.0)
    }

    /// Sets the value under a dotted key if it has neither a value nor a secret.
    ///
    /// # Errors
    /// Returns an error if another value would be replaced. The state is then unchanged.
    pub(crate) fn set_default(&self, key: &str, value: &Value) -> Result<(), ExistingValue> {
        let (key, mut contents) = (checked(key), self.changed_contents());
        if contents.secrets.contains_key(key) {
            return Ok(());
        }
        let in_the_way = |other: &&String| is_nested(key, other) || is_nested(other, key);
        if let Some(secret) = contents.secrets.keys().find(in_the_way) {
            return Err(ExistingValue { key: secret.clone(), by: "a secret" });
        }
        let (mut place, mut above) = (&*contents.values, String::new());
        for part in key.split('.') {
            match place {
                Value::Object(fields) => match fields.get(part) {
                    Some(field) => place = field,
                    None => break,
                },
                Value::Null if above.is_empty() => break,
                other => return Err(ExistingValue { key: above, by: kind_of(other) }),
            }
            if !above.is_empty() {
                above.push('.');
            }
            above.push_str(part);
        }
        if above != key {
            contents.set(key, value.clone());
        }
        Ok(())
    }

    /// Stores a secret under a dotted key, replacing any value there. [`Self::get`] and [`Self::to_value`] do
    /// not return it. A tool takes it with `#[bind("key")] key: Secret<String>`. The session redacts it from
    /// all output from now on. If a model is streaming an answer, pieces that were already passed on may
    /// contain the start of the secret; the rest of it is not redacted then.
    ///
    /// ```
    /// use onionskin::{Secret, SessionState};
    /// let state = SessionState::default();
    /// state.set_secret("api.key", Secret::new("hunter2".to_owned()));
    /// assert_eq!((state.get("api.key"), state.has_secret("api.key")), (None, true));
    /// assert_eq!(state.to_value(), serde_json::json!({}));
    /// ```
    ///
    /// # Panics
    /// Panics if the key has more than 64 parts.
    pub fn set_secret<T: Sensitive + Clone + Into<Value>>(&self, key: &str, secret: impl Into<Secret<T>>) {
        let key = checked(key);
        self.note_secret();
        let provided = secret.into();
        let secret: Secret<Value> = Secret::new(provided.expose().clone().into());
        self.0.concealed.add(&texts(|visit| {
            provided.visit_secrets(visit);
            secret.visit_secrets(visit);
        }));
        let mut contents = self.changed_contents();
        if key.split('.').try_fold(&*contents.values, |value, part| value.get(part)).is_some() {
            let (parent, last) = key.rsplit_once('.').unwrap_or(("", key));
            let parts = parent.split('.').filter(|part| !part.is_empty());
            let parent = parts.fold(Arc::make_mut(&mut contents.values), |value, part| &mut value[part]);
            if let Some(fields) = parent.as_object_mut() {
                json::remove(fields, last);
            }
        }
        contents.forget(key);
        contents.secrets.insert(key.to_owned(), Arc::new(secret));
    }

    /// Whether there is a secret under a dotted key.
    pub fn has_secret(&self, key: &str) -> bool {
        lock(&self.0.contents).secrets.contains_key(key)
    }

    pub(crate) fn secret(&self, key: &str) -> Option<Arc<Secret<Value>>> {
        lock(&self.0.contents).secrets.get(key).cloned()
    }
}

impl fmt::Debug for SessionState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionState").finish_non_exhaustive()
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl SessionState {
    /// As [`Self::to_value`], for reads by the runtime, which a replay does not answer from records.
    pub fn value_now(&self) -> Value {
        let values = Arc::clone(&lock(&self.0.contents).values);
        Self::object(&values)
    }

    /// The values, shared until the next change. They are null before the first one.
    pub fn shared_values(&self) -> Arc<Value> {
        Arc::clone(&lock(&self.0.contents).values)
    }

    #[inline]
    pub fn concealed(&self) -> &Concealed {
        &self.0.concealed
    }
}
