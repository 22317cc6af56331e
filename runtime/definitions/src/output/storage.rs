//! How an output stores its parts: a plain result allocates only its text.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::content::ContentBlock;

/// The rare parts. They are dropped out of line, because an output is dropped in the middle of every call.
#[derive(Clone)]
pub(super) struct Seldom<T>(pub(super) Option<Box<T>>);

impl<T> Seldom<T> {
    pub(super) const NONE: Self = Self(None);

    pub(super) fn new(value: T) -> Self {
        Self(Some(Box::new(value)))
    }
}

impl<T> Drop for Seldom<T> {
    #[inline]
    fn drop(&mut self) {
        if let Some(boxed) = self.0.take() {
            drop_seldom(boxed);
        }
    }
}

#[cold]
#[inline(never)]
fn drop_seldom<T>(boxed: Box<T>) {
    drop(boxed);
}

/// One block needs no list, so a plain result allocates only its text.
#[derive(Clone)]
pub(super) enum Content {
    One(ContentBlock),
    /// `None` means no blocks.
    Many(Seldom<Vec<ContentBlock>>),
}

impl Content {
    pub(super) const NONE: Self = Self::Many(Seldom::NONE);
}

/// The place of the structured value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Structured {
    None,
    /// The text of the only block is the JSON of the value.
    InText,
    /// As `InText`, for a value that is exported as `{"result": ..}`.
    InTextWrapped,
    /// The text of the only block is the value itself.
    Text,
    /// In the rare parts.
    Apart,
    /// As `Apart`, for a value that is exported as `{"result": ..}`.
    ApartWrapped,
    /// The function returned nothing, and the text says so.
    Nothing,
}

#[derive(Clone, Default)]
pub(super) struct Rare {
    pub(super) structured: Arc<Value>,
    /// The JSON of the function's value, if a `Value` would round its numbers and the text differs.
    pub(super) exact: Option<Arc<str>>,
    pub(super) typed: HashMap<TypeId, Arc<dyn Any + Send + Sync>>,
    pub(super) remote: Option<Value>,
}
