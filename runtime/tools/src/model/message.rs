//! The messages of a conversation.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ModelResponse;
use onionskin_definitions::content::ContentBlock;

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// The input of the agent, or a message of the runtime in the role of the user.
    #[non_exhaustive]
    User {
        /// The content.
        content: Vec<ContentBlock>,
        /// Whether the runtime wrote the message: it asks again for a typed answer, or comes from the merged
        /// conversation of a child. Such a message is not an [input](Message::is_input).
        #[serde(default, skip_serializing_if = "is_false")]
        by_runtime: bool,
    },
    /// The answer of the model.
    #[non_exhaustive]
    Assistant {
        /// The text.
        text: String,
        /// The tool calls.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall>,
        /// Provider data, to send back unchanged.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "onionskin_definitions::json::present"
        )]
        provider_data: Option<Value>,
    },
    /// The results of the tool calls in the previous message: one for each call, in the order of the calls.
    #[non_exhaustive]
    Tool {
        /// The results.
        results: Vec<ToolResultMessage>,
    },
}

/// A tool call as the model wrote it.
///
/// ```
/// use onionskin::model::{Message, ModelResponse, ToolCall};
///
/// // An answer of a model by hand.
/// let mut response = ModelResponse::default();
/// response.tool_calls.push(ToolCall::new("call_1", "count", r#"{"what":"lamps"}"#));
/// let Message::Assistant { tool_calls, .. } = response.into() else { unreachable!() };
/// assert_eq!(&*tool_calls[0].name, "count");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolCall {
    /// The id that the model gave the call.
    pub id: Arc<str>,
    /// The name of the tool as the model sees it ([`ToolContext::wire_name`](crate::ToolContext::wire_name)).
    pub name: Arc<str>,
    /// The arguments as JSON text, as the model wrote it.
    pub arguments: Arc<str>,
}

impl ToolCall {
    /// Creates a call, for example for an imported conversation.
    pub fn new(id: impl Into<Arc<str>>, name: impl Into<Arc<str>>, arguments: impl Into<Arc<str>>) -> Self {
        Self { id: id.into(), name: name.into(), arguments: arguments.into() }
    }
}

/// The result of a tool call, as the model gets it.
///
/// ```
/// use onionskin::content::ContentBlock;
/// use onionskin::model::ToolResultMessage;
///
/// let mut refused = ToolResultMessage::new("call_1", "pay", [ContentBlock::text("The account is empty.")]);
/// refused.is_error = true;
/// assert_eq!(&*refused.call_id, "call_1");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolResultMessage {
    /// The id of the call.
    pub call_id: Arc<str>,
    /// The name of the tool as the model sees it ([`ToolContext::wire_name`](crate::ToolContext::wire_name)).
    pub name: Arc<str>,
    /// The content for the model, shared with the call's event and its report.
    pub content: Arc<[ContentBlock]>,
    /// Whether the call failed.
    pub is_error: bool,
}

impl ToolResultMessage {
    /// Creates the result of a successful call. For a failed call, set [`is_error`](Self::is_error).
    pub fn new(
        call_id: impl Into<Arc<str>>,
        name: impl Into<Arc<str>>,
        content: impl Into<Arc<[ContentBlock]>>,
    ) -> Self {
        Self { call_id: call_id.into(), name: name.into(), content: content.into(), is_error: false }
    }
}

/// Keeps the text, the tool calls and the `provider_data`, but not the reasoning.
impl From<ModelResponse> for Message {
    fn from(response: ModelResponse) -> Self {
        let ModelResponse { text, tool_calls, provider_data, .. } = response;
        Self::Assistant { text, tool_calls, provider_data }
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl ModelResponse {
    /// Moves the parts that a conversation keeps into a message, as [`Message::from`] does. The other parts
    /// stay.
    pub fn take_message(&mut self) -> Message {
        Message::Assistant {
            text: std::mem::take(&mut self.text),
            tool_calls: std::mem::take(&mut self.tool_calls),
            provider_data: self.provider_data.take(),
        }
    }

    /// Puts back what [`Self::take_message`] took.
    pub fn put_message(&mut self, message: Message) {
        if let Message::Assistant { text, tool_calls, provider_data } = message {
            (self.text, self.tool_calls, self.provider_data) = (text, tool_calls, provider_data);
        }
    }
}

impl Message {
    /// A user's message.
    pub fn user(text: impl Into<String>) -> Self {
        Self::user_content([ContentBlock::Text(text.into())])
    }

    /// A user's message with content blocks, for example an image.
    ///
    /// ```
    /// use onionskin::content::{ContentBlock, Image, Media};
    /// use onionskin::model::Message;
    ///
    /// let dot = Image(Media::new("iVBORw0KGgo=", "image/png"));
    /// let message = Message::user_content([ContentBlock::text("Which colour is it?"), dot.into()]);
    /// assert_eq!(message.to_text(), "Which colour is it?");
    /// ```
    pub fn user_content(content: impl IntoIterator<Item = ContentBlock>) -> Self {
        Self::User { content: content.into_iter().collect(), by_runtime: false }
    }

    /// A model's message with text only. For tool calls, convert a [`ModelResponse`]:
    /// `Message::from(response)`.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant { text: text.into(), tool_calls: Vec::new(), provider_data: None }
    }

    /// The results of the calls in the previous message: one for each call, in the order of the calls.
    ///
    /// ```
    /// use onionskin::model::{History, Message, ModelResponse, ToolCall, ToolResultMessage};
    ///
    /// let asked = ModelResponse::tool_calls([ToolCall::new("call-1", "add_one", r#"{"x": 41}"#)]);
    /// let result = ToolResultMessage::new("call-1", "add_one", ["42".into()]);
    /// let history = History::from([Message::user("41 + 1?"), asked.into(), Message::tool([result])]);
    /// assert_eq!(history.last().unwrap().to_text(), "42");
    /// ```
    pub fn tool(results: impl IntoIterator<Item = ToolResultMessage>) -> Self {
        Self::Tool { results: results.into_iter().collect() }
    }

    /// Whether the message is an input from the user, the parent or the program, and not a message of the
    /// runtime in the role of the user.
    ///
    /// ```
    /// use onionskin::model::Message;
    ///
    /// assert!(Message::user("How warm is it?").is_input());
    /// assert!(!Message::assistant("21 degrees").is_input());
    /// ```
    pub fn is_input(&self) -> bool {
        matches!(self, Self::User { by_runtime: false, .. })
    }

    /// The tool calls of a model's message; empty for other roles.
    pub fn tool_calls(&self) -> &[ToolCall] {
        match self {
            Self::Assistant { tool_calls, .. } => tool_calls,
            Self::User { .. } | Self::Tool { .. } => &[],
        }
    }

    /// All text of the message.
    pub fn to_text(&self) -> Cow<'_, str> {
        match self {
            Self::User { content, .. } => ContentBlock::join(content),
            Self::Assistant { text, .. } => Cow::Borrowed(text),
            Self::Tool { results } => {
                let texts: Vec<_> =
                    results.iter().map(|result| ContentBlock::join(&result.content)).collect();
                Cow::Owned(texts.join("\n"))
            }
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_false(mark: &bool) -> bool {
    !mark
}

/// For the crates of the runtime.
#[doc(hidden)]
impl Message {
    /// Whether a model gets the same for both.
    pub(super) fn is_sent_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::User { content: one, .. }, Self::User { content: other, .. }) => one == other,
            (one, other) => one == other,
        }
    }

    /// A message of the runtime in the role of the user.
    pub fn by_runtime(text: impl Into<String>) -> Self {
        Self::User { content: vec![ContentBlock::Text(text.into())], by_runtime: true }
    }

    /// Marks a user's message as a message of the runtime.
    pub fn mark_by_runtime(&mut self) {
        if let Self::User { by_runtime, .. } = self {
            *by_runtime = true;
        }
    }
}
