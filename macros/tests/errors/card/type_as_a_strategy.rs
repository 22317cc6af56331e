use onionskin::agent;

agent!(card = "tests/errors/card/type_as_a_strategy/clerk.md");

fn main() {}
