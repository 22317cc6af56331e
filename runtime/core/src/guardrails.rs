#![doc = include_str!("docs/guardrails.md")]

pub use onionskin_tools::policy::{
    DynInputGuardrail, DynOutputGuardrail, InputGuardrail, InputGuardrails, OutputGuardrail, OutputGuardrails,
};
