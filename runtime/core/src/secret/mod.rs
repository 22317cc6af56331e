//! [`Secret`]: a value that never shows, and what is done where a program lets it out by accident.

mod asked;
mod bind;
mod forms;
mod held;
mod known;
mod needles;
mod reader;
mod scrub;
mod told;
mod value;

pub(crate) use asked::Asked;
pub use bind::{Bound, ConcealNone, ConcealSome};
pub(crate) use bind::{held_by, noted};
#[cfg(any(feature = "mcp", feature = "shell"))]
pub(crate) use held::Held;
pub(crate) use held::HeldDeltas;
pub(crate) use known::Concealed;
#[cfg(any(feature = "genai", feature = "mcp"))]
pub(crate) use needles::Needles;
pub(crate) use reader::{NotAsSecret, OnlyAsSecret};
pub use value::{Secret, Sensitive};
