use onionskin::agent;

agent!(card = "tests/errors/card/unknown_child/clerk.md");

fn main() {}
