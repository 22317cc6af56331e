//! An error about an unknown name suggests the nearest known one: "did you mean".

pub(crate) use onionskin_vocabulary::{nearest, unknown};
