use onionskin::agent;

agent!(card = "cards/pmo.md", name = "pmo");

fn main() {}
