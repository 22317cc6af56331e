use onionskin::agent;

agent!(card = "cards/one.md", card = "cards/two.md");

fn main() {}
