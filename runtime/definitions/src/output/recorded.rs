//! Outputs as journals store them.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ToolOutput;
use super::storage::Structured;
use crate::content::ContentBlock;
use crate::json;

/// A serialisable output, without typed values of the program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedOutput {
    content: Vec<ContentBlock>,
    /// The structured value, if it is not in the content.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "json::present")]
    structured: Option<Value>,
    /// The place of the structured value. Without it: apart if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place: Option<Structured>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    exact: Option<String>,
    /// The `_meta` of a remote tool's answer.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "json::present")]
    remote_meta: Option<Value>,
}

impl RecordedOutput {
    /// Creates the record of an output.
    pub fn new(output: &ToolOutput) -> Self {
        let rare = output.rare.0.as_ref();
        let (structured, exact) = match output.structured {
            Structured::Apart | Structured::ApartWrapped => (
                output.structured_content().map(Cow::into_owned),
                rare.and_then(|rare| rare.exact.as_deref()).map(str::to_owned),
            ),
            Structured::None
            | Structured::InText
            | Structured::InTextWrapped
            | Structured::Text
            | Structured::Nothing => (None, None),
        };
        Self {
            content: output.content().to_vec(),
            structured,
            place: Some(output.structured)
                .filter(|place| !matches!(place, Structured::None | Structured::Apart)),
            exact,
            remote_meta: output.remote_meta().cloned(),
        }
    }

    /// Returns the recorded output.
    pub fn into_output(self) -> ToolOutput {
        let mut output = ToolOutput::blocks(self.content);
        if let Some(structured) = self.structured {
            output.set_remote_structured(structured);
            output.rare.0.get_or_insert_default().exact = self.exact.map(Arc::from);
        }
        if let Some(place) = self.place {
            output.structured = place;
        }
        if let Some(meta) = self.remote_meta {
            output.set_remote_meta(meta);
        }
        output
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o5_a_recorded_null_is_read_as_the_value_that_it_was() {
        let mut output = ToolOutput::text("There is none.");
        output.set_structured_only(Value::Null);
        output.set_remote_meta(Value::Null);
        let record = RecordedOutput::new(&output);
        let read: RecordedOutput = serde_json::from_value(serde_json::to_value(&record).unwrap()).unwrap();
        assert_eq!(read, record);
        let read = read.into_output();
        assert!(read.structured_content().is_some());
        assert_eq!(read.structured_content(), output.structured_content());
        assert_eq!(read.remote_meta(), Some(&Value::Null));
    }
}
