use onionskin::tool;

struct Counter(u32);

impl Counter {
    /// Counts.
    #[tool]
    fn count(&mut self) -> u32 {
        self.0 += 1;
        self.0
    }
}

fn main() {}
