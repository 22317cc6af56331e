//! Serialises the state of an agent for journals and saved sessions.

use std::any::type_name;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use serde_json::Value;

use super::encode::encode;
use super::reads::{Form, Reader};
use super::recorder::{StateChange, Writer};
use super::{StateCell, StateHandle};
use onionskin_definitions::secret::{StateVisitor, VisitSecrets};

/// Serialises a type-erased state, and repeats recorded changes.
#[derive(Clone, Copy)]
pub struct StateCodec {
    write: Writer,
    json: fn(&StateHandle) -> Result<Value, String>,
    stored: fn(&StateHandle) -> Result<Value, String>,
    repeat: fn(&StateHandle, &[StateChange]) -> Result<(), String>,
    read: Reader,
    newest: fn(&StateHandle) -> Option<StateHandle>,
}

impl StateCodec {
    /// The codec of the state `S`.
    pub fn new<S: Serialize + DeserializeOwned + Send + Sync + 'static>() -> Self {
        Self {
            write: |state| match state.downcast_ref::<S>() {
                Some(state) => encode(state),
                None => Err(format!("it is not `{}`", type_name::<S>())),
            },
            json: |handle| match handle.clone().downcast::<StateCell<S>>() {
                Ok(cell) => serde_json::to_value(&*cell.snapshot()).map_err(|error| error.to_string()),
                Err(_) => Err(format!("the state is not `{}`", type_name::<S>())),
            },
            stored: |handle| match handle.downcast_ref::<StateCell<S>>() {
                Some(cell) => cell.to_stored(),
                None => Err(format!("it is not `{}`", type_name::<S>())),
            },
            read: |value| match S::deserialize(value) {
                Ok(state) => Ok(Arc::new(state)),
                Err(error) => Err(error.to_string()),
            },
            newest: |handle| Some(handle.downcast_ref::<StateCell<S>>()?.snapshot()),
            repeat: |handle, changes| match handle.clone().downcast::<StateCell<S>>() {
                Ok(cell) => cell.repeat(changes),
                Err(_) => Err(format!("the state is not `{}`", type_name::<S>())),
            },
        }
    }

    /// The newest state as JSON.
    pub(crate) fn to_json(self, state: &StateHandle) -> Result<Value, String> {
        (self.json)(state)
    }

    /// The newest state as JSON that can be read back.
    pub(crate) fn to_stored(self, state: &StateHandle) -> Result<Value, String> {
        (self.stored)(state)
    }

    /// The newest state itself. It is another one after each change.
    pub(crate) fn newest(self, state: &StateHandle) -> Option<StateHandle> {
        (self.newest)(state)
    }

    pub(crate) fn read_stored(self, json: &Value) -> Result<StateHandle, String> {
        (self.read)(json)
    }

    pub(crate) fn writer(self) -> Writer {
        self.write
    }

    /// The functions that serialise and deserialise the state.
    pub(crate) fn form(self) -> Form {
        Form { write: self.write, read: self.read }
    }

    pub(crate) fn repeat(self, state: &StateHandle, changes: &[StateChange]) -> Result<(), String> {
        (self.repeat)(state, changes)
    }
}

/// The type of a state. Method resolution selects the inherent methods whose bounds the type meets, otherwise
/// those of [`PlainState`].
pub struct StateKind<S>(PhantomData<fn(S)>);

impl<S> StateKind<S> {
    /// The type.
    pub const NEW: Self = Self(PhantomData);
}

impl<S: VisitSecrets + 'static> StateKind<S> {
    /// The visitor of the secrets in the state.
    pub fn visitor(&self) -> Option<StateVisitor> {
        Some(StateVisitor::new::<S>())
    }
}

impl<S: Serialize + DeserializeOwned + Send + Sync + 'static> StateKind<S> {
    /// The codec of the type.
    pub fn codec(&self) -> Option<StateCodec> {
        Some(StateCodec::new::<S>())
    }
}

/// A state that lists no secrets, or that cannot be serialised.
#[doc(hidden)]
pub trait PlainState {
    fn visitor(&self) -> Option<StateVisitor> {
        None
    }

    fn codec(&self) -> Option<StateCodec> {
        None
    }
}

impl<S> PlainState for StateKind<S> {}
