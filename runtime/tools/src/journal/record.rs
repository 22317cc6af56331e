//! The record of one step, as journals store it.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Step;
use onionskin_definitions::json::{self, Problem, Unique, Unread};
use onionskin_definitions::text::short;

/// The version of the stored form. A later one adds fields or changes their meaning.
const VERSION: u64 = 1;

/// The record of a step, as a journal stores it. It is opaque: a journal serialises it, and returns the same
/// record in a later run.
///
/// The stored form contains its version; deserialising a record of another version fails. The session's
/// secrets are redacted, except in a model's `provider_data`, which the provider must receive unchanged, and
/// in the answers of people. Deserialisation errors quote no values.
///
/// ```
/// # use onionskin::journal::StepRecord;
/// let newer = r#"{"version": 9, "request": "", "value": null}"#;
/// let error = serde_json::from_str::<StepRecord>(newer).unwrap_err();
/// assert!(error.to_string().starts_with("the record has version 9, and this program reads version 1"));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unique", into = "Stored")]
pub struct StepRecord {
    pub(super) request: String,
    pub(super) value: Value,
}

impl StepRecord {
    pub(super) fn new(request: String, value: Value) -> Self {
        Self { request, value }
    }

    /// Whether the record belongs to the step's request.
    pub(super) fn is_for(&self, step: &Step) -> bool {
        self.request == step.request_hash()
    }

    /// The stored result of the step.
    pub(crate) fn value(&self) -> &Value {
        &self.value
    }

    /// Deserialises the result of the step.
    ///
    /// # Errors
    /// Returns an error that names the unreadable or unknown part of the record.
    pub(super) fn read<T: Serialize + DeserializeOwned>(&self) -> Result<T, String> {
        json::read_stored(&self.value).map_err(|Unread { path, problem }| match problem {
            Problem::UnknownField => {
                format!("this version of onionskin does not know the field `value{path}`")
            }
            Problem::Other(reason) if path.is_empty() => reason,
            Problem::Other(reason) => format!("`value{path}`: {reason}"),
        })
    }
}

/// The stored form. Its version is read first, because a later one may have other fields.
#[derive(Serialize)]
struct Stored {
    version: u64,
    /// The hash of the step's request.
    request: String,
    /// The result of the step.
    value: Value,
}

impl TryFrom<Unique> for StepRecord {
    type Error = String;

    fn try_from(Unique(stored): Unique) -> Result<Self, String> {
        let Value::Object(mut fields) = stored else {
            return Err("the record is not an object".to_owned());
        };
        let mut take = |field| fields.remove(field).ok_or_else(|| format!("missing field `{field}`"));
        let version = take("version")?.as_u64().ok_or("the version of the record is not a number")?;
        if version != VERSION {
            return Err(format!(
                "the record has version {version}, and this program reads version {VERSION}: read it with the version of \
                 onionskin that wrote it"
            ));
        }
        let (request, value) = (take("request")?, take("value")?);
        let Value::String(request) = request else {
            return Err("the field `request` of the record is not a text".to_owned());
        };
        match fields.keys().next() {
            Some(field) => Err(format!("unknown field `{}` of the record", short(field, 100))),
            None => Ok(Self { request, value }),
        }
    }
}

impl From<StepRecord> for Stored {
    fn from(record: StepRecord) -> Self {
        Self { version: VERSION, request: record.request, value: record.value }
    }
}
