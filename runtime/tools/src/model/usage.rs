//! Token counts.

use serde::{Deserialize, Serialize};

/// The tokens of one or more requests.
///
/// ```
/// use onionskin::model::Usage;
///
/// let mut sum = Usage::new(120, 8);
/// sum += Usage::new(150, 12);
/// assert_eq!((sum.input_tokens, sum.output_tokens, sum.total()), (270, 20, 290));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Usage {
    /// Input tokens.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
}

impl Usage {
    /// Usage with these input and output tokens.
    pub fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Self { input_tokens, output_tokens }
    }

    /// The sum of input and output tokens.
    pub fn total(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
    }
}
