//! Where the structured value of a call is kept.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::content::ContentBlock;
use crate::json::exact_value;
use crate::secret::{Redact, Redactor};

/// Where the structured value of a call's content is: nothing parses it before somebody asks
/// ([`ToolCallReport::structured_content`](crate::run::ToolCallReport::structured_content)).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StructuredContent {
    /// There is none.
    #[default]
    None,
    /// The only text is its JSON.
    Text,
    /// The only text is the JSON of its `result`.
    ResultText,
    /// The only text is its `result`, a string.
    ResultString,
    /// It stands beside the content.
    Apart(Arc<Value>),
}

impl StructuredContent {
    pub(crate) fn is_none(&self) -> bool {
        *self == Self::None
    }

    /// The value, beside this content.
    pub(crate) fn read<'v>(&'v self, content: &[ContentBlock]) -> Option<Cow<'v, Value>> {
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
