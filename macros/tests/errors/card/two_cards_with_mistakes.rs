use onionskin::agent;

agent!(card = "tests/errors/card/two_cards_with_mistakes");

fn main() {}
