//! Dynamic state of a session: values and secrets under dotted keys.

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

/// Dynamic state of a session: JSON values under dotted keys such as `config.api.key`.
///
/// ```
/// let state = onionskin::SessionState::default();
/// state.set("user.name", "Ada");
/// assert_eq!(state.get("user.name"), Some("Ada".into()));
/// assert_eq!(state.get("user.age"), None);
/// ```
///
/// Clones share the state. [`Self::replace`] replaces the whole state. Secrets are stored separately, under the same
/// kind of keys; see [`Self::set_secret`].
#[derive(Clone, Default)]
pub struct SessionState(Arc<Shared>);

#[derive(Default)]
struct Shared {
    kept: Mutex<Kept>,
    /// The secrets to redact in runs of this session.
    concealed: Concealed,
    /// The order of the changes that journals record.
    order: Mutex<Order>,
}

#[derive(Clone, Default)]
struct Kept {
    values: Arc<Value>,
    secrets: BTreeMap<String, Arc<Secret<Value>>>,
}

/// A value in the way of another one.
pub(crate) struct Taken {
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

/// The maximum number of parts of a dotted key. Values are dropped, cloned and written recursively, part by part.
pub(crate) const MOST_PARTS: usize = 64;

/// The key. Panics if it has too many parts. A model may have written it.
fn checked(key: &str) -> &str {
    let parts = key.split('.').count();
    assert!(
        parts <= MOST_PARTS,
        "the key `{}` of a state has {parts} parts; it can have {MOST_PARTS} at most",
        short(key, 60)
    );
    key
}

/// Whether a dotted key is inside the value of another key.
fn is_beneath(above: &str, key: &str) -> bool {
    key.strip_prefix(above).is_some_and(|rest| rest.starts_with('.'))
}

impl Kept {
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

    /// Removes the secrets under a key and beneath it.
    fn forget(&mut self, key: &str) {
        self.secrets.retain(|other, _| other != key && !is_beneath(key, other));
    }
}

impl SessionState {
    /// Makes a state with the values of a JSON object.
    pub fn new(values: impl Into<Value>) -> Self {
        let state = Self::default();
        state.replace(values);
        state
    }

    /// Replaces the whole state, secrets included, for all clones.
    pub fn replace(&self, values: impl Into<Value>) {
        let values = values.into();
        self.change(|kept| *kept = Kept { values: Arc::new(values), secrets: BTreeMap::new() });
    }

    /// All current values, without secrets.
    pub fn to_value(&self) -> Value {
        Self::object(&self.seen())
    }

    fn object(values: &Value) -> Value {
        match values {
            Value::Null => Value::Object(serde_json::Map::new()),
            values => values.clone(),
        }
    }

    /// A copy of the values and secrets as an independent state. The data is copied when one of the two changes.
    #[must_use]
    pub fn fork(&self) -> Self {
        let kept = lock(&self.0.kept).clone();
        let concealed = self.0.concealed.clone();
        Self(Arc::new(Shared { kept: Mutex::new(kept), concealed, order: Mutex::default() }))
    }

    /// Restores the values and secrets of now, later.
    pub(crate) fn kept_now(&self) -> RestoreState {
        let (state, kept) = (self.clone(), lock(&self.0.kept).clone());
        Box::new(move || {
            *lock(&state.0.kept) = kept;
            *lock(&state.0.order) = Order::default();
        })
    }

    /// The value under a dotted key; `None` for a secret.
    pub fn get(&self, key: &str) -> Option<Value> {
        let values = self.seen();
        key.split('.').try_fold(&*values, |value, part| value.get(part)).cloned()
    }

    /// Whether there is a value or a secret under a dotted key.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.has_secret(key) || self.get(key).is_some()
    }

    /// The newest values for the code of a run: in a replay those that were recorded.
    fn seen(&self) -> Arc<Value> {
        let newest = || Arc::clone(&lock(&self.0.kept).values);
        let Some(reads) = Reads::of(Which::Session, self.address()) else { return newest() };
        reads.known(Which::Session).unwrap_or_else(|| {
            let newest = newest();
            reads.note(Snapshot::Session(Arc::clone(&newest)));
            newest
        })
    }

    /// Sets the value under a dotted key. A value in the way of the key is replaced by an object. Secrets under the
    /// key, or beneath it, are removed.
    ///
    /// # Panics
    /// Panics if the key has more than 64 parts.
    pub fn set(&self, key: &str, value: impl Into<Value>) {
        let (key, value) = (checked(key), value.into());
        self.change(|kept| kept.set(key, value));
    }

    /// Changes the values. In a replay the recorded change is made.
    fn change(&self, change: impl FnOnce(&mut Kept)) {
        let reads = Reads::of(Which::Session, self.address());
        if let Some(reads) = &reads
            && let Some((_, recorded)) = reads.known_change(Which::Session)
        {
            let mut copy = lock(&self.0.kept).clone();
            change(&mut copy);
            let recorded = [recorded];
            match self.repeat(&recorded) {
                Ok(()) => repeated(&recorded, Address::NONE, self.address()),
                Err(problem) => reads.fail(problem),
            }
            lock(&self.0.kept).secrets = copy.secrets;
            return;
        }
        let mut kept = lock(&self.0.kept);
        // The copy makes the change copy the values, so it is made only for code of a run.
        let before = (reads.is_some() || Recorder::here().is_some()).then(|| Arc::clone(&kept.values));
        change(&mut kept);
        let Some(before) = before else {
            lock(&self.0.order).begin_anew();
            return;
        };
        let none = Value::Object(serde_json::Map::new());
        let old = if before.is_null() { &none } else { &*before };
        let edits = || Ok(edits(old, &kept.values));
        let change = changed(Which::Session, self.address(), reads.is_some(), &self.0.order, edits);
        if let (Some(reads), Some(Ok(change))) = (reads, change) {
            reads.note_change(Snapshot::Session(before), change);
        }
    }

    fn kept_for_change(&self) -> MutexGuard<'_, Kept> {
        let kept = lock(&self.0.kept);
        lock(&self.0.order).begin_anew();
        kept
    }

    /// Repeats recorded changes of the values.
    ///
    /// # Errors
    /// Returns an error if the values are not those that the changes were made to.
    pub(crate) fn repeat(&self, changes: &[StateChange]) -> Result<(), String> {
        let mut kept = lock(&self.0.kept);
        let before = || Ok(Value::clone(&kept.values));
        if let Some(after) = lock(&self.0.order).repeat_all(changes, Which::Session, before)? {
            // A value that was set over a secret removed it.
            kept.secrets.retain(|key, _| after.pointer(&format!("/{}", key.replace('.', "/"))).is_none());
            kept.values = Arc::new(after);
        }
        Ok(())
    }

    /// Notes that a step of a run tells the session a secret.
    pub(crate) fn note_secret(&self) {
        session_secret(self.address());
    }

    pub(crate) fn address(&self) -> Address {
        Address::of(&*self.0)
    }

    /// Sets the value under a dotted key if it has neither a value nor a secret.
    ///
    /// # Errors
    /// Returns an error if another value would be replaced. The state is then unchanged.
    pub(crate) fn set_default(&self, key: &str, value: &Value) -> Result<(), Taken> {
        let (key, mut kept) = (checked(key), self.kept_for_change());
        if kept.secrets.contains_key(key) {
            return Ok(());
        }
        let in_the_way = |other: &&String| is_beneath(key, other) || is_beneath(other, key);
        if let Some(secret) = kept.secrets.keys().find(in_the_way) {
            return Err(Taken { key: secret.clone(), by: "a secret" });
        }
        let (mut place, mut above) = (&*kept.values, String::new());
        for part in key.split('.') {
            match place {
                Value::Object(fields) => match fields.get(part) {
                    Some(field) => place = field,
                    None => break,
                },
                Value::Null if above.is_empty() => break,
                other => return Err(Taken { key: above, by: kind_of(other) }),
            }
            if !above.is_empty() {
                above.push('.');
            }
            above.push_str(part);
        }
        if above != key {
            kept.set(key, value.clone());
        }
        Ok(())
    }

    /// Stores a secret under a dotted key and replaces the value there. [`Self::get`] and [`Self::to_value`] do not
    /// return it. A tool takes it with `#[bind("key")] key: Secret<String>`. The session redacts it from all output
    /// from now on, as long as it lives. If a model streams its answer meanwhile, pieces that were passed on before may
    /// contain the beginning of the text; the rest of it then passes too.
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
        let given = secret.into();
        let secret: Secret<Value> = Secret::new(given.expose().clone().into());
        self.0.concealed.add(&texts(|see| {
            given.visit_secrets(see);
            secret.visit_secrets(see);
        }));
        let mut kept = self.kept_for_change();
        if key.split('.').try_fold(&*kept.values, |value, part| value.get(part)).is_some() {
            let (parent, last) = key.rsplit_once('.').unwrap_or(("", key));
            let parts = parent.split('.').filter(|part| !part.is_empty());
            let parent = parts.fold(Arc::make_mut(&mut kept.values), |value, part| &mut value[part]);
            if let Some(fields) = parent.as_object_mut() {
                json::remove(fields, last);
            }
        }
        kept.forget(key);
        kept.secrets.insert(key.to_owned(), Arc::new(secret));
    }

    /// Whether there is a secret under a dotted key.
    pub fn has_secret(&self, key: &str) -> bool {
        lock(&self.0.kept).secrets.contains_key(key)
    }

    pub(crate) fn secret(&self, key: &str) -> Option<Arc<Secret<Value>>> {
        lock(&self.0.kept).secrets.get(key).cloned()
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
    /// The same for the runtime, whose own reads are not those of a program: not the recorded values in a replay.
    pub fn value_now(&self) -> Value {
        let values = Arc::clone(&lock(&self.0.kept).values);
        Self::object(&values)
    }

    #[inline]
    pub fn concealed(&self) -> &Concealed {
        &self.0.concealed
    }
}
