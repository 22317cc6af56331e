//! Token counts.

use serde::{Deserialize, Serialize};

/// The tokens of one or more requests.
///
/// All counts have one meaning for all providers. [`input_tokens`](Self::input_tokens) and
/// [`output_tokens`](Self::output_tokens) are the whole; the counts below them are parts of these two. A count
/// that a provider does not report is 0.
///
/// ```
/// use onionskin::model::Usage;
///
/// let mut sum = Usage::new(120, 8);
/// let mut second = Usage::new(150, 12);
/// second.cached_input_tokens = 100;
/// sum += second;
/// assert_eq!((sum.input_tokens, sum.cached_input_tokens, sum.total()), (270, 100, 290));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Usage {
    /// All input tokens, including those that the provider read from its cache or wrote into it.
    pub input_tokens: u64,
    /// All output tokens, including reasoning.
    pub output_tokens: u64,
    /// The input tokens that the provider read from its cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached_input_tokens: u64,
    /// The input tokens that the provider wrote into its cache, if it bills them as such.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write_tokens: u64,
    /// The output tokens of reasoning.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reasoning_tokens: u64,
    /// How often the model used the provider's own tools, such as its web search. These are no tokens.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub server_tool_uses: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Usage {
    /// Usage with these input and output tokens, and no parts of them.
    pub fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Self { input_tokens, output_tokens, ..Self::default() }
    }

    /// The sum of input and output tokens.
    pub fn total(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        // A new count must be added here too.
        let Self {
            input_tokens,
            output_tokens,
            cached_input_tokens,
            cache_write_tokens,
            reasoning_tokens,
            server_tool_uses,
        } = self;
        for (sum, count) in [
            (input_tokens, other.input_tokens),
            (output_tokens, other.output_tokens),
            (cached_input_tokens, other.cached_input_tokens),
            (cache_write_tokens, other.cache_write_tokens),
            (reasoning_tokens, other.reasoning_tokens),
            (server_tool_uses, other.server_tool_uses),
        ] {
            *sum = sum.saturating_add(count);
        }
    }
}
