//! Protocols over lines: [`Lines`] reads lines of bounded length, and [`standard_streams`] sets the standard streams of the program apart.
//!
//! It is for the crates of the runtime. Programs do not use it, and its items change without notice.

#![forbid(unsafe_code)]

mod lines;
mod streams;

pub use lines::{Line, Lines};
pub use streams::standard_streams;
