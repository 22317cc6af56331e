use std::collections::HashMap;

use onionskin::toolbox;

struct Stock;

#[toolbox]
impl Stock {
    /// Adds up.
    #[tool(strict)]
    fn tally(&self, counts: HashMap<String, u32>) -> u32 {
        counts.values().sum()
    }
}

fn main() {}
