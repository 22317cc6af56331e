use onionskin::agent;

agent!(card = ["cards/a.md", cards]);

fn main() {}
