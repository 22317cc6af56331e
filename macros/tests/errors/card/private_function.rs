use onionskin::agent;

agent!(card = "tests/errors/card/private_function/clerk.md");

fn main() {}
