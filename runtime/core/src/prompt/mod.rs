//! The system prompt: its parts, their texts, and the sources of texts that a program computes.

mod assembly;
mod change;
mod computed;
mod date;
mod part;
mod parts;
mod source;
mod text;

pub(crate) use assembly::{Known, PromptFailure, SystemPrompt, shows, tagged};
pub use change::PromptChange;
pub use onionskin_vocabulary::agent::PromptOrder;
pub use part::PromptPart;
pub use parts::Prompt;
pub use source::{PromptAnswer, PromptSource};
pub use text::PromptText;
#[doc(hidden)]
pub use {
    computed::{Computed, ComputedLater, ComputedNow, by_closure, computed},
    parts::PromptOutline,
    source::ComputedText,
    text::{TemplatePart, template},
};
