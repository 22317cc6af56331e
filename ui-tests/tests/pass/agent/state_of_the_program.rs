//! A state that all runs share, because it lives as long as the program.
use onionskin::{State, agent, tool};

struct Prices {
    tea: u32,
}

static PRICES: Prices = Prices { tea: 3 };

/// Gives the price of tea.
#[tool]
fn tea(prices: State<&'static Prices>) -> u32 {
    prices.tea
}

agent! {
    Seller { instruction: "Sell.", state: &'static Prices, function_tools: [tea] }
}

pub(crate) fn main() {
    let _ = Seller::builder().state(&PRICES);
}
