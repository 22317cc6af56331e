//! A message before it is sent, for message hooks.

use std::fmt;
use std::sync::Arc;

use crate::run_hook::RunInput;
use onionskin_definitions::content::ContentBlock;

/// A sender or recipient of messages.
///
/// ```
/// use onionskin::message_hooks::Participant;
///
/// assert_eq!(Participant::Agent("Clerk".into()).name(), "Clerk");
/// assert_eq!(Participant::User.to_string(), "user");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Participant {
    /// The user: the program that started the outermost run, for itself or for a person.
    User,
    /// The agent of this name. A child has the name of its declaration, without a number.
    Agent(Arc<str>),
}

impl Participant {
    /// The name of the agent; `user` for the user.
    pub fn name(&self) -> &str {
        match self {
            Self::User => "user",
            Self::Agent(name) => name,
        }
    }
}

impl fmt::Display for Participant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A message before it is sent.
///
/// ```
/// use onionskin::message_hooks::SentMessage;
///
/// let mut message = SentMessage::new("My key is k-17.");
/// message.change_texts(|text| Some(text.replace("k-17", "[key]")));
/// assert_eq!(message.text(), "My key is [key].");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SentMessage(pub(super) RunInput);

impl SentMessage {
    /// Creates a message, for tests of hooks.
    pub fn new(message: impl Into<RunInput>) -> Self {
        Self(message.into())
    }

    /// The text, without attachments. Inputs and answers that have a type are JSON.
    pub fn text(&self) -> &str {
        self.0.text()
    }

    /// Replaces the text, as [`RunInput::set_text`] does: the same text changes nothing, and attachments stay where they are.
    /// [`Self::change_texts`] changes each text in its place.
    pub fn set_text(&mut self, text: impl Into<String>) {
        self.0.set_text(text);
    }

    /// The images, files and other parts beside the text. Only an input of the user has some.
    pub fn attachments(&self) -> impl Iterator<Item = &ContentBlock> {
        self.0.attachments()
    }

    /// Keeps the attachments for which `keep` returns true.
    pub fn retain_attachments(&mut self, keep: impl FnMut(&ContentBlock) -> bool) {
        self.0.retain_attachments(keep);
    }

    /// All texts of the message: [`Self::text`] and the texts in attachments.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.0.texts()
    }

    /// Changes all texts of the message, also those in attachments. `change` returns `None` to keep a text.
    pub fn change_texts(&mut self, change: impl FnMut(&str) -> Option<String>) {
        self.0.change_texts(change);
    }
}

/// Whether a message is sent.
///
/// ```
/// use onionskin::message_hooks::Delivery;
///
/// assert_eq!(Delivery::default(), Delivery::Send);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[must_use = "a hook returns it: the message is sent otherwise"]
#[non_exhaustive]
pub enum Delivery {
    /// It is sent, as the hook leaves it.
    #[default]
    Send,
    /// It is not sent, and the hooks after this one do not see it.
    Drop,
}
