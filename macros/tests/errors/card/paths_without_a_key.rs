use onionskin::agent;

agent!(pub "cards/a.md", "cards/b.md");

fn main() {}
