use onionskin::agent;

agent!(card = "tests/errors/lock/card_filter/clock.md");

fn main() {}
