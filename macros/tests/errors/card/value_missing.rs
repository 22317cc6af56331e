use onionskin::agent;

agent!(card = "tests/errors/card/value_missing/clerk.md");

fn main() {}
