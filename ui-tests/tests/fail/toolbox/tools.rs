//! `tools`, the method that `#[toolbox]` adds.
use onionskin::toolbox;

struct Shop;

#[toolbox]
impl Shop {
    /// Sells a hammer.
    #[tool]
    fn sell(&self) {}
}

//~ a `tools` of the author's
impl Shop {
    fn tools(&self) -> usize {
        1
    }
}

//~ a toolbox that is used after `tools`
fn tools_use_it_up() {
    let shop = Shop;
    let tools = shop.tools();
    shop.sell();
    let _ = tools;
}

fn main() {}
