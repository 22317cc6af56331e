use onionskin::agent;

agent!(card = "tests/errors/lock_broken/card/clock.md");

fn main() {}
