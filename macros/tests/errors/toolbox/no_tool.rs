use onionskin::toolbox;

struct Kb;

#[toolbox]
impl Kb {
    fn hello(&self) {}
}

fn main() {}
