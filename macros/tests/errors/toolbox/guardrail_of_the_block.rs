use onionskin::{Args, toolbox};

struct Shop;

#[toolbox]
impl Shop {
    fn check(_args: &Args) {}
    /// D.
    #[tool(input_guardrails = [Self::check])]
    fn buy(&self) -> u8 {
        1
    }
}

fn main() {}
