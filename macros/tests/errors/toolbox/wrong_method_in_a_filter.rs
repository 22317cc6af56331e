use onionskin::{agent, hooks, toolbox};

#[derive(Default)]
pub struct Basket;

#[toolbox]
impl Basket {
    /// Adds.
    #[tool(efect = pure)]
    fn add(&self, n: u32) -> u32 {
        n
    }

    /// Takes.
    #[tool]
    fn take(&self, n: u32) -> u32 {
        n
    }
}

agent! {
    Shopper { instruction: "Shop.", toolboxes: [Basket], tool_hooks: [hooks::log for [Basket::add, Basket::take]] }
}

fn main() {}
