use onionskin::agent;

agent!(card = "tests/errors/card/value_too_many/clerk.md");

fn main() {}
