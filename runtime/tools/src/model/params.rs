//! Model parameters of a request.

use std::mem;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    Model, ModelError, ReasoningEffort, RequestOption, ResponseSchema, ServiceTier, ToolChoice, Verbosity,
};
use onionskin_definitions::secret::{Redact, Redactor};

/// Model parameters of a request. The provider chooses values for unset parameters.
///
/// ```
/// use onionskin::model::{RequestOption, RequestParams, ToolChoice};
///
/// let mut params = RequestParams::default();
/// params.temperature = Some(0.2);
/// params.tool_choice = ToolChoice::tool("search");
/// assert_eq!(params.options().collect::<Vec<_>>(), [RequestOption::ToolChoice]);
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct RequestParams {
    /// The sampling temperature.
    pub temperature: Option<f64>,
    /// The share of probability that nucleus sampling keeps: the model chooses among the most likely tokens
    /// whose probabilities add up to it.
    pub top_p: Option<f64>,
    /// The maximum number of tokens in one answer.
    pub max_tokens: Option<u32>,
    /// A seed for repeatable sampling.
    pub seed: Option<u64>,
    /// How much the model thinks before it answers. Each model takes some of the words.
    #[serde(skip_serializing_if = "Option::is_none", with = "optional_word")]
    pub reasoning_effort: Option<ReasoningEffort>,
    /// How long the answer is.
    #[serde(skip_serializing_if = "Option::is_none", with = "optional_word")]
    pub verbosity: Option<Verbosity>,
    /// How fast and at what price the provider answers.
    #[serde(skip_serializing_if = "Option::is_none", with = "optional_word")]
    pub service_tier: Option<ServiceTier>,
    /// Whether the model may call several tools in one turn. It says nothing for a request without tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallel_tool_calls: Option<bool>,
    /// Texts that end an answer.
    pub stop_sequences: Vec<String>,
    /// Whether the model may, must or must not call tools.
    ///
    /// For an agent, choices that force a call ([`ToolChoice::Required`], [`ToolChoice::Tool`]) apply to the
    /// first turn of a run only, and only if that turn has all tools; other turns have [`ToolChoice::Auto`],
    /// because the run would not end otherwise. The tool is named as hooks see it or as the model sees it.
    #[serde(skip_serializing_if = "ToolChoice::is_auto")]
    pub tool_choice: ToolChoice,
    /// The schema that the text of the answer must fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_schema: Option<ResponseSchema>,
    /// Fields for the body of the provider's request, with the provider's names, for example
    /// `prompt_cache_key` for `OpenAI`. Objects are merged with those of the adapter, and `tools` are
    /// appended; any other value, and an object of another `type`, replaces the adapter's value. Other
    /// providers have other fields.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra_body: Map<String, Value>,
}

impl RequestParams {
    /// The set options that not every model supports.
    pub fn options(&self) -> impl Iterator<Item = RequestOption> {
        let tool_choice = (!self.tool_choice.is_auto()).then_some(RequestOption::ToolChoice);
        let response_schema = self.response_schema.as_ref().map(|_| RequestOption::ResponseSchema);
        let extra_body = (!self.extra_body.is_empty()).then_some(RequestOption::ExtraBody);
        let stop_sequences = (!self.stop_sequences.is_empty()).then_some(RequestOption::StopSequences);
        let seed = self.seed.map(|_| RequestOption::Seed);
        let effort = self.reasoning_effort.map(|_| RequestOption::ReasoningEffort);
        let verbosity = self.verbosity.map(|_| RequestOption::Verbosity);
        let tier = self.service_tier.map(|_| RequestOption::ServiceTier);
        let parallel = self.parallel_tool_calls.map(|_| RequestOption::ParallelToolCalls);
        [tool_choice, response_schema, extra_body, stop_sequences, seed, effort, verbosity, tier, parallel]
            .into_iter()
            .flatten()
    }
}

/// A word of the vocabulary, or none.
mod optional_word {
    use onionskin_vocabulary::Word;
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    #[expect(clippy::ref_option, reason = "serde passes a reference")]
    pub(super) fn serialize<W: Word, S: Serializer>(
        word: &Option<W>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        word.map(Word::word).serialize(serializer)
    }

    pub(super) fn deserialize<'de, W: Word, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<W>, D::Error> {
        let Some(word) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
        let unknown = || D::Error::custom(onionskin_vocabulary::unknown("value", &word, W::WORDS));
        W::from_word(&word).map(Some).ok_or_else(unknown)
    }
}

impl Redact for RequestParams {
    fn redact(&mut self, redactor: &Redactor) {
        self.stop_sequences.redact(redactor);
        self.response_schema.redact(redactor);
        let mut extra = Value::Object(mem::take(&mut self.extra_body));
        extra.redact(redactor);
        if let Value::Object(extra) = extra {
            self.extra_body = extra;
        }
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl RequestParams {
    /// The parameters for a turn of a run. A choice that forces a call applies to the first turn only, if it
    /// has `all` tools.
    #[must_use]
    pub fn in_turn(&self, turn: u32, all: bool) -> Self {
        let mut params = self.clone();
        if turn > 1 || !all {
            params.tool_choice = params.tool_choice.later();
        }
        params
    }

    /// Checks that the model `requested` supports the options.
    pub fn check(&self, model: &impl Model, requested: Option<&str>) -> Result<(), ModelError> {
        self.options().try_for_each(|option| model.check_option(requested, option))
    }
}
