use onionskin::agent;

agent!(card = "tests/errors/card/filter_of_nothing/clerk.md");

fn main() {}
