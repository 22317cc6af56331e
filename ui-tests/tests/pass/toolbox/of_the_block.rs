//! Options of a method can name items of the type, as the method can.
#![deny(warnings)]

use std::time::Duration;

use onionskin::{Args, ToolContext, ToolError, ToolResult, toolbox};

struct Shop;

#[toolbox]
impl Shop {
    const MOST: u32 = 3;
    const KEPT: Duration = Duration::from_secs(60);

    fn is_large(args: &Args) -> bool {
        args["amount"] == 5
    }

    fn by_amount(args: &Args) -> String {
        args["amount"].to_string()
    }

    fn explain(_: &ToolContext, error: ToolError) -> ToolResult {
        Ok(error.to_string().into())
    }

    /// Sells.
    #[tool(approval = Self::is_large, max_calls = Self::MOST, on_error = Self::explain)]
    fn sell(&self, amount: u32) -> u32 {
        amount
    }

    /// Looks.
    #[tool(cache(key = Self::by_amount, ttl = Self::KEPT), examples = [example(amount = Self::MOST)])]
    fn look(&self, amount: u32) -> u32 {
        amount
    }
}

pub(crate) fn main() {
    assert_eq!(Shop.tools().len(), 2);
}
