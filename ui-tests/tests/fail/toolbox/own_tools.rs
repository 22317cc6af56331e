use onionskin::toolbox;

struct Shop;

#[toolbox]
impl Shop {
    /// Sells a hammer.
    #[tool]
    fn sell(&self) {}
}

impl Shop {
    fn tools(&self) -> usize {
        1
    }
}

fn main() {}
