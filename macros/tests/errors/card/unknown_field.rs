use onionskin::agent;

agent!(card = "tests/errors/card/unknown_field/clerk.md");

fn main() {}
