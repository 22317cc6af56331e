use onionskin::agent;

agent!(card = "tests/errors/card/script/clerk.md");

fn main() {}
