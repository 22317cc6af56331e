use onionskin::agent;

agent!(card = "tests/fail/card/place_without_a_field/clerk.md");

fn main() {}
