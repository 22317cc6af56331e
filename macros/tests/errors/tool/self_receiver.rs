use onionskin::tool;

struct Shop;

impl Shop {
    /// Sells it.
    #[tool]
    async fn sell(&self, what: String) -> String {
        what
    }
}

fn main() {}
