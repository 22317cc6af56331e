use onionskin::agent;

agent!(card = ["cards/a.md"] "cards/b.md");

fn main() {}
