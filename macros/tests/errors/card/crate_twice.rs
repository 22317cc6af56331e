use onionskin::agent;

agent!(card = "cards/a.md", crate = a, crate = b);

fn main() {}
