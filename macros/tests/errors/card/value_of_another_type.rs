use onionskin::agent;

agent!(card = "tests/errors/card/value_of_another_type/clerk.md");

fn main() {}
