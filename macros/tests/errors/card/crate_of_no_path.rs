use onionskin::agent;

agent!(card = "cards/a.md", crate = "onionskin");

fn main() {}
