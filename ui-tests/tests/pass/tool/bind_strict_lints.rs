//! Under the strictest lints, with a state in a module and a raw name.
#![deny(warnings, missing_docs, clippy::pedantic)]

use onionskin::{agent, tool};

/// The state.
pub mod state {
    /// What is kept.
    #[derive(Debug, Clone, Default)]
    pub struct Ledger {
        /// A name.
        pub r#type: String,
        /// Two.
        pub pair: (u8, Option<String>),
    }
}

/// Says the kept text.
#[tool(state = state::Ledger)]
#[must_use]
pub fn say(
    #[bind(r#type)] kind: &str,
    #[bind(pair.0)] first: u8,
    #[bind(pair.1)] second: Option<&str>,
    #[bind("user.name", default = "nobody")] user: &str,
    #[cfg(any())]
    #[bind(nothing)]
    absent: Absent,
) -> String {
    format!("{kind} {first} {second:?} {user}")
}

/// Waits.
#[tool(state = state::Ledger)]
pub async fn wait(#[bind(r#type)] kind: String) -> String {
    std::future::ready(kind).await
}

agent! {
    /// Says it.
    pub Teller {
        instruction: "Say.",
        function_tools: [say, wait],
        state: state::Ledger,
    }
}

pub(crate) fn main() {}
