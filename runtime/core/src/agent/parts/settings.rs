//! The settings of an agent: options, numbers, the name of the model.

use std::sync::Arc;
use std::time::Duration;

use onionskin_vocabulary::Word as _;
pub use onionskin_vocabulary::agent::{HistoryMergeTarget, HistorySource, Lock, PromptOrder};
use onionskin_vocabulary::agent::{Limit, Setting, SettingKind};
use onionskin_vocabulary::setting_default;
use onionskin_vocabulary::settings::{COUNT, timeout_mistake};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agent::limits::Limits;
use crate::agent::seconds;
use onionskin_definitions::definition::Effect;
use onionskin_tools::model::RequestParams;

/// The settings of an agent. Cards are converted to and from them by the names in the vocabulary.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    #[serde(rename = "default")]
    pub(crate) is_default: bool,
    pub(crate) model: Option<Arc<str>>,
    pub(crate) parser_model: Option<Arc<str>>,
    pub(crate) parser_model_prompt: Option<Arc<str>>,
    #[serde(with = "word")]
    pub(crate) prompt_order: PromptOrder,
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
            parser_model: None,
            parser_model_prompt: None,
            prompt_order: PromptOrder::default(),
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
pub(in crate::agent) const DISPLAY_INSTANCES: usize = setting_default!(max_display_instances);

impl Settings {
    /// Whether the conversations of children are merged into the agent's.
    pub(crate) fn merges_into_own(&self) -> bool {
        self.history_merge_target == HistoryMergeTarget::Orchestrator
    }

    /// Whether the run of the child's call with this number is shown to people.
    pub(crate) fn shows(&self, number: u32) -> bool {
        usize::try_from(number).unwrap_or(usize::MAX) <= self.max_display_instances
    }

    /// The settings that are 0 and must not be, each with its mistake in the words of the vocabulary.
    pub(crate) fn zeros(&self) -> Vec<(String, String)> {
        // All of it has a form in JSON.
        let values = serde_json::to_value(self).unwrap_or_default();
        let settings = Setting::ALL.iter().filter(|setting| is_zero(&values, setting.word()));
        let settings = settings.filter_map(|setting| {
            let name = rust_name(setting.word());
            let mistake = match setting.kind() {
                SettingKind::Count(_) => COUNT.out_of_bounds(&name, 0.0),
                SettingKind::Seconds(_) => timeout_mistake(&name, 0.0),
                SettingKind::Boolean | SettingKind::Text | SettingKind::Word { .. } => None,
            };
            Some((name, mistake?))
        });
        settings.chain(self.limits.zeros()).collect()
    }
}

impl Limits {
    /// The limits that are 0 and must not be, each with its mistake.
    pub(in crate::agent) fn zeros(&self) -> Vec<(String, String)> {
        let values = serde_json::to_value(self).unwrap_or_default();
        let limits = Limit::ALL.iter().filter(|limit| is_zero(&values, limit.word()));
        let zero = limits.filter_map(|limit| {
            let name = format!("limits.{}", rust_name(limit.word()));
            let mistake = limit.number().out_of_bounds(&name, 0.0)?;
            Some((name, mistake))
        });
        zero.collect()
    }
}

fn is_zero(values: &Value, word: &str) -> bool {
    values[word].as_f64() == Some(0.0)
}

/// The name of a setting in Rust, where a time is a `Duration` and its name says no unit.
fn rust_name(word: &str) -> String {
    word.trim_end_matches("_sec").to_owned()
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
