use onionskin::agent;

agent!(card = "cards/a.md", card = "cards/b.md");

fn main() {}
