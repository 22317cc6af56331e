//! [`Secret`]: a value that is never shown, and the redaction of secrets in a program's output.

mod forms;
mod known;
mod noted;
mod reader;
mod redact;
mod redactor;
mod stream;
mod value;
mod visit;

pub(crate) use known::Concealed;
pub(crate) use noted::{held_by, noted};
#[doc = include_str!("../docs/visit_secrets.md")]
pub use onionskin_macros::VisitSecrets;
pub(crate) use reader::{NotAsSecret, OnlyAsSecret};
pub use redact::Redact;
pub use redactor::Redactor;
pub use stream::StreamRedactor;
pub use value::{Secret, Sensitive};
pub use visit::VisitSecrets;
#[doc(hidden)]
pub use visit::{VisitNone, VisitSome, Visited};
