use onionskin::{agent, toolbox};

struct Shop;

#[toolbox]
impl Shop {
    /// D.
    #[tool]
    fn buy(&self) -> u8 {
        1
    }
}

agent! { Helper { instruction: "Help.", function_tools: [Shop] } }

fn main() {}
