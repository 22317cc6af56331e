use onionskin::toolbox;

struct Shop;

#[toolbox]
impl Shop {
    /// Sells a hammer.
    #[tool]
    fn sell(&self) {}
}

fn main() {
    let shop = Shop;
    let tools = shop.tools();
    shop.sell();
    let _ = tools;
}
