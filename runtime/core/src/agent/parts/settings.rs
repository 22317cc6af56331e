//! What the author of an agent says in single values: words, numbers, the name of the model.

use std::sync::Arc;
use std::time::Duration;

pub use onionskin_vocabulary::agent::{HistoryMergeTarget, HistorySource, Lock};
use serde::{Deserialize, Serialize};

use crate::agent::limits::Limits;
use crate::agent::seconds;
use onionskin_definitions::definition::Effect;
use onionskin_tools::model::RequestParams;

/// The settings of an agent. Cards are read into them, and written from them, by the names in the vocabulary.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    #[serde(rename = "default")]
    pub(crate) is_default: bool,
    pub(crate) model: Option<Arc<str>>,
    #[serde(with = "word")]
    pub(crate) lock: Lock,
    #[serde(with = "word")]
    pub(crate) history_source: HistorySource,
    #[serde(with = "word")]
    pub(crate) history_merge_target: HistoryMergeTarget,
    pub(crate) max_parallel: Option<usize>,
    #[serde(rename = "child_timeout_sec", with = "seconds::optional")]
    pub(crate) child_timeout: Option<Duration>,
    pub(crate) max_display_instances: usize,
    pub(crate) effect: Effect,
    pub(crate) request_params: RequestParams,
    pub(crate) limits: Limits,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            is_default: false,
            model: None,
            lock: Lock::default(),
            history_source: HistorySource::default(),
            history_merge_target: HistoryMergeTarget::default(),
            max_parallel: None,
            child_timeout: None,
            max_display_instances: DISPLAY_INSTANCES,
            effect: Effect::Once,
            request_params: RequestParams::default(),
            limits: Limits::default(),
        }
    }
}

/// The default number of displayed instances of a child agent.
pub(in crate::agent) const DISPLAY_INSTANCES: usize = 20;

const LEAVE_OUT: &str = "leave it out for no limit";

impl Settings {
    /// Whether the conversations of children come into that of the agent.
    pub(crate) fn merges_into_own(&self) -> bool {
        self.history_merge_target == HistoryMergeTarget::Orchestrator
    }

    /// Whether people are shown the run of the call of a child with this number.
    pub(crate) fn shows(&self, number: u32) -> bool {
        usize::try_from(number).unwrap_or(usize::MAX) <= self.max_display_instances
    }

    /// The settings that are 0 and must not be, each with advice.
    pub(crate) fn zeros(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let Limits { turns, tokens, time, depth, model_timeout, .. } = &self.limits;
        [
            (self.max_parallel == Some(0), "max_parallel", LEAVE_OUT),
            (self.child_timeout == Some(Duration::ZERO), "child_timeout", LEAVE_OUT),
            (self.max_display_instances == 0, "max_display_instances", "at least one instance is shown"),
            (*turns == 0, "limits.turns", "a run needs at least one turn"),
            (*tokens == Some(0), "limits.tokens", LEAVE_OUT),
            (*time == Some(Duration::ZERO), "limits.time", LEAVE_OUT),
            (*depth == 0, "limits.depth", "the outermost run is 1 deep"),
            (
                model_timeout.is_zero(),
                "limits.model_timeout",
                "a model needs time to answer; `Duration::MAX` sets no limit",
            ),
        ]
        .into_iter()
        .filter(|(is_zero, ..)| *is_zero)
        .map(|(_, setting, advice)| (setting, advice))
    }
}

/// A word of the vocabulary.
mod word {
    use onionskin_vocabulary::{Word, unknown};
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<W: Word, S: Serializer>(word: &W, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(word.word())
    }

    pub(super) fn deserialize<'de, W: Word, D: Deserializer<'de>>(deserializer: D) -> Result<W, D::Error> {
        let word = String::deserialize(deserializer)?;
        W::from_word(&word).ok_or_else(|| D::Error::custom(unknown("value", &word, W::WORDS)))
    }
}
