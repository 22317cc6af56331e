//! Ready-made guardrails, which are run hooks too.
//!
//! | ready-made | as a run hook (`run_hooks`) | as a guardrail of a tool or an agent |
//! |---|---|---|
//! | [`MaskPii`], [`RejectPii`] | personal data in the input and the answer | in the arguments, or in the result |
//! | [`RejectInjection`] | instructions to the model in the input | in the arguments, or in the result |
//! | [`max_input(n)`](max_input()), [`max_answer(n)`](max_answer()) | the characters of the input, or of the answer | |
//! | [`max_args(n)`](max_args()), [`max_output(n)`](max_output()) | | the characters of the arguments, or of the result |
//! | [`Moderation`] | a function of yours judges the input and the answer | the arguments, or the result |
//!
//! ```
//! use onionskin::guardrails::{MaskPii, RejectInjection, max_input};
//! use onionskin::{agent, tool};
//!
//! /// Reads a page of the web.
//! #[tool(output_guardrails = [RejectInjection, MaskPii])]
//! fn page(url: &str) -> String {
//!     format!("the text of {url}")
//! }
//!
//! agent! {
//!     Reader {
//!         instruction: "Summarise pages.",
//!         function_tools: [page],
//!         run_hooks: [max_input(8_000), RejectInjection, MaskPii],
//!     }
//! }
//! ```

#![forbid(unsafe_code)]
// A new variant of an enum must be handled in each `match`.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

// The macros name the runtime by this path.
extern crate onionskin_core as onionskin;

// An error about another type would list each ready-made one, so their implementations are `do_not_recommend`.

mod injection;
mod length;
mod moderation;
mod pace;
mod pii;
mod texts;

pub use injection::{RejectInjection, injection_score};
pub use length::{max_answer, max_args, max_input, max_output};
pub use moderation::Moderation;
pub use pii::{MaskPii, Pii, PiiKind, PiiMatch, RejectPii};
