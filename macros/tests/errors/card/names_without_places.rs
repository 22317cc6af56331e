use onionskin::agent;

agent!(card = "tests/errors/card/names_without_places/clerk.md");

fn main() {}
