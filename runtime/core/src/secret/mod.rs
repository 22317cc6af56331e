//! [`Secret`]: a value that never shows, and what is done where a program lets it out by accident.

mod forms;
mod known;
mod noted;
mod reader;
mod redact;
mod redactor;
mod stream;
mod value;

pub(crate) use known::Concealed;
pub(crate) use noted::{held_by, noted};
pub(crate) use reader::{NotAsSecret, OnlyAsSecret};
pub use redact::Redact;
pub use redactor::Redactor;
pub use stream::StreamRedactor;
pub use value::{Secret, Sensitive};
