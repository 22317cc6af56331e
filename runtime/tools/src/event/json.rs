//! The JSON of calls that have ended, for programs in other languages: a time is a number of milliseconds, and the
//! structured value is the value itself, wherever the call keeps it.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{CallOutcome, HookExit};
use onionskin_definitions::content::ContentBlock;
use onionskin_definitions::output::StructuredContent;

/// The fields that the event of a call's end and its report have in common.
#[derive(Serialize, Deserialize)]
pub(super) struct CallEnd {
    pub(super) content: Arc<[ContentBlock]>,
    #[serde(with = "millis")]
    pub(super) duration_ms: Duration,
    pub(super) attempts: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    structured: Option<Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) hook_exits: Vec<HookExit>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) error_chain: Vec<String>,
}

impl CallEnd {
    pub(super) fn new(
        content: &Arc<[ContentBlock]>,
        duration: Duration,
        attempts: u32,
        structured: &StructuredContent,
        hook_exits: &[HookExit],
        error_chain: &[String],
    ) -> Self {
        Self {
            content: Arc::clone(content),
            duration_ms: duration,
            attempts,
            structured: structured.read(content).map(std::borrow::Cow::into_owned),
            hook_exits: hook_exits.to_vec(),
            error_chain: error_chain.to_vec(),
        }
    }

    /// Takes the structured value out.
    pub(super) fn structured(&mut self) -> StructuredContent {
        self.structured.take().map(|value| StructuredContent::new(value, &self.content)).unwrap_or_default()
    }
}

/// A time as a number of milliseconds, exact to a nanosecond for a hundred days.
mod millis {
    use std::time::Duration;

    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(time.as_secs_f64() * 1e3)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        let nanos = f64::deserialize(deserializer)? * 1e6;
        Duration::try_from_secs_f64(nanos.round() / 1e9).map_err(D::Error::custom)
    }
}

/// The fields of `EventKind::ToolFinished`.
pub(super) mod finished {
    use std::sync::Arc;
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{CallEnd, CallOutcome, ContentBlock, HookExit, StructuredContent};

    #[derive(Serialize, Deserialize)]
    struct Finished {
        call_id: Arc<str>,
        tool: Arc<str>,
        outcome: CallOutcome,
        #[serde(flatten)]
        end: CallEnd,
    }

    /// The fields in their order.
    type Fields = (
        Arc<str>,
        Arc<str>,
        CallOutcome,
        Arc<[ContentBlock]>,
        Duration,
        u32,
        StructuredContent,
        Vec<HookExit>,
        Vec<String>,
    );

    #[expect(
        clippy::too_many_arguments,
        clippy::trivially_copy_pass_by_ref,
        clippy::ptr_arg,
        reason = "serde calls it with a reference to each field"
    )]
    pub(in super::super) fn serialize<S: Serializer>(
        call_id: &Arc<str>,
        tool: &Arc<str>,
        outcome: &CallOutcome,
        content: &Arc<[ContentBlock]>,
        duration: &Duration,
        attempts: &u32,
        structured: &StructuredContent,
        hook_exits: &Vec<HookExit>,
        error_chain: &Vec<String>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let end = CallEnd::new(content, *duration, *attempts, structured, hook_exits, error_chain);
        let (call_id, tool) = (Arc::clone(call_id), Arc::clone(tool));
        Finished { call_id, tool, outcome: *outcome, end }.serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Fields, D::Error> {
        let Finished { call_id, tool, outcome, mut end } = Finished::deserialize(deserializer)?;
        let structured = end.structured();
        let CallEnd { content, duration_ms, attempts, hook_exits, error_chain, .. } = end;
        Ok((call_id, tool, outcome, content, duration_ms, attempts, structured, hook_exits, error_chain))
    }
}
