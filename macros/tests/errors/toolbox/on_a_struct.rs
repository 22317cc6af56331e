use onionskin::toolbox;

#[toolbox]
struct Kb;

fn main() {}
