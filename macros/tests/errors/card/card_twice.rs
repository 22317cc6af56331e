use onionskin::agent;

agent!(card = "cards/pmo.md", card = "cards/pmo.md");

fn main() {}
