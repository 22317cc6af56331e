#![doc = include_str!("../docs/guardrails.md")]

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

pub use onionskin_tools::policy::{
    DynInputGuardrail, DynOutputGuardrail, InputGuardrail, InputGuardrails, OutputGuardrail, OutputGuardrails,
};
