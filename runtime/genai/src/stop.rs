//! Why a model stopped.

/// The reasons why the model stopped that change the end of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The answer is complete.
    Done,
    /// Tools are called.
    Calls,
    Length,
    Filter,
    Refusal,
    /// The provider ended the answer early, for this reason.
    Early(String),
    /// The provider goes on when it gets back what it has written.
    Paused,
    /// The server says that it is through, and gives no reason.
    Unsaid,
    /// A reason that is not known here. A text with it is taken for whole; calls are not, because what broke off must not run.
    Other(String),
}

impl Stop {
    /// A reason that the protocol does not have, by what its words say.
    pub(crate) fn other(reason: &str) -> Self {
        let words = reason.to_ascii_lowercase();
        let says = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
        let reason = reason.chars().take(80).collect();
        if says(&["length", "max_tokens", "max_output", "token_limit"]) {
            Self::Length
        } else if says(&["filter", "safety", "moderat"]) {
            Self::Filter
        } else if says(&["abort", "cancel", "timeout", "timed_out", "error", "interrupt", "repetition"]) {
            Self::Early(reason)
        } else {
            Self::Other(reason)
        }
    }

    /// How much it takes from what the answer can be taken for.
    pub(crate) fn weight(&self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Calls => 1,
            Self::Unsaid | Self::Other(_) => 2,
            Self::Length | Self::Filter | Self::Refusal | Self::Early(_) | Self::Paused => 3,
        }
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.weight() < 3
    }
}
