use onionskin::agent;

agent!(card = "tests/errors/card/cycle");

fn main() {}
