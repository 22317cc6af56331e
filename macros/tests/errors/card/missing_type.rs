use onionskin::agent;

agent!(card = "tests/errors/card/missing_type/clerk.md");

fn main() {}
