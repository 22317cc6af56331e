use onionskin::agent;

agent!(card = "tests/fail/card/value_of_another_type/clerk.md");

fn main() {}
