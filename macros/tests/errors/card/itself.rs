use onionskin::agent;

agent!(card = "tests/errors/card/itself/clerk.md");

fn main() {}
