//! `tools`, the method that `#[toolbox]` adds.
use onionskin::toolbox;

struct Shop;

#[toolbox]
impl Shop {
    /// Sells a hammer.
    #[tool]
    fn sell(&self) {}
}

//~ own tools
impl Shop {
    fn tools(&self) -> usize {
        1
    }
}

//~ tools use it up
fn tools_use_it_up() {
    let shop = Shop;
    let tools = shop.tools();
    shop.sell();
    let _ = tools;
}

fn main() {}
