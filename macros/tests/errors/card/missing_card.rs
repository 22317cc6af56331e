use onionskin::agent;

agent!(card = "tests/errors/card/missing_card/clark.md");

fn main() {}
