use onionskin::toolbox;

struct Shop;

#[toolbox(part = Buying)]
impl Shop {
    /// D.
    #[tool]
    fn buy(&self) -> u8 {
        1
    }
}
#[toolbox(parts = [Buying, Buying])]
impl Shop {
    /// D.
    #[tool]
    fn sell(&self) -> u8 {
        1
    }
}

fn main() {}
