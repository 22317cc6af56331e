use onionskin::agent;

agent!(card = "tests/errors/card/two_defaults/*.md");

fn main() {}
