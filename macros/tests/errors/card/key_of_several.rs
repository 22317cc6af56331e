use onionskin::agent;

agent!(cards = ["cards/a.md", "cards/b.md"]);

fn main() {}
