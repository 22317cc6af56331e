use onionskin::toolbox;

pub struct Orders;

#[toolbox(instructions = "Amounts are in cents.", state = Desk)]
impl Orders {
    /// Counts.
    #[tool]
    fn count(&self) -> u32 {
        0
    }
}

#[derive(Clone)]
pub struct Desk;

fn main() {}
