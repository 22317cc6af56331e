//! The parameters of a request.

use serde::{Deserialize, Serialize};

/// Model parameters of a request. The provider chooses those that are not set.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct RequestParams {
    /// The sampling temperature.
    pub temperature: Option<f64>,
    /// The share of probability that nucleus sampling keeps: the model chooses among the most likely tokens whose
    /// probabilities add up to it.
    pub top_p: Option<f64>,
    /// The maximum number of tokens in one answer.
    pub max_tokens: Option<u32>,
    /// A seed for repeatable sampling, if the provider supports it.
    pub seed: Option<u64>,
    /// Texts that end an answer.
    pub stop_sequences: Vec<String>,
}
