use onionskin::tool;

trait Shop {
    /// Sells it.
    #[tool]
    fn sell(&self, what: String) -> String;
}

fn main() {}
