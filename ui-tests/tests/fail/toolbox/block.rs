//! Blocks that cannot be a toolbox.
use std::cell::Cell;

use onionskin::toolbox;

//~ an unknown part
struct Kb;

struct Admin;

#[toolbox(parts = [Admin])]
impl Kb {
    /// Finds a note.
    #[tool]
    fn find(&self) {}
}

//~ a toolbox that is not `Sync`
struct Count(Cell<u32>);

#[toolbox]
impl Count {
    /// Counts.
    #[tool]
    fn count(&self) -> u32 {
        self.0.replace(1)
    }
}

fn main() {}
