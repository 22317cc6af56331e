use onionskin::agent;

agent!(card = "tests/errors/lock/card_tool/clock.md");

fn main() {}
