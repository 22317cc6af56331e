//! The direct call: no framework between the text and the function.

use serde::Deserialize;

use super::{Case, TEXT, add_one, calls};

#[derive(Deserialize)]
pub(crate) struct AddOne {
    pub(crate) x: i64,
}

/// Text in, text out, as every case does it in the end.
pub(crate) async fn call(text: &str) -> Result<String, serde_json::Error> {
    let args: AddOne = serde_json::from_str(text)?;
    serde_json::to_string(&add_one(args.x).await)
}

pub(crate) fn cases() -> Vec<Case> {
    vec![calls!("direct", "serde_json::from_str, the function, to_string", call(TEXT))]
}
