//! Where the structured value of a call is stored.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::content::ContentBlock;
use crate::json::exact_value;
use crate::secret::{Redact, Redactor};

/// Where the structured value of a call is stored. It is parsed on first use
/// (`ToolCallReport::structured_content`).
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub enum StructuredContent {
    /// No structured value.
    #[default]
    None,
    /// The only text is the JSON of the value.
    Text,
    /// The only text is the JSON of its `result`.
    ResultText,
    /// The only text is its `result`, a string.
    ResultString,
    /// The value is stored beside the content.
    Apart(Arc<Value>),
}

impl StructuredContent {
    /// The place of a value: in the only text of the content, if it is there, and otherwise beside it.
    #[doc(hidden)]
    pub fn new(value: Value, content: &[ContentBlock]) -> Self {
        let is_read = |place: &Self| place.read(content).is_some_and(|read| *read == value);
        [Self::Text, Self::ResultString, Self::ResultText]
            .into_iter()
            .find(is_read)
            .unwrap_or_else(|| Self::Apart(Arc::new(value)))
    }

    /// Whether there is no structured value.
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }

    /// The value, given the content.
    pub fn read<'v>(&'v self, content: &[ContentBlock]) -> Option<Cow<'v, Value>> {
        let text = || content.first()?.as_text();
        let parsed = || exact_value(text()?).ok();
        match self {
            Self::None => None,
            Self::Text => parsed().map(Cow::Owned),
            Self::ResultText => Some(Cow::Owned(json!({ "result": parsed()? }))),
            Self::ResultString => Some(Cow::Owned(json!({ "result": text()? }))),
            Self::Apart(value) => Some(Cow::Borrowed(value)),
        }
    }
}

impl Redact for StructuredContent {
    fn redact(&mut self, redactor: &Redactor) {
        if let Self::Apart(value) = self {
            value.redact(redactor);
        }
    }
}
