use onionskin::toolbox;

struct Kb;

#[toolbox]
impl Kb {
    #[tool]
    fn find(&self) {}
}

fn main() {}
