use onionskin::agent;

agent!(card = ["cards/a.md", "cards/a.md"]);

fn main() {}
