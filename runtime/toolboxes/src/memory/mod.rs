//! Memories as parts of system prompts, and the tools that change them.

mod culture;
mod learnings;
mod shown;
mod user;

pub use self::culture::Culture;
pub use self::learnings::Learnings;
pub use self::user::{MemoryHit, UserMemories};

/// The characters of a memory that a tool adds.
const TEXT: usize = 1_000;

/// The text of a memory without the secrets of the run.
fn without_secrets<'t>(cx: &onionskin_core::ToolContext, text: &'t str) -> std::borrow::Cow<'t, str> {
    match cx.run().redactor() {
        Some(redactor) => redactor.redact(text).into_owned().into(),
        None => text.into(),
    }
}
