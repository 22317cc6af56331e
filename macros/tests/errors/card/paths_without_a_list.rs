use onionskin::agent;

agent!(card = "cards/a.md", "cards/b.md", "cards/c.md");

fn main() {}
