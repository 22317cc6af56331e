//! The record of one step, as journals store it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of the stored form. A later one adds fields or changes their meaning.
const VERSION: u32 = 1;

/// What a journal stores of a step. It is opaque: a journal serialises it, and gives the same record back in a later run.
///
/// The stored form holds its version. A record of a later version is refused where it is read. Secrets of the session
/// are redacted in it.
///
/// ```
/// # use onionskin::journal::StepRecord;
/// let newer = r#"{"version": 9, "request": "", "value": null}"#;
/// let error = serde_json::from_str::<StepRecord>(newer).unwrap_err();
/// assert!(error.to_string().starts_with("the record has version 9, and this program reads version 1"));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct StepRecord {
    pub(super) request: String,
    pub(super) value: Value,
}

impl StepRecord {
    pub(super) fn new(request: String, value: Value) -> Self {
        Self { request, value }
    }
}

#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    /// The hash of the step's request.
    request: String,
    /// The result of the step.
    value: Value,
}

impl TryFrom<Stored> for StepRecord {
    type Error = String;

    fn try_from(stored: Stored) -> Result<Self, String> {
        let Stored { version, request, value } = stored;
        if version != VERSION {
            return Err(format!(
                "the record has version {version}, and this program reads version {VERSION}: read it with the version of \
                 onionskin that wrote it"
            ));
        }
        Ok(Self { request, value })
    }
}

impl From<StepRecord> for Stored {
    fn from(record: StepRecord) -> Self {
        Self { version: VERSION, request: record.request, value: record.value }
    }
}
