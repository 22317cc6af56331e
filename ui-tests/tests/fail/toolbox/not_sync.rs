use std::cell::Cell;

use onionskin::toolbox;

struct Kb(Cell<u32>);

#[toolbox]
impl Kb {
    /// Counts.
    #[tool]
    fn count(&self) -> u32 {
        self.0.replace(1)
    }
}

fn main() {}
