use onionskin::tool;

struct Shop;

#[tool]
impl Shop {
    fn sell(&self) {}
}

fn main() {}
