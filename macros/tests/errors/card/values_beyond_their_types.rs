use onionskin::agent;

agent!(card = "tests/errors/card/values_beyond_their_types/clerk.md");

fn main() {}
