use onionskin::toolbox;

struct Kb;

#[toolbox]
impl Kb {
    /// Keeps a value.
    #[tool]
    fn add<T>(&self, value: T) {
        drop(value);
    }
}

fn main() {}
