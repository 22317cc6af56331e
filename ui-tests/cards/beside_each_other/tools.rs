//! The items of the cards in this folder.

use onionskin::{Args, Next, ToolResult, tool, tool_hook};

/// The known facts.
#[derive(Clone, Default)]
pub struct Ledger;

macro_rules! adders {
    ($($name:ident: $step:expr),*) => {
        $(
            /// Adds.
            #[tool]
            pub fn $name(x: i64) -> i64 {
                x + $step
            }
        )*
    };
}

adders!(add_one: super::STEP, add_two: 2 * super::STEP);

#[tool_hook]
pub async fn watch(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}
